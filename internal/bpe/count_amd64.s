//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// func countKnownBMI(words *[1 << wordBits]wordEntry, text unsafe.Pointer, ends uint64, missed *[64]uint16) (total, misses int)
//
// AX total, CX misses, R8 start and R11 end of a piece, R12 its length and then the number of its tokens, DI words,
// SI text, BX ends, DX missed, R9 masks, R10 hashFactor, R13 to R15 the key. BP, the last bytes of the piece, is saved by
// the frame.
TEXT ·countKnownBMI(SB), NOSPLIT, $8-48
	MOVQ  words+0(FP), DI
	MOVQ  text+8(FP), SI
	MOVQ  ends+16(FP), BX
	MOVQ  missed+24(FP), DX
	XORL  AX, AX
	XORL  CX, CX
	XORL  R8, R8
	LEAQ  ·keyMasks(SB), R9
	MOVQ  $const_hashFactor, R10
	TESTQ BX, BX
	JZ    done

loop:
	TZCNTQ BX, R11
	BLSRQ  BX, BX
	INCQ   R11
	MOVQ   R11, R12
	SUBQ   R8, R12
	MOVB   R8, (DX)(CX*2)
	MOVB   R11, 1(DX)(CX*2)

	// The key as makeKey builds it: BP is last, R15 becomes tag, R13 the offset of the entry.
	LEAQ  (R12)(R12*1), R13
	MOVQ  (R9)(R13*8), R15
	MOVQ  8(R9)(R13*8), BP
	ANDQ  (SI)(R8*1), R15
	ANDQ  8(SI)(R8*1), BP
	MOVQ  $const_lastFactor, R13
	IMULQ BP, R13
	ADDQ  R13, R15
	IMULQ R10, R15
	MOVQ  R15, R13
	SHRQ  $(64-const_wordBits), R13
	SHLQ  $4, R13
	SHLQ  $(const_wordBits-const_groupBits), R15
	SHLQ  $const_wordLenShift, R12
	ORQ   R12, R15

	// The bits in which the entry differs go to R15, the number of tokens to R12.
	MOVQ wordEntry_tag(DI)(R13*1), R12
	XORQ wordEntry_last(DI)(R13*1), BP
	XORQ R12, R15
	SHRQ $const_wordLenShift, R15
	ANDL $const_wordCountMask, R12
	MOVQ R11, R8

	// The carry is set if any bit differs: then there is one miss more and R13 is all ones.
	ORQ  BP, R15
	NEGQ R15
	SBBQ R13, R13
	SUBQ R13, CX
	NOTQ R13
	ANDQ R13, R12
	ADDQ R12, AX
	TESTQ BX, BX
	JNZ  loop

done:
	MOVQ AX, total+32(FP)
	MOVQ CX, misses+40(FP)
	RET

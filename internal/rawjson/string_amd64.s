//go:build amd64 && !purego

#include "textflag.h"

// Constants, four bytes each, to be broadcast.
DATA bytes<>+0(SB)/4, $0x02020202  // turns " into a blank and a blank into "
DATA bytes<>+4(SB)/4, $0x20202020  // blank
DATA bytes<>+8(SB)/4, $0x5c5c5c5c  // backslash
DATA bytes<>+12(SB)/4, $0x0f0f0f0f // half a byte, and the bits of short escapes
DATA bytes<>+16(SB)/4, $0x30303030 // the bits of hexadecimal digits
GLOBL bytes<>(SB), RODATA|NOPTR, $20

// What a byte may be in an escape is looked up by its lower and by its upper half;
// a bit that both have holds.
//
//	0x01 " /   0x02 \   0x04 b f n   0x08 r t   0x10 0-9   0x20 A-F a-f   0x80 u
DATA lower<>+0(SB)/8, $0x1034b038303d3010
DATA lower<>+8(SB)/8, $0x0104000200001010
GLOBL lower<>(SB), RODATA|NOPTR, $16
DATA upper<>+0(SB)/8, $0x8824022010010000
DATA upper<>+8(SB)/8, $0x0000000000000000
GLOBL upper<>(SB), RODATA|NOPTR, $16

// GATHER combines the byte masks in lo and hi into the 64 bits of dst.
#define GATHER(lo, hi, dst) \
	VPMOVMSKB lo, dst; \
	VPMOVMSKB hi, R15; \
	SHLQ      $32, R15; \
	ORQ       R15, dst

// func skipTextAVX2(data []byte, i int) (end int, escaped bool)
//
// AX is the offset of the block and CX the last at which one fits. BX has bit 0
// set if the first byte of the block is escaped, R8 the bits of those that must be
// digits of an escape begun before it, R9 the backslashes so far.
TEXT ·skipTextAVX2(SB), NOSPLIT, $0-41
	MOVQ           data_base+0(FP), SI
	MOVQ           data_len+8(FP), CX
	MOVQ           i+24(FP), AX
	SUBQ           $64, CX
	XORL           BX, BX
	XORL           R8, R8
	XORL           R9, R9
	MOVQ           $0xaaaaaaaaaaaaaaaa, R10
	VPBROADCASTD   bytes<>+0(SB), Y8
	VPBROADCASTD   bytes<>+4(SB), Y9
	VPBROADCASTD   bytes<>+8(SB), Y10
	VPBROADCASTD   bytes<>+12(SB), Y11
	VBROADCASTI128 lower<>(SB), Y12
	VBROADCASTI128 upper<>(SB), Y13
	VPXOR          Y14, Y14, Y14

block:
	CMPQ    AX, CX
	JGT     tail
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1

	// Quotes and control characters: DX.
	VPXOR    Y8, Y0, Y2
	VPXOR    Y8, Y1, Y3
	VPMINUB  Y9, Y2, Y4
	VPMINUB  Y9, Y3, Y5
	VPCMPEQB Y4, Y2, Y2
	VPCMPEQB Y5, Y3, Y3
	GATHER(Y2, Y3, DX)

	// Backslashes: DI.
	VPCMPEQB Y10, Y0, Y4
	VPCMPEQB Y10, Y1, Y5
	GATHER(Y4, Y5, DI)

	MOVQ DI, R11
	ORQ  DX, R11
	ORQ  BX, R11
	ORQ  R8, R11
	JNZ  escapes
	ADDQ $64, AX
	JMP  block

escapes:
	// Y2 and Y3: what each byte may be in an escape. R11: those that are no
	// short one.
	VPSRLW   $4, Y0, Y2
	VPSRLW   $4, Y1, Y3
	VPAND    Y11, Y2, Y2
	VPAND    Y11, Y3, Y3
	VPSHUFB  Y2, Y13, Y2
	VPSHUFB  Y3, Y13, Y3
	VPSHUFB  Y0, Y12, Y4
	VPSHUFB  Y1, Y12, Y5
	VPAND    Y4, Y2, Y2
	VPAND    Y5, Y3, Y3
	VPAND    Y11, Y2, Y4
	VPAND    Y11, Y3, Y5
	VPCMPEQB Y14, Y4, Y4
	VPCMPEQB Y14, Y5, Y5
	GATHER(Y4, Y5, R11)

	// In a run of backslashes the first, third, … escape what follows. Taking the
	// run from the odd bits and itself moved by one borrows through it, so that
	// what differs from the odd bits is every second bit of it, from its first on,
	// and the one behind it if that is escaped.
	// BX: what is escaped. R13: whether the first byte of the next block is.
	MOVQ BX, R12
	NOTQ R12
	ANDQ DI, R12
	LEAQ (R12)(R12*1), R13
	ORQ  R10, R13
	SUBQ R12, R13
	XORQ R10, R13
	ORQ  DI, BX
	XORQ R13, BX
	ANDQ DI, R13
	SHRQ $63, R13

	// R11: quotes and control characters that are not escaped, and what is escaped
	// but makes no short escape.
	XORQ DX, R11
	ANDQ BX, R11
	XORQ DX, R11
	MOVQ R11, R12
	ORQ  R8, R12
	JNZ  units

next:
	ORQ  DI, R9
	MOVQ R13, BX
	ADDQ $64, AX
	JMP  block

units:
	// DX: the u of escapes of four digits. R12: where the digits must stand.
	// R8: where those that do not fit must stand in the next block.
	GATHER(Y2, Y3, DX)
	ANDQ BX, DX
	LEAQ (DX)(DX*1), R12
	ORQ  DX, R12
	LEAQ (R12)(R12*1), R15
	SHLQ $3, R12
	ORQ  R15, R12
	ORQ  R8, R12
	MOVQ DX, R8
	SHRQ $1, R8
	ORQ  DX, R8
	MOVQ R8, R15
	SHRQ $2, R15
	ORQ  R15, R8
	SHRQ $60, R8

	// R11: what is wrong, or the end of the string.
	NOTQ         DX
	ANDQ         DX, R11
	VPBROADCASTD bytes<>+16(SB), Y4
	VPAND        Y4, Y3, Y5
	VPAND        Y4, Y2, Y4
	VPCMPEQB     Y14, Y4, Y4
	VPCMPEQB     Y14, Y5, Y5
	GATHER(Y4, Y5, DX)
	ANDQ         R12, DX
	ORQ          DX, R11
	JZ           next

	// Only the backslashes before it count.
	BSFQ R11, CX
	MOVL $1, DX
	SHLQ CX, DX
	DECQ DX
	ANDQ DX, DI
	ORQ  DI, R9
	ADDQ CX, AX
	ORQ  R12, BX
	BTQ  CX, BX
	JCS  back
	JMP  done

tail:
	ORQ R8, BX
	JZ  done

back:
	// It is within an escape. Only an u and digits can stand before it.
	DECQ AX
	CMPB (SI)(AX*1), $0x5c
	JNE  back

done:
	MOVQ  AX, end+32(FP)
	TESTQ R9, R9
	SETNE escaped+40(FP)
	VZEROUPPER
	RET

//go:build amd64 && !purego

#include "textflag.h"

// Half a byte, to be broadcast.
DATA half<>+0(SB)/4, $0x0f0f0f0f
GLOBL half<>(SB), RODATA|NOPTR, $4

// LOOKUP replaces the bytes of x by the patterns that they may belong to: those that
// their lower half has in one table and their upper half in another.
#define LOOKUP(x, lower, upper) \
	VPAND   Y15, x, Y13; \
	VPSHUFB Y13, lower, Y13; \
	VPSRLW  $4, x, x; \
	VPAND   Y15, x, x; \
	VPSHUFB x, upper, x; \
	VPAND   Y13, x, x

// BYTE looks at the bytes behind as many as k, and leaves in Y10 and Y11 the patterns
// that hold so far.
#define BYTE(k, lower, upper) \
	VMOVDQU k(SI), Y0; \
	VMOVDQU (k+32)(SI), Y1; \
	LOOKUP(Y0, lower, upper); \
	LOOKUP(Y1, lower, upper); \
	VPAND   Y0, Y10, Y10; \
	VPAND   Y1, Y11, Y11

// func findAVX2(text *byte, blocks int, halves *[4][2][16]byte) (passed int, hits uint64)
TEXT ·findAVX2(SB), NOSPLIT, $0-40
	MOVQ           text+0(FP), SI
	MOVQ           blocks+8(FP), CX
	MOVQ           halves+16(FP), DI
	VPBROADCASTD   half<>+0(SB), Y15
	VBROADCASTI128 0(DI), Y2
	VBROADCASTI128 16(DI), Y3
	VBROADCASTI128 32(DI), Y4
	VBROADCASTI128 48(DI), Y5
	VBROADCASTI128 64(DI), Y6
	VBROADCASTI128 80(DI), Y7
	VBROADCASTI128 96(DI), Y8
	VBROADCASTI128 112(DI), Y9
	VPXOR          Y14, Y14, Y14
	XORL           DX, DX

block:
	XORL     AX, AX
	CMPQ     DX, CX
	JGE      done
	VPCMPEQB Y10, Y10, Y10
	VPCMPEQB Y11, Y11, Y11
	BYTE(0, Y2, Y3)
	BYTE(1, Y4, Y5)
	BYTE(2, Y6, Y7)
	BYTE(3, Y8, Y9)

	// A byte without a pattern becomes ones, and its bit is then taken back.
	VPCMPEQB  Y14, Y10, Y10
	VPCMPEQB  Y14, Y11, Y11
	VPMOVMSKB Y10, AX
	VPMOVMSKB Y11, BX
	SHLQ      $32, BX
	ORQ       BX, AX
	NOTQ      AX
	TESTQ     AX, AX
	JNZ       done
	INCQ      DX
	ADDQ      $64, SI
	JMP       block

done:
	MOVQ DX, passed+24(FP)
	MOVQ AX, hits+32(FP)
	VZEROUPPER
	RET

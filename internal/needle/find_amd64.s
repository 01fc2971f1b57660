//go:build amd64 && !purego

#include "textflag.h"

// Constants, four bytes each, to be broadcast.
DATA bytes<>+0(SB)/4, $0x0f0f0f0f // half a byte
DATA bytes<>+4(SB)/4, $0x20202020 // blank
DATA bytes<>+8(SB)/4, $0x09090909 // tab
DATA bytes<>+12(SB)/4, $0x0a0a0a0a // newline
GLOBL bytes<>(SB), RODATA|NOPTR, $16

// LOOKUP replaces the bytes of x by the patterns that they may belong to: those that
// their lower half has in one table and their upper half in another.
#define LOOKUP(x, lower, upper) \
	VPAND   Y15, x, Y12; \
	VPSHUFB Y12, lower, Y12; \
	VPSRLW  $4, x, x; \
	VPAND   Y15, x, x; \
	VPSHUFB x, upper, x; \
	VPAND   Y12, x, x

// GATHER writes a bit for each byte of lo and hi to a place of the marks, set for those
// that are ones.
#define GATHER(lo, hi, at) \
	VPMOVMSKB lo, AX; \
	VPMOVMSKB hi, BX; \
	SHLQ      $32, BX; \
	ORQ       BX, AX; \
	MOVQ      AX, at(R8)

// OTHERS is GATHER for those that are not zero.
#define OTHERS(lo, hi, at) \
	VPCMPEQB  Y14, lo, lo; \
	VPCMPEQB  Y14, hi, hi; \
	VPMOVMSKB lo, AX; \
	VPMOVMSKB hi, BX; \
	SHLQ      $32, BX; \
	ORQ       BX, AX; \
	NOTQ      AX; \
	MOVQ      AX, at(R8)

// func findAVX2(text *byte, t *nibbleTables, all *marks, n int)
TEXT ·findAVX2(SB), NOSPLIT, $0-32
	MOVQ           text+0(FP), SI
	MOVQ           t+8(FP), DI
	MOVQ           all+16(FP), R8
	MOVQ           n+24(FP), CX
	VBROADCASTI128 0(DI), Y2
	VBROADCASTI128 16(DI), Y3
	VBROADCASTI128 32(DI), Y4
	VBROADCASTI128 48(DI), Y5
	VBROADCASTI128 64(DI), Y6
	VBROADCASTI128 80(DI), Y7
	VPBROADCASTD   96(DI), Y8
	VPBROADCASTD   bytes<>+0(SB), Y15
	VPBROADCASTD   bytes<>+4(SB), Y9
	VPBROADCASTD   bytes<>+8(SB), Y13
	VPXOR          Y14, Y14, Y14

block:
	TESTQ CX, CX
	JZ    done

	// Blanks and newlines.
	VMOVDQU      0(SI), Y0
	VMOVDQU      32(SI), Y1
	VPCMPEQB     Y9, Y0, Y10
	VPCMPEQB     Y13, Y0, Y11
	VPOR         Y10, Y11, Y10
	VPCMPEQB     Y9, Y1, Y11
	VPCMPEQB     Y13, Y1, Y12
	VPOR         Y11, Y12, Y11
	GATHER(Y10, Y11, 16)
	VPBROADCASTD bytes<>+12(SB), Y12
	VPCMPEQB     Y12, Y0, Y10
	VPCMPEQB     Y12, Y1, Y11
	GATHER(Y10, Y11, 24)

	// Patterns, byte by byte; those that hold are left in Y10 and Y11.
	LOOKUP(Y0, Y2, Y3)
	LOOKUP(Y1, Y2, Y3)
	VMOVDQA Y0, Y10
	VMOVDQA Y1, Y11
	VMOVDQU 1(SI), Y0
	VMOVDQU 33(SI), Y1
	LOOKUP(Y0, Y4, Y5)
	LOOKUP(Y1, Y4, Y5)
	VPAND   Y0, Y10, Y10
	VPAND   Y1, Y11, Y11
	VMOVDQU 2(SI), Y0
	VMOVDQU 34(SI), Y1
	LOOKUP(Y0, Y6, Y7)
	LOOKUP(Y1, Y6, Y7)
	VPAND   Y0, Y10, Y10
	VPAND   Y1, Y11, Y11
	VPAND   Y8, Y10, Y0
	VPAND   Y8, Y11, Y1
	OTHERS(Y0, Y1, 8)
	VPANDN  Y10, Y8, Y10
	VPANDN  Y11, Y8, Y11
	OTHERS(Y10, Y11, 0)
	ADDQ    $64, SI
	ADDQ    $32, R8
	DECQ    CX
	JMP     block

done:
	VZEROUPPER
	RET

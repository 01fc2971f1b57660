//go:build amd64 && !purego

#include "textflag.h"

// func smallestAVX2(merges *[256]uint32, n int) uint32
TEXT ·smallestAVX2(SB), NOSPLIT, $0-20
	MOVQ    merges+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVDQU (SI), Y0
	MOVL    $8, AX
	CMPQ    CX, AX
	JLE     reduce

loop:
	VPMINUD (SI)(AX*4), Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop

reduce:
	VEXTRACTI128 $1, Y0, X1
	VPMINUD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMINUD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMINUD      X1, X0, X0
	VMOVD        X0, AX
	VZEROUPPER
	MOVL         AX, ret+16(FP)
	RET

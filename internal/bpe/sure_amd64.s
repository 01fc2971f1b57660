//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// func sureBytesAVX2(s *sure, e *early, n int)
TEXT ·sureBytesAVX2(SB), NOSPLIT, $0-24
	MOVQ     s+0(FP), DI
	MOVQ     e+8(FP), SI
	MOVQ     n+16(FP), CX
	LEAQ     sure_found(DI), DX
	XORL     AX, AX
	VPCMPEQD Y7, Y7, Y7
	VPSRLD   $16, Y7, Y6

loop:
	// Y1 becomes the bound, Y0 the limit. Subtracting minus one adds one.
	VMOVDQU   early_near(SI)(AX*4), Y1
	VPSRLD    $16, Y1, Y1
	VPAND     (early_near+12)(SI)(AX*4), Y6, Y2
	VPMINUD   Y2, Y1, Y1
	VMOVDQU   Y1, (sure_bytes+4)(DI)(AX*4)
	VMOVDQU   (early_rank+8)(SI)(AX*4), Y0
	VPSUBD    Y7, Y0, Y0
	VPMINUD   early_rank(SI)(AX*4), Y0, Y0
	VPMINUD   Y1, Y0, Y0
	VPCMPGTD  (early_rank+4)(SI)(AX*4), Y0, Y0
	VMOVMSKPS Y0, BX
	MOVB      BX, (DX)
	INCQ      DX
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func surePartsAVX2(s *sure, p *parts, n int)
TEXT ·surePartsAVX2(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ n+16(FP), CX
	LEAQ sure_found(DI), DX
	XORL AX, AX

loop:
	// A merge is not sure if it is the larger one of itself and its limit.
	VMOVDQU   parts_merge(SI)(AX*4), Y0
	VMOVDQU   (parts_merge-4)(SI)(AX*4), Y1
	VPMINUD   (parts_merge+4)(SI)(AX*4), Y1, Y1
	VPMINUD   (sure_parts+4)(DI)(AX*4), Y1, Y1
	VPMAXUD   Y0, Y1, Y1
	VPCMPEQD  Y0, Y1, Y1
	VMOVMSKPS Y1, BX
	NOTL      BX
	MOVB      BX, (DX)
	INCQ      DX
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

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

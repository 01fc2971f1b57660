//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

DATA bytes<>+0(SB)/8, $0x2020202020202020
DATA bytes<>+8(SB)/8, $0x2020202020202020
DATA bytes<>+16(SB)/8, $0x2020202020202020
DATA bytes<>+24(SB)/8, $0x2020202020202020
DATA bytes<>+32(SB)/8, $0x6161616161616161
DATA bytes<>+40(SB)/8, $0x6161616161616161
DATA bytes<>+48(SB)/8, $0x6161616161616161
DATA bytes<>+56(SB)/8, $0x6161616161616161
DATA bytes<>+64(SB)/8, $0x1919191919191919
DATA bytes<>+72(SB)/8, $0x1919191919191919
DATA bytes<>+80(SB)/8, $0x1919191919191919
DATA bytes<>+88(SB)/8, $0x1919191919191919
DATA bytes<>+96(SB)/8, $0x3030303030303030
DATA bytes<>+104(SB)/8, $0x3030303030303030
DATA bytes<>+112(SB)/8, $0x3030303030303030
DATA bytes<>+120(SB)/8, $0x3030303030303030
DATA bytes<>+128(SB)/8, $0x0909090909090909
DATA bytes<>+136(SB)/8, $0x0909090909090909
DATA bytes<>+144(SB)/8, $0x0909090909090909
DATA bytes<>+152(SB)/8, $0x0909090909090909
DATA bytes<>+160(SB)/8, $0x0909090909090909
DATA bytes<>+168(SB)/8, $0x0909090909090909
DATA bytes<>+176(SB)/8, $0x0909090909090909
DATA bytes<>+184(SB)/8, $0x0909090909090909
DATA bytes<>+192(SB)/8, $0x0404040404040404
DATA bytes<>+200(SB)/8, $0x0404040404040404
DATA bytes<>+208(SB)/8, $0x0404040404040404
DATA bytes<>+216(SB)/8, $0x0404040404040404
DATA bytes<>+224(SB)/8, $0x0a0a0a0a0a0a0a0a
DATA bytes<>+232(SB)/8, $0x0a0a0a0a0a0a0a0a
DATA bytes<>+240(SB)/8, $0x0a0a0a0a0a0a0a0a
DATA bytes<>+248(SB)/8, $0x0a0a0a0a0a0a0a0a
DATA bytes<>+256(SB)/8, $0x0d0d0d0d0d0d0d0d
DATA bytes<>+264(SB)/8, $0x0d0d0d0d0d0d0d0d
DATA bytes<>+272(SB)/8, $0x0d0d0d0d0d0d0d0d
DATA bytes<>+280(SB)/8, $0x0d0d0d0d0d0d0d0d
DATA bytes<>+288(SB)/8, $0x2727272727272727
DATA bytes<>+296(SB)/8, $0x2727272727272727
DATA bytes<>+304(SB)/8, $0x2727272727272727
DATA bytes<>+312(SB)/8, $0x2727272727272727
DATA bytes<>+320(SB)/8, $0x2f2f2f2f2f2f2f2f
DATA bytes<>+328(SB)/8, $0x2f2f2f2f2f2f2f2f
DATA bytes<>+336(SB)/8, $0x2f2f2f2f2f2f2f2f
DATA bytes<>+344(SB)/8, $0x2f2f2f2f2f2f2f2f
DATA bytes<>+352(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA bytes<>+360(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA bytes<>+368(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA bytes<>+376(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA bytes<>+384(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA bytes<>+392(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA bytes<>+400(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA bytes<>+408(SB)/8, $0x7f7f7f7f7f7f7f7f
GLOBL bytes<>(SB), RODATA|NOPTR, $416

// STORE combines the byte masks in lo and hi into 64 bits at off(DI).
#define STORE(lo, hi, off) \
	VPMOVMSKB lo, AX; \
	VPMOVMSKB hi, BX; \
	SHLQ      $32, BX; \
	ORQ       BX, AX; \
	MOVQ      AX, off(DI)

// BETWEEN sets lo and hi to all ones where the bytes of Y0 and Y1 are at least
// first and at most first+span.
#define BETWEEN(first, span, lo, hi) \
	VPSUBB   first, Y0, Y4; \
	VPSUBB   first, Y1, Y5; \
	VPMINUB  span, Y4, lo; \
	VPMINUB  span, Y5, hi; \
	VPCMPEQB Y4, lo, lo; \
	VPCMPEQB Y5, hi, hi

// EQUAL sets lo and hi to all ones where the bytes of Y0 and Y1 are c.
#define EQUAL(c, lo, hi) \
	VPCMPEQB c, Y0, lo; \
	VPCMPEQB c, Y1, hi

#define OR(lo, hi, lo2, hi2) \
	VPOR lo, lo2, lo2; \
	VPOR hi, hi2, hi2

// func classifyAVX2(block *[64]byte, m *masks)
TEXT ·classifyAVX2(SB), NOSPLIT, $0-16
	MOVQ    block+0(FP), SI
	MOVQ    m+8(FP), DI
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	// Letters: fold case, then compare with a to z. Bit 5 is clear in upper case.
	VPOR      bytes<>+0(SB), Y0, Y2
	VPOR      bytes<>+0(SB), Y1, Y3
	VPSUBB    bytes<>+32(SB), Y2, Y2
	VPSUBB    bytes<>+32(SB), Y3, Y3
	VPMINUB   bytes<>+64(SB), Y2, Y4
	VPMINUB   bytes<>+64(SB), Y3, Y5
	VPCMPEQB  Y2, Y4, Y4
	VPCMPEQB  Y3, Y5, Y5
	STORE(Y4, Y5, masks_letter)
	VPSLLW    $2, Y0, Y2
	VPSLLW    $2, Y1, Y3
	VPANDN    Y4, Y2, Y2
	VPANDN    Y5, Y3, Y3
	STORE(Y2, Y3, masks_upper)

	BETWEEN(bytes<>+96(SB), bytes<>+128(SB), Y2, Y3)
	STORE(Y2, Y3, masks_digit)

	EQUAL(bytes<>+224(SB), Y2, Y3)
	EQUAL(bytes<>+256(SB), Y6, Y7)
	OR(Y2, Y3, Y6, Y7)
	STORE(Y6, Y7, masks_newline)

	// Space is blank or \t to \r; Y8 and Y9 keep it for the controls.
	EQUAL(bytes<>+0(SB), Y6, Y7)
	STORE(Y6, Y7, masks_blank)
	BETWEEN(bytes<>+160(SB), bytes<>+192(SB), Y8, Y9)
	OR(Y6, Y7, Y8, Y9)
	STORE(Y8, Y9, masks_space)

	EQUAL(bytes<>+288(SB), Y2, Y3)
	STORE(Y2, Y3, masks_quote)
	EQUAL(bytes<>+320(SB), Y2, Y3)
	STORE(Y2, Y3, masks_slash)

	// Control is below blank or DEL, but not space.
	VPMINUB  bytes<>+352(SB), Y0, Y2
	VPMINUB  bytes<>+352(SB), Y1, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	EQUAL(bytes<>+384(SB), Y6, Y7)
	OR(Y6, Y7, Y2, Y3)
	VPANDN   Y2, Y8, Y2
	VPANDN   Y3, Y9, Y3
	STORE(Y2, Y3, masks_control)

	STORE(Y0, Y1, masks_high)
	VZEROUPPER
	RET

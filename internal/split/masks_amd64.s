//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Constants, four bytes each, to be broadcast.
DATA bytes<>+0(SB)/4, $0x20202020  // blank, and the bit of lower case
DATA bytes<>+4(SB)/4, $0x61616161  // a
DATA bytes<>+8(SB)/4, $0x19191919  // z-a
DATA bytes<>+12(SB)/4, $0x30303030 // 0
DATA bytes<>+16(SB)/4, $0x09090909 // 9-0, and \t
DATA bytes<>+20(SB)/4, $0x04040404 // \r-\t
DATA bytes<>+24(SB)/4, $0x0a0a0a0a // \n
DATA bytes<>+28(SB)/4, $0x0d0d0d0d // \r
DATA bytes<>+32(SB)/4, $0x27272727 // '
DATA bytes<>+36(SB)/4, $0x2f2f2f2f // /
DATA bytes<>+40(SB)/4, $0x1f1f1f1f // the last control character below blank
DATA bytes<>+44(SB)/4, $0x7f7f7f7f // DEL
GLOBL bytes<>(SB), RODATA|NOPTR, $48

// STORE combines the byte masks in lo and hi into 64 bits at off(DI).
#define STORE(lo, hi, off) \
	VPMOVMSKB lo, AX; \
	VPMOVMSKB hi, BX; \
	SHLQ      $32, BX; \
	ORQ       BX, AX; \
	MOVQ      AX, off(DI)

// ATMOST sets lo2 and hi2 to all ones where the bytes of lo and hi are at most
// those of most, without sign.
#define ATMOST(most, lo, hi, lo2, hi2) \
	VPMINUB  most, lo, lo2; \
	VPMINUB  most, hi, hi2; \
	VPCMPEQB lo, lo2, lo2; \
	VPCMPEQB hi, hi2, hi2

// EQUAL sets lo and hi to all ones where the bytes of Y0 and Y1 are those of c.
#define EQUAL(c, lo, hi) \
	VPCMPEQB c, Y0, lo; \
	VPCMPEQB c, Y1, hi

// func classifyAVX2(block *[64]byte, m *masks)
TEXT ·classifyAVX2(SB), NOSPLIT, $0-16
	MOVQ    block+0(FP), SI
	MOVQ    m+8(FP), DI
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	STORE(Y0, Y1, masks_high)

	// Letters: set the bit of lower case, then compare with a to z.
	VPBROADCASTD bytes<>+0(SB), Y10
	VPBROADCASTD bytes<>+4(SB), Y11
	VPBROADCASTD bytes<>+8(SB), Y12
	VPOR         Y10, Y0, Y2
	VPOR         Y10, Y1, Y3
	VPSUBB       Y11, Y2, Y2
	VPSUBB       Y11, Y3, Y3
	ATMOST(Y12, Y2, Y3, Y4, Y5)
	STORE(Y4, Y5, masks_letter)

	// Upper case: letters without that bit. The shift puts it where STORE looks.
	VPSLLW $2, Y0, Y2
	VPSLLW $2, Y1, Y3
	VPANDN Y4, Y2, Y2
	VPANDN Y5, Y3, Y3
	STORE(Y2, Y3, masks_upper)

	VPBROADCASTD bytes<>+12(SB), Y11
	VPBROADCASTD bytes<>+16(SB), Y12
	VPSUBB       Y11, Y0, Y2
	VPSUBB       Y11, Y1, Y3
	ATMOST(Y12, Y2, Y3, Y4, Y5)
	STORE(Y4, Y5, masks_digit)

	// Whitespace stays in Y6 and Y7 for the controls.
	EQUAL(Y10, Y6, Y7)
	STORE(Y6, Y7, masks_blank)
	VPBROADCASTD bytes<>+20(SB), Y11
	VPSUBB       Y12, Y0, Y2
	VPSUBB       Y12, Y1, Y3
	ATMOST(Y11, Y2, Y3, Y4, Y5)
	VPOR         Y4, Y6, Y6
	VPOR         Y5, Y7, Y7
	STORE(Y6, Y7, masks_space)

	VPBROADCASTD bytes<>+24(SB), Y10
	VPBROADCASTD bytes<>+28(SB), Y11
	EQUAL(Y10, Y2, Y3)
	EQUAL(Y11, Y4, Y5)
	VPOR         Y2, Y4, Y4
	VPOR         Y3, Y5, Y5
	STORE(Y4, Y5, masks_newline)

	VPBROADCASTD bytes<>+32(SB), Y10
	VPBROADCASTD bytes<>+36(SB), Y11
	EQUAL(Y10, Y2, Y3)
	STORE(Y2, Y3, masks_quote)
	EQUAL(Y11, Y4, Y5)
	STORE(Y4, Y5, masks_slash)

	VPBROADCASTD bytes<>+40(SB), Y10
	VPBROADCASTD bytes<>+44(SB), Y11
	ATMOST(Y10, Y0, Y1, Y2, Y3)
	EQUAL(Y11, Y4, Y5)
	VPOR         Y4, Y2, Y2
	VPOR         Y5, Y3, Y3
	VPANDN       Y2, Y6, Y2
	VPANDN       Y3, Y7, Y3
	STORE(Y2, Y3, masks_control)
	VZEROUPPER
	RET

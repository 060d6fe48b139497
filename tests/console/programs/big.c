/* A program without an end, with sixteen million types in its debug information. */
#define TYPE "\\002type\\000\\004\\005"
#define TEN(t) t t t t t t t t t t
#define HUNDRED TEN(TEN(TYPE))
__asm__("        .pushsection .debug_abbrev,\"\",%progbits\n"
        ".Lbig:   .byte 1, 0x11, 1, 0x03, 0x08, 0, 0\n" /* a unit with children and a name */
        "        .byte 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n" /* a base type */
        "        .byte 0\n"
        "        .popsection\n"
        "        .pushsection .debug_info,\"\",%progbits\n"
        "        .rept 16000\n"
        "        .4byte 2f - 1f\n"
        "1:      .2byte 4\n"
        "        .4byte .Lbig\n"
        "        .byte 4, 1\n"
        "        .asciz \"a unit with many types\"\n"
        "        .rept 10\n"
        "        .ascii \"" HUNDRED "\"\n"
        "        .endr\n"
        "        .byte 0\n"
        "2:\n"
        "        .endr\n"
        "        .popsection\n");

volatile int turns;

int main(void)
{
    for (;;)
        turns++;
}

/*
 * Textures and surfaces in machine code: the registers of operands and components, offsets between
 * texels, and the instructions that are refused. Programs (tests/host/cuda_textures.c) test how
 * coordinates lead to values, in PTX and in machine code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "sm_rig.h"

#include "emulator/sm/texture.h"

#define TEXELS (DATA + 0x400)
#define HEADER (DATA + 0xc00)
#define TEXTURE_HANDLE "0x40c00"

/* 64 texels in rows of 8; component c of texel x of row y is 1000 c + 10 y + x. Each slice of a
 * texture has as many rows as its height. */
static void open_shape(struct rig *r, const char *kernel, unsigned dimensions, unsigned height,
                       unsigned flags)
{
    uint8_t texels[64 * 16], header[SM_TEXTURE_BYTES], handle[4];
    const struct sm_texture t = {.address = TEXELS,
                                 .pitch = 8 * 16,
                                 .slice = height * 8 * 16,
                                 .width = 8,
                                 .height = height,
                                 .depth = 8 / height,
                                 .texel = SM_TEXEL_UNSIGNED,
                                 .bytes = 4,
                                 .channels = 4,
                                 .dimensions = (uint8_t)dimensions,
                                 .flags = (uint8_t)flags,
                                 .mode = {SM_TEXTURE_CLAMP, SM_TEXTURE_CLAMP, SM_TEXTURE_CLAMP}};
    rig_open(r, "", kernel, NULL, 1);
    for (unsigned i = 0; i < 256; i++)
        wt_store_le(texels + 4 * i, 1000 * (i % 4) + 10 * (i / 32) + i / 4 % 8, 4);
    assert_true(sm_device_write(r->d, TEXELS, texels, sizeof texels));
    sm_texture_store(&t, header);
    assert_true(sm_device_write(r->d, HEADER, header, sizeof header));
    wt_store_le(handle, HEADER, 4);
    assert_true(sm_device_write(r->d, BANK + CUBIN_PARAMETERS, handle, sizeof handle));
}

static void open_texture(struct rig *r, const char *kernel)
{
    open_shape(r, kernel, 2, 8, 0);
}

/* R4, R5: texel (2, 3); R6: what TEX has as floats. 0x50 is the texture at c[0x0][0x140]. */
#define BEFORE                                                                                     \
    "MOV32I R4, 0x2\nMOV32I R5, 0x3\nMOV32I R6, 0x40200000\nMOV32I R7, 0x40600000\n"               \
    "MOV32I R8, " TEXTURE_HANDLE "\n"                                                              \
    "MOV32I R20, 0x7\nMOV32I R21, 0x7\nMOV32I R22, 0x7\nMOV32I R23, 0x7\nMOV32I R24, 0x7\n"
#define AFTER "\nMOV32I R2, 0x40000\nMOV R3, RZ\nSTG.E.128 [R2], R20\nSTG.E [R2+0x10], R24\nEXIT\n"

static void test_registers_and_offsets(void **state)
{
    static const struct {
        const char *text;
        uint32_t wanted[5]; /* R20 to R24; 7: not written */
    } cases[] = {
        /* components that the mask names, one behind the other */
        {"TLD.LZ R20, R4, 0x50, 2D, 0xf", {32, 1032, 2032, 3032, 7}},
        {"TLD.LZ R20, R4, 0x50, 2D, 0xa", {1032, 3032, 7, 7, 7}},
        {"TEX R20, R6, 0x50, 2D, 0x4", {2032, 7, 7, 7, 7}},
        {"TEX RZ, R6, 0x50, 2D, 0xf", {7, 7, 7, 7, 7}},
        /* two destinations */
        {"TEXS R23, R20, R6, R7, 0x50, 2D, RGA", {32, 1032, 7, 3032, 7}},
        {"TEXS RZ, R21, R6, R7, 0x50, 2D, BA", {7, 2032, 3032, 7, 7}},
        {"TLDS.LZ R22, R20, R4, R5, 0x50, 2D, RGBA", {32, 1032, 2032, 3032, 7}},
        /* offsets: x + 1, y - 2; beyond the edge the modes hold */
        {"MOV32I R9, 0xe1\nTLD.LZ.AOFFI R20, R4, R9, 0x50, 2D, 0x1", {13, 7, 7, 7, 7}},
        {"MOV32I R9, 0xe1\nTLD.B.LZ.AOFFI R20, R4, R8, 0x0, 2D, 0x1", {13, 7, 7, 7, 7}},
        {"MOV32I R9, 0xe1\nTLDS.LZ.AOFFI RZ, R20, R4, R9, 0x50, 2D, R", {13, 7, 7, 7, 7}},
        {"MOV32I R9, 0x79\nTEX.AOFFI R20, R6, R9, 0x50, 2D, 0x1", {70, 7, 7, 7, 7}},
        {"MOV R9, RZ\nMOV32I R10, 0xe1\nTEX.B.LL.AOFFI R20, R6, R8, 0x0, 2D, 0x1",
         {13, 7, 7, 7, 7}},
        {"MOV32I R8, 0xe10000\nTXD.AOFFI R20, R6, R10, 0x50, 2D, 0x1", {13, 7, 7, 7, 7}},
        /* texels (2, 3) to (3, 4), upper row last */
        {"MOV32I R6, 0x40400000\nMOV32I R7, 0x40800000\nTLD4.G R20, R6, 0x50, 2D, 0xf",
         {1042, 1043, 1033, 1032, 7}},
        {"MOV32I R6, 0x40400000\nMOV32I R7, 0x40800000\nMOV32I R9, 0xfe01\n"
         "TLD4.R.B.AOFFI R20, R6, R8, 0x0, 2D, 0xf",
         {23, 24, 14, 13, 7}},
        {"MOV32I R6, 0x40400000\nMOV32I R7, 0x40800000\nMOV32I R9, 0x101\n"
         "TLD4S.R.AOFFI R22, R20, R6, R9, 0x50",
         {53, 54, 44, 43, 7}},
        /* an offset for each of the four */
        {"MOV32I R6, 0x40400000\nMOV32I R7, 0x40800000\nMOV32I R10, 0xff000001\n"
         "MOV32I R11, 0x200ff\nTLD4.A.PTP R20, R6, R10, 0x50, 2D, 0xf",
         {3033, 3022, 3031, 3034, 7}},
        {"TXQ R20, RZ, TEX_HEADER_DIMENSION, 0x50, 0xb", {8, 8, 1, 7, 7}},
        {"TXQ.B R20, R8, TEX_HEADER_DIMENSION, 0x0, 0x2", {8, 7, 7, 7, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char kernel[1024];
        struct rig r;
        snprintf(kernel, sizeof kernel, BEFORE "%s" AFTER, cases[i].text);
        open_texture(&r, kernel);
        if (run(&r, 1000) != WT_RUN_ENDED)
            fail_msg("%s: %s", cases[i].text, r.m->fault.text);
        for (unsigned n = 0; n < 5; n++)
            if (data(&r, n) != cases[i].wanted[n])
                fail_msg("%s: R%u is %u, not %u", cases[i].text, 20 + n, data(&r, n),
                         cases[i].wanted[n]);
        rig_close(&r);
    }
}

static void test_what_is_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"TEX R20, R6, 0x50, 3D, 0xf", "has 2 dimensions"},
        {"TEX R20, R6, 0x50, ARRAY_2D, 0xf", "has 2 dimensions"},
        {"TEX R20, R6, 0x50, CUBE, 0xf", "no cubes here"},
        {"TEX.LL.DC R20, R6, R10, 0x50, 2D, 0xf", "no depth here"},
        {"TLD.LZ.MS R20, R4, R10, 0x50, 2D, 0xf", "no samples here"},
        {"TLD.B.LZ R20, R4, R5, 0x0, 2D, 0xf", "0x3 is the handle of no texture"},
        {"TXQ.B R20, R5, TEX_HEADER_DIMENSION, 0x0, 0x1", "0x3 is the handle of no texture"},
        {"TEX R20, R6, 0x58, 2D, 0xf", "no constant at c[0x0][0x160]"},
        {"SULD.D.BA.3D R20, [R4], R8", "has 2 dimensions"},
        {"SULD.D.BA.2D R20, [R4], R5", "0x3 is the handle of no texture"},
        {"SUST.D.BA.2D [R4], R20, 0x58", "no constant at c[0x0][0x160]"},
        {"MOV32I R4, 0x7d\nSULD.D.BA.2D.TRAP R20, [R4], R8",
         "byte 125 of row 3: the surface has rows of 128 bytes, 8 of them"},
        {"MOV32I R5, 0x8\nSUST.D.BA.2D.TRAP [R4], R20, R8", "byte 2 of row 8"},
        {"MOV32I R4, 0x8\nSUST.P.2D.TRAP [R4], R20, R8", "byte 128 of row 3"},
        {"SULD.P.1D.TRAP R20, [R4], R8", "has 2 dimensions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char kernel[1024];
        struct rig r;
        snprintf(kernel, sizeof kernel, BEFORE "%s" AFTER, cases[i].text);
        open_texture(&r, kernel);
        if (run(&r, 1000) != WT_RUN_FAULT || !strstr(r.m->fault.text, cases[i].why))
            fail_msg("%s: '%s'", cases[i].text, r.m->fault.text);
        rig_close(&r);
    }
}

/* Lanes that do not execute it keep their registers. */
static void test_a_predicate(void **state)
{
    struct rig r;
    open_texture(&r, BEFORE "S2R R0, SR_LANEID\nISETP.EQ.AND P0, PT, R0, 0x5, PT\n"
                            "@!P0 TLD.LZ R20, R4, 0x50, 2D, 0x1\n"
                            "SHL R2, R0, 0x2\nIADD32I R2, R2, 0x40000\nMOV R3, RZ\n"
                            "STG.E [R2], R20\nEXIT\n");
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(data(&r, i), i == 5 ? 7 : 32);
    rig_close(&r);
}

/* Runs a case between BEFORE and AFTER; R20 to R24 are what is wanted. */
static void check_case(unsigned dimensions, unsigned height, unsigned flags, const char *text,
                       const uint32_t wanted[5])
{
    char kernel[1024];
    struct rig r;
    snprintf(kernel, sizeof kernel, BEFORE "%s" AFTER, text);
    open_shape(&r, kernel, dimensions, height, flags);
    if (run(&r, 1000) != WT_RUN_ENDED)
        fail_msg("%s: %s", text, r.m->fault.text);
    for (unsigned n = 0; n < 5; n++)
        if (data(&r, n) != wanted[n])
            fail_msg("%s: R%u is 0x%x, not 0x%x", text, 20 + n, data(&r, n), wanted[n]);
    rig_close(&r);
}

/* Texel (2, 3) begins at byte 0x20 of row 3. */
static void test_surfaces(void **state)
{
    static const struct {
        const char *text;
        uint32_t wanted[5];
    } cases[] = {
        {"MOV32I R4, 0x20\nSULD.D.BA.2D.TRAP R20, [R4], R8", {32, 7, 7, 7, 7}},
        {"MOV32I R4, 0x28\nSULD.D.BA.2D.64.CG.TRAP R20, [R4], 0x50", {2032, 3032, 7, 7, 7}},
        {"MOV32I R4, 0x20\nSULD.D.BA.2D.128 R20, [R4], 0x50", {32, 1032, 2032, 3032, 7}},
        /* 3032 is 0xbd8 */
        {"MOV32I R4, 0x2c\nSULD.D.BA.2D.U8 R20, [R4], R8", {0xd8, 7, 7, 7, 7}},
        {"MOV32I R4, 0x2c\nSULD.D.BA.2D.S8 R20, [R4], R8", {0xffffffd8, 7, 7, 7, 7}},
        {"MOV32I R4, 0x2c\nSULD.D.BA.2D.U16 R20, [R4], R8", {0xbd8, 7, 7, 7, 7}},
        {"MOV32I R12, 0x8765\nMOV32I R4, 0x2c\nSUST.D.BA.2D [R4], R12, R8\n"
         "SULD.D.BA.2D.S16 R20, [R4], R8",
         {0xffff8765, 7, 7, 7, 7}},
        /* without .BA x counts accesses */
        {"SULD.D.2D.64 R20, [R4], R8", {31, 1031, 7, 7, 7}},
        /* outside */
        {"MOV32I R4, 0x80\nSULD.D.BA.2D.IGN R20, [R4], R8", {0, 7, 7, 7, 7}},
        {"MOV32I R4, 0x80\nSULD.D.BA.2D R20, [R4], R8", {3037, 7, 7, 7, 7}},
        {"MOV32I R4, 0x20\nMOV32I R5, 0x9\nSULD.D.BA.2D R20, [R4], R8", {72, 7, 7, 7, 7}},
        /* stores */
        {"MOV32I R4, 0x20\nSUST.D.BA.2D.64.TRAP [R4], R6, R8\nMOV32I R4, 0x2\n"
         "TLD.LZ R20, R4, 0x50, 2D, 0xf",
         {0x40200000, 0x40600000, 2032, 3032, 7}},
        {"MOV32I R4, 0x20\nMOV32I R12, 0x12345678\nSUST.D.BA.2D.U8.WT [R4], R12, 0x50\n"
         "MOV32I R4, 0x2\nTLD.LZ R20, R4, 0x50, 2D, 0x3",
         {0x78, 1032, 7, 7, 7}},
        {"MOV32I R4, 0x20\nSUST.D.BA.2D.128 [R4], R20, 0x50\nMOV32I R4, 0x2\n"
         "TLD.LZ R20, R4, 0x50, 2D, 0xf",
         {7, 7, 7, 7, 7}},
        {"MOV32I R4, 0x80\nSUST.D.BA.2D.IGN [R4], R20, R8\nMOV32I R4, 0x7\n"
         "TLD.LZ R20, R4, 0x50, 2D, 0x1",
         {37, 7, 7, 7, 7}},
        /* components: x counts texels; those that are named, one register behind the other */
        {"SULD.P.2D.TRAP R20, [R4], R8", {32, 1032, 2032, 3032, 7}},
        {"SULD.P.2D.GA.CV.TRAP R21, [R4], 0x50", {7, 1032, 3032, 7, 7}},
        {"MOV32I R4, 0x8\nSULD.P.2D.IGN R20, [R4], R8", {0, 0, 0, 0, 7}},
        {"MOV32I R4, 0x8\nSULD.P.2D.R R20, [R4], R8", {37, 7, 7, 7, 7}},
        {"SUST.P.2D.RB.TRAP [R4], R6, R8\nSULD.P.2D.TRAP R20, [R4], R8",
         {0x40200000, 0, 0x40600000, 0, 7}},
        {"SUST.P.2D.WT.TRAP [R4], R20, 0x50\nSULD.P.2D.TRAP R20, [R4], R8", {7, 7, 7, 7, 7}},
    };
    static const struct {
        const char *name;
        unsigned dimensions, height, flags;
        uint32_t r5, r6, wanted;
    } shapes[] = {
        {"1D", 1, 8, 0, 0, 0, 2},
        {"BUFFER", 1, 8, 0, 0, 0, 2},
        {"1D_ARRAY", 1, 1, SM_TEXTURE_LAYERED, 3, 0, 32},
        {"2D_ARRAY", 2, 2, SM_TEXTURE_LAYERED, 1, 1, 32},
        {"3D", 3, 2, 0, 1, 1, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(2, 8, 0, cases[i].text, cases[i].wanted);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "MOV32I R4, 0x20\nMOV32I R5, 0x%x\nMOV32I R6, 0x%x\n"
                 "SULD.D.BA.%s.TRAP R20, [R4], R8",
                 shapes[i].r5, shapes[i].r6, shapes[i].name);
        check_case(shapes[i].dimensions, shapes[i].height, shapes[i].flags, text,
                   (uint32_t[]){shapes[i].wanted, 7, 7, 7, 7});
    }
}

/* Texels of each format from components of 32 bits and back. */
static void test_formats(void **state)
{
    static const struct {
        enum sm_texel texel;
        uint8_t bytes, channels;
        uint32_t from[4];
        const char *stored; /* bytes of the texel */
        uint32_t back[4];
    } cases[] = {
        {SM_TEXEL_UNSIGNED,
         1,
         4,
         {1, 255, 256, 0xffffffff},
         "\x01\xff\xff\xff",
         {1, 255, 255, 255}},
        {SM_TEXEL_SIGNED, 1, 2, {-1, 200, 5, 5}, "\xff\x7f", {-1, 127, 0, 1}},
        {SM_TEXEL_SIGNED, 2, 1, {-40000, 0, 0, 0}, "\x00\x80", {-32768, 0, 0, 1}},
        {SM_TEXEL_UNSIGNED, 2, 1, {65536, 0, 0, 0}, "\xff\xff", {65535, 0, 0, 1}},
        {SM_TEXEL_SIGNED, 4, 1, {0x80000000, 0, 0, 0}, "\x00\x00\x00\x80", {0x80000000, 0, 0, 1}},
        {SM_TEXEL_FLOAT,
         2,
         2,
         {0x3f800000, 0xc0000000, 0, 0},
         "\x00\x3c\x00\xc0",
         {0x3f800000, 0xc0000000, 0, 0x3f800000}},
        {SM_TEXEL_FLOAT,
         4,
         1,
         {0x7fc12345, 0, 0, 0},
         "\x45\x23\xc1\x7f",
         {0x7fc12345, 0, 0, 0x3f800000}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sm_texture t = {.texel = (uint8_t)cases[i].texel,
                                     .bytes = cases[i].bytes,
                                     .channels = cases[i].channels};
        uint8_t bytes[16];
        uint32_t back[4];
        sm_texture_pack(&t, cases[i].from, bytes);
        assert_memory_equal(bytes, cases[i].stored, (size_t)cases[i].bytes * cases[i].channels);
        sm_texture_unpack(&t, bytes, back);
        assert_memory_equal(back, cases[i].back, sizeof back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_and_offsets),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_a_predicate),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The instruction table of sm_50: words, text, both directions; control words; whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/sass/assembler.h"
#include "emulator/sm/sass/isa.h"

/* Words and texts as NVIDIA's own tools pair them, seen in public listings. */
static const struct {
    uint64_t pc, word;
    const char *text;
} labelled[] = {
    {0x8, 0x4c98078000870001, "MOV R1, c[0x0][0x20]"},
    {0x8, 0xf0c8000002570000, "S2R R0, SR_CTAID.X"},
    {0x8, 0xf0a81b8000070000, "BAR.SYNC 0x0"},
    {0x8, 0xf0a8180200070000, "BAR.RED.POPC 0x0, P0"},
    {0x8, 0xf0b8e0010007ff00, "B2R.RESULT R0"},
    {0x8, 0x50d9e08000070000, "VOTE.ANY R0, PT, P1"},
    {0x8, 0x50d8e38000070002, "VOTE.ALL R2, PT, PT"},
    {0x8, 0xef17007c31f7080c, "SHFL.IDX PT, R12, R8, 0x1f, 0x1f"},
    {0x8, 0xed01000000b70606, "ATOM.E.ADD R6, [R6], R11"},
    {0x8, 0xeef1000000a7040b, "ATOM.E.CAS R11, [R4], R10, R11"},
    {0x8, 0xef98000000070101, "MEMBAR.GL.IVALLD"},
    {0x8, 0xf0f0000034170000, "DEPBAR.LE SB5, 0x1"},
    {0x30, 0xe290000093800000, "SSY 0x970"},
    {0x8, 0xf0f800000007000f, "SYNC"},
    {0x8, 0xe34000000007000f, "BRK"},
    {0x8, 0xe30000000007000f, "EXIT"},
    {0x8, 0xe370000000000000, "SAM"},
    {0x8, 0xe380000000000000, "RAM"},
    {0x8, 0xe3a00000001000c0, "BPT.TRAP 0x1"},
    {0x8, 0xe2500fffc007000f, "BRX R0 -0x400"},
    {0x8, 0x5c10800000e7050c, "IADD R12.CC, R5, R14"},
    {0x8, 0x4c10880c0007ff10, "IADD.X R16.CC, RZ, c[0x3][0x0]"},
    {0x8, 0x5b30011800370000, "XMAD.PSL.CBCC R0, R0.H1, R3.H1, R2"},
    {0x8, 0x4f107f8000270003, "XMAD.MRG R3, R0, c[0x0][0x8].H1, RZ"},
    {0x8, 0x328801437c070400, "FFMA.RM R0, R4, 252, R2"},
    {0x8, 0x3671173fe0071414, "DFMA R20, R20, 0.5.NEG, R46"},
    {0x8, 0x5c6247800097070a, "FMNMX R10, |R7|, |R9|, !PT"},
    {0x8, 0x04100000003707ff, "LOP32I.AND RZ.CC, R7, 0x3"},
    {0x8, 0x5cb8040002c7263a, "I2F.F32.S16 R58, R44.H1"},
    {0x8, 0xef4e1ffff8070210, "LDS.U.128 R16, [R2+-0x80]"},
    {0x8, 0xec8002804ff7ffff, "ATOMS.EXCH RZ, [0x2804], RZ"},
    {0x8, 0xc038052fcff71414, "TEX.NDV R20, R20, 0x52, 3D, 0xf"},
    {0x8, 0xdebc0067a4470210, "TEX.B.LL.DC R16, R2, R68, 0x0, 2D, 0xf"},
    {0x8, 0xd8b0050181e70224, "TEXS.LL.DC R24, R36, R2, R30, 0x50, 2D, RGBA"},
    {0x8, 0xd8e0056ff0870202, "TEXS RZ, R2, R2, R8, 0x56, ARRAY_2D, R"},
    {0x8, 0xdc38050f83272e14, "TLD.LZ.AOFFI R20, R46, R50, 0x50, 1D, 0xf"},
    {0x8, 0xda9005402357362a, "TLDS.LZ.AOFFI R2, R42, R54, R53, 0x54, 2D, RGBA"},
    {0x8, 0xdef800d7a2e70404, "TLD4.A.B.AOFFI R4, R4, R46, 0x0, 2D, 0xf"},
    {0x8, 0xdf38054242f73832, "TLD4S.A.AOFFI R36, R50, R56, R47, 0x54"},
    {0x8, 0xde780007a2071010, "TXD.B R16, R16, R32, 0x0, 2D, 0xf"},
    {0x8, 0xdf48052100471313, "TXQ R19, R19, TEX_HEADER_DIMENSION, 0x52, 0x2"},
    {0x8, 0x2044044040470308, "VADD.U16.U16.MRG_16H R8, R3, R4, R8"},
    {0x8, 0x3a6f036065075316, "VMNMX.MIN R22, R83, R80, R6"},
    {0x8, 0x3b3403e062472627, "VMNMX.UD.U32.U32.MX.MAX R39, R38, R36, R7"},
    {0x8, 0x3b6b0f600017091e, "VMNMX.MX.MIN R30, R9, 0x1, R30"},
    {0x8, 0x56200c6000571820, "VSHR.UD.U32.U16.ACC R32, R24, 0x5, R24"},
    {0x8, 0x50387fb441270812, "VABSDIFF4.U8.U8.ACC R18, R8, R18, RZ"},
    {0x8, 0xeb32000400a70a30, "SUST.D.BA.1D_ARRAY.U16 [R10], R48, R0"},
    {0x8, 0xeb1a050800a70821, "SULD.D.BA.2D_ARRAY.U16 R33, [R8], 0x50"},
    {0x8, 0xeb24000400370c06, "SUST.P.1D_ARRAY.RG.TRAP [R12], R6, R0"},
    {0x8, 0xeb2c050400f70804, "SUST.P.1D_ARRAY.TRAP [R8], R4, 0x50"},
    {0x8, 0x50f8004cc1c71d1c, "FSWZADD.NDV R28, R29, R28, ZPPPZPPP"},
    {0x8, 0x50f8004f01c7261c, "FSWZADD.NDV R28, R38, R28, ZPZPPPPP"},
};

static void test_labelled_words(void **state)
{
    for (size_t i = 0; i < sizeof labelled / sizeof labelled[0]; i++) {
        char text[200];
        uint64_t word = 0;
        unsigned reuse;
        size_t column;
        struct wt_error err;
        sm_disassemble(labelled[i].word, labelled[i].pc, 0, text, sizeof text);
        assert_string_equal(text, labelled[i].text);
        if (sm_assemble(labelled[i].text, labelled[i].pc, NULL, NULL, &word, &reuse, &column, &err))
            fail_msg("%s: %zu: %s", labelled[i].text, column, err.text);
        assert_int_equal(word, labelled[i].word);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Each form of each row, with random operands: its text assembles to a word of the same text. */
static void test_every_form_in_both_directions(void **state)
{
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < SM_INSNS; i++) {
        for (unsigned f = 0; f < SM_FORMS; f++) {
            const struct sm_row *row = &sm_rows[i];
            unsigned done = 0;
            const uint64_t mask = f == SM_FORM_I ? row->mask & ~(UINT64_C(1) << 56) : row->mask;
            if (!row->word[f])
                continue;
            for (unsigned n = 0; n < 400; n++) {
                uint64_t word = (row->word[f] & mask) | (next_random(&seed) & ~mask), again = 0;
                const uint64_t pc = 0x1000008;
                char text[200], second[200];
                unsigned reuse;
                size_t column;
                struct wt_error err;
                enum sm_insn insn;
                enum sm_form form;
                if (!sm_decode(word, &insn, &form) || insn != i || form != f ||
                    !sm_fields_legal(word, insn))
                    continue;
                sm_disassemble(word, pc, 0, text, sizeof text);
                if (sm_assemble(text, pc, NULL, NULL, &again, &reuse, &column, &err) != WT_OK)
                    fail_msg("%016llx '%s': %zu: %s", (unsigned long long)word, text, column,
                             err.text);
                assert_true(sm_decode(again, &insn, &form) && insn == i && form == f);
                sm_disassemble(again, pc, 0, second, sizeof second);
                assert_string_equal(second, text);
                done++;
            }
            if (!done)
                fail_msg("row %u form %u was never tried", i, f);
        }
    }
}

static void test_mistakes_have_a_place(void **state)
{
    static const struct {
        const char *text;
        size_t column;
        const char *why;
    } cases[] = {
        {"IADDX R0, R1, R2", 0, "no instruction 'IADDX'"},
        {"IADD R0, R1, R300", 13, "register"},
        {"IADD R0, R1, 0x80000", 13, "20 bits"},
        {"FADD R0, R1, 1.1", 13, "20 bits"},
        {"IADD.FOO R0, R1, R2", 4, "modifier"},
        {"IADD R0, R1", 11, "operand"},
        {"IADD R0, R1, R2, R3", 15, "belong"},
        {"@P9 EXIT", 1, "predicate"},
        {"@P0 BPT.PAUSE", 4, "no predicate"},
        {"S2R R0, SR_FOO", 10, "special register"},
        {"BRA nowhere", 4, "no label 'nowhere'"},
        {"MOV R0, c[0x0][0x141]", 8, "multiple of 4"},
        {"ISETP.AND P0, PT, R0, R1, PT", 5, "modifier is missing"},
        {"TEX.T R0, R4.reuse, 0x50, 2D, 0xf", 12, "cannot be kept"},
        {"TEXS.LZ.DC R0, R2, R4, R6, 0x50, 3D, R", 33, "no such shape"},
        {"TEXS R0, R2, R4, R6, 0x50, 2D, RG", 31, "RGB|RGA"},
        {"VADD.U8.U8 R0, R4.H1, R6, R8", 17, "does not belong"},
        {"VADD.S8.S32 R0, R4, 0x5, R8", 20, "16 bits: .U16 or .S16"},
        {"VADD R0, R4, 0x8000, R8", 13, "16 bits with a sign"},
        {"VSHL R0, R4, R6, R8", 4, "a type is missing"},
        {"FSWZADD R0, R4, R6, PPNPZZPN", 24, "four of PP, NP, PN, ZP"},
        {"JCAL R4", 5, "a target, or constant memory"},
        {"SUATOM.D.2D.ADD R0, [R2], R4, R6", 0, "SUATOM is not in the table: atomics on surfaces"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t word;
        unsigned reuse;
        size_t column = 99;
        struct wt_error err;
        if (sm_assemble(cases[i].text, 8, NULL, NULL, &word, &reuse, &column, &err) == WT_OK ||
            !strstr(err.text, cases[i].why) || column != cases[i].column)
            fail_msg("%s: %zu: %s", cases[i].text, column, err.text);
    }
}

/* Instructions that are refused by name: none is in the table, and its text can be assembled. */
static void test_refused_words(void **state)
{
    static const struct {
        const char *name;
        uint64_t mask, word;
    } refused[] = {
#define R(name, mask, word, why) {#name, mask, word},
#include "emulator/sm/sass/refused.def"
#undef R
    };
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_true((refused[i].word & ~refused[i].mask) == 0);
        for (unsigned n = 0; n < 100; n++) {
            const uint64_t word = refused[i].word | (next_random(&seed) & ~refused[i].mask);
            char text[200], wanted[60];
            enum sm_insn insn;
            enum sm_form form;
            /* Forms of the same instruction that are there. */
            if (sm_decode(word, &insn, &form)) {
                char name[40];
                sm_mnemonic(insn, name, sizeof name);
                if (strncmp(name, refused[i].name, strlen(refused[i].name)) != 0)
                    fail_msg("0x%llx is %s and %s", (unsigned long long)word, name,
                             refused[i].name);
                continue;
            }
            snprintf(wanted, sizeof wanted, ".quad 0x%016llx /* %s */", (unsigned long long)word,
                     refused[i].name);
            sm_disassemble(word, 8, 0, text, sizeof text);
            assert_string_equal(text, wanted);
        }
        assert_non_null(sm_refused_name(refused[i].name, strlen(refused[i].name)));
    }
    assert_null(sm_refused_word(UINT64_C(0x5fffffffffffffff)));
    assert_null(sm_refused_name("IADD", 4));
}

/* .T and .P of a texture instruction are bits of the control word. */
static void test_phases(void **state)
{
    static const char *const texts[] = {"TLD.LZ.T R0, R4, 0x50, 1D, 0xf",
                                        "TEXS.P RZ, R0, R4, R5, 0x50, 2D, R"};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t word;
        unsigned reuse;
        size_t column;
        struct wt_error err;
        char text[200];
        assert_int_equal(sm_assemble(texts[i], 8, NULL, NULL, &word, &reuse, &column, &err), WT_OK);
        assert_int_equal(reuse, 1 + i);
        sm_disassemble(word, 8, reuse, text, sizeof text);
        assert_string_equal(text, texts[i]);
    }
}

static void test_control_words(void **state)
{
    struct sm_control c = {
        .stall = 5, .write_barrier = 1, .read_barrier = 7, .wait = 3, .reuse = 2, .yield = true};
    uint64_t word = 0x001f8000fc0007e0; /* what stands there when nothing is said */
    char text[40];
    for (unsigned i = 0; i < 3; i++) {
        const struct sm_control none = sm_control_get(word, i);
        assert_int_equal(none.stall, 0);
        assert_int_equal(none.write_barrier, 7);
        assert_int_equal(none.read_barrier, 7);
        assert_int_equal(none.wait, 0);
    }
    word = sm_control_set(word, 1, c);
    sm_control_text(sm_control_get(word, 1), text, sizeof text);
    assert_string_equal(text, "[B01----:R-:W1:-:S05]");
    assert_int_equal(sm_control_get(word, 1).reuse, 2);
    assert_int_equal(sm_control_get(word, 0).write_barrier, 7);
    assert_int_equal(sm_control_get(word, 2).write_barrier, 7);
}

/* "{#ImmU20} {&req_6} {?sched>=?WAIT5}": an immediate, a mask of six barriers, a stall of 5 at
 * least, which is the default. */
static void test_the_operands_of_bpt(void **state)
{
    static const char *const modes[] = {"DRAIN_ILLEGAL", "CAL",   "PAUSE",      "TRAP",
                                        "INT",           "DRAIN", "PAUSE_QUIET"};
    static const struct {
        const char *control, *immediate;
        uint64_t number;
        unsigned wait, stall; /* 0: refused */
    } cases[] = {{"[B012345:R-:W-:-:S05] ", " 0xfffff", 0xfffff, 0x3f, 5},
                 {"[B--2--5:R-:W-:-:S15] ", " 0x7", 7, 0x24, 15},
                 {"", " 0x0", 0, 1, 5},
                 {"[B------:R-:W-:-:S04] ", " 0x1", 0, 0, 0},
                 {"[B------:R-:W-:-:S00] ", " 0x1", 0, 0, 0},
                 {"", " 0x100000", 0, 0, 0}};
    for (unsigned mode = 0; mode < sizeof modes / sizeof modes[0]; mode++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char text[100];
            struct cubin cubin;
            struct wt_error err;
            uint64_t word[2];
            snprintf(text, sizeof text, ".kernel k\n%sBPT.%s%s;\n", cases[i].control, modes[mode],
                     cases[i].immediate);
            const enum wt_status status = sm_assemble_file("x", text, &cubin, &err);
            assert_int_equal(status, cases[i].stall ? WT_OK : WT_INVALID);
            if (status)
                continue;
            memcpy(word, cubin.code + cubin.function[0].code, sizeof word);
            const struct sm_control c = sm_control_get(word[0], 0);
            assert_int_equal(word[1],
                             0xe3a0000000000000 | (uint64_t)mode << 6 | cases[i].number << 20);
            assert_int_equal(c.stall, cases[i].stall);
            assert_int_equal(c.wait, cases[i].wait);
            cubin_free(&cubin);
        }
}

static const char source[] = "// adds vectors\n"
                             ".kernel vadd\n"
                             ".param 8 out\n"
                             ".param 4 n\n"
                             ".param 8 in\n"
                             ".reg 12\n"
                             ".shared 0x100\n"
                             ".const 2,0 0x3f800000, 0x40000000\n"
                             "    S2R R0, SR_TID.X;\n"
                             "    ISETP.GE.AND P0, PT, R0, c[0x0][n], PT;\n"
                             "    @P0 BRA done;   /* nothing to do */\n"
                             "[B0-----:R-:W-:Y:S03] MOV R2, c[0x0][in];\n"
                             "    IADD R3, R2.reuse, c[0x2][0x4];\n"
                             "done:\n"
                             "    EXIT;\n"
                             ".handler trap\n"
                             "    BPT.DRAIN;\n"
                             "    RTT;\n";

static void test_files(void **state)
{
    struct cubin cubin, read, again;
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    char text[200], *listing = NULL;
    assert_int_equal(sm_assemble_file("a.sass", source, &cubin, &err), WT_OK);
    assert_int_equal(cubin_write(&cubin, &bytes, &length, &err), WT_OK);
    if (cubin_parse("a.cubin", bytes, length, &read, &err) != WT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(read.sm, 50);
    assert_int_equal(read.function_count, 2);
    const struct cubin_function *f = cubin_find(&read, "vadd");
    assert_non_null(f);
    assert_true(f->is_kernel);
    assert_false(cubin_find(&read, "trap")->is_kernel);
    assert_int_equal(f->registers, 12);
    assert_int_equal(f->shared, 0x100);
    assert_int_equal(f->parameter_count, 3);
    assert_int_equal(f->parameter[1].offset, 8);
    assert_int_equal(f->parameter[1].size, 4);
    assert_int_equal(f->parameter[2].offset, 16);
    assert_int_equal(f->parameter_bytes, 24);
    assert_int_equal(f->bank_size[2], 8);
    assert_int_equal(f->size, 64); /* two bundles */
    uint64_t word;
    memcpy(&word, read.code + f->code + 0x18, 8);
    sm_disassemble(word, 0x18, 0, text, sizeof text);
    assert_string_equal(text, "@P0 BRA 0x38");
    memcpy(&word, read.code + f->code + 0x28, 8);
    sm_disassemble(word, 0x28, 0, text, sizeof text);
    assert_string_equal(text, "MOV R2, c[0x0][0x150]");
    FILE *out = open_memstream(&listing, &length);
    sm_disassemble_file(&read, out);
    fclose(out);
    if (sm_assemble_file("b.sass", listing, &again, &err) != WT_OK)
        fail_msg("%s\n%s", err.text, listing);
    assert_int_equal(again.code_size, read.code_size);
    assert_memory_equal(again.code, read.code, read.code_size);
    assert_int_equal(again.function[0].bank_size[2], 8);
    free(listing);
    free(bytes);
    cubin_free(&cubin);
    cubin_free(&read);
    cubin_free(&again);
}

static void test_several_instructions_on_a_line(void **state)
{
    struct cubin lines, line;
    struct wt_error err;
    assert_int_equal(sm_assemble_file("x",
                                      ".kernel k\nmore:\n NOP;\n@P0 BRA more;\n"
                                      "[B------:R-:W-:-:S05] BPT.DRAIN;\nEXIT;\n",
                                      &lines, &err),
                     WT_OK);
    assert_int_equal(sm_assemble_file("x",
                                      ".kernel k\nmore: NOP; @P0 BRA more; "
                                      "[B------:R-:W-:-:S05] BPT.DRAIN; EXIT // the end; no more\n",
                                      &line, &err),
                     WT_OK);
    assert_int_equal(line.code_size, lines.code_size);
    assert_memory_equal(line.code, lines.code, lines.code_size);
    cubin_free(&lines);
    cubin_free(&line);
}

static void test_mistakes_in_files(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"EXIT;\n", "x:1:1: a file begins with"},
        {".kernel k\n", "no instructions"},
        {".kernel k\n\n  FOO;\n", "x:3:3: there is no instruction 'FOO'"},
        {".kernel k\nNOP; BPT.FOO; NOP;\n", "x:2:6: there is no instruction 'BPT.FOO'"},
        {".kernel k\nNOP; [B------:R-:W-:-:S01] BPT.DRAIN;\n",
         "x:2:6: BPT needs a stall of 5 or more"},
        {".kernel k\nEXIT;\n.kernel k\nEXIT;\n", "x:3:9: there is a function of this name"},
        {".kernel k\na:\na:\nEXIT;\n", "x:3:1: this name is defined already"},
        {".kernel k\n.regs 4\nEXIT;\n", "x:2:1: there is no such directive"},
        {".kernel k\n.reg 256\nEXIT;\n", "x:2:6: a number up to 255"},
        {".kernel k\n[B------:R-:W-:-:S04] BPT.DRAIN;\n", "stall of 5"},
        {".kernel k\n[B------:R-:W-:-:S16] EXIT;\n", "stall 0 to 15"},
        {".kernel k\nEXIT; /* no end\n", "comment does not end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cubin cubin;
        struct wt_error err;
        if (sm_assemble_file("x", cases[i].text, &cubin, &err) != WT_INVALID ||
            !strstr(err.text, cases[i].why))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labelled_words),
        cmocka_unit_test(test_every_form_in_both_directions),
        cmocka_unit_test(test_mistakes_have_a_place),
        cmocka_unit_test(test_refused_words),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_control_words),
        cmocka_unit_test(test_the_operands_of_bpt),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_several_instructions_on_a_line),
        cmocka_unit_test(test_mistakes_in_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

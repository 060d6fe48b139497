/* Builds random instructions of each row of Gen9's table and random states of a thread, executes an
 * instruction, and gives the state after it. */
#ifndef TESTS_GEN_WORDS_H
#define TESTS_GEN_WORDS_H

#include "emulator/gen/internal.h"
#include "emulator/gen/message.h"
#include "emulator/gen/operands.h"

#define CODE UINT64_C(0x100000000)
#define STATES UINT64_C(0x180000000)
#define DATA UINT64_C(0x10000000)
enum {
    ACC_BYTES = GEN_ACCS * GEN_GRF_BYTES,
    HIGH_BYTES = 2 * GEN_GRF_BYTES,
    A_BYTES = GEN_GRF_BYTES,
    F_BYTES = 8,
    AREA = 4096,
    SLM = 1024,
    BYTES = GEN_REGISTER_FILE + ACC_BYTES + HIGH_BYTES + A_BYTES + F_BYTES,
    AT_ACC = GEN_REGISTER_FILE,
    AT_HIGH = AT_ACC + ACC_BYTES,
    AT_A = AT_HIGH + HIGH_BYTES,
    AT_F = AT_A + A_BYTES
};

struct state {
    uint8_t b[BYTES]; /* registers of all files */
    uint8_t memory[AREA], slm[SLM];
    uint32_t mask;
    uint64_t pc;
    uint32_t wake[GEN_CHANNELS]; /* of channels that wait */
    bool fault;
};

static uint64_t seed;

static uint64_t any(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * UINT64_C(0x2545f4914f6cdd1d) >> 11) % below;
}

static uint32_t number(void)
{
    static const uint32_t odd[] = {0,          1,          0x80000000, 0xffffffff, 0x3f800000,
                                   0x7fc00000, 0x7f800000, 0x40490fdb, 0x00010001, 5};
    return any(3) ? (uint32_t)any(UINT64_C(1) << 32) : odd[any(sizeof odd / sizeof *odd)];
}

/* ---- words ---- */

#define ONE_OF(...) ((const uint8_t[]){__VA_ARGS__})[any(sizeof((const uint8_t[]){__VA_ARGS__}))]

/* Regions of few registers, so that they meet; a kind of types: whole numbers, reals, wide. */
static void set_sources(struct gen_word *w, unsigned count, unsigned kind)
{
    const uint64_t real = kind == 1 ? 7 : 6;
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = i ? 96 : 64, type = i ? 91 : 43, file = i ? 89 : 41;
        const bool immediate = i + 1 == count && kind != 2 && !any(5);
        gen_set_field(w, file + 1, file, immediate ? 3 : any(12) ? 1 : 0);
        gen_set_field(w, type + 3, type,
                      kind == 3   ? ONE_OF(0, 1, 8, 9)
                      : kind      ? real
                      : immediate ? ONE_OF(0, 1, 2, 3)
                                  : ONE_OF(0, 1, 0, 1, 2, 3, 4, 5));
        if (immediate)
            continue;
        gen_set_field(w, at + 15, at + 15, !any(10));
        gen_set_field(w, at + 14, at + 13, any(4));
        if (!gen_field(w, at + 15, at + 15)) {
            gen_set_field(w, at + 12, at + 5, any(24));
            gen_set_field(w, at + 4, at, any(2) ? 0 : any(4) * 8);
            if (!gen_field(w, file + 1, file)) /* acc0, a0, f0 */
                gen_set_field(w, at + 12, at + 4, ONE_OF(0x20, 0x10, 0x30) << 1);
        }
        gen_set_field(w, at + 24, at + 21, ONE_OF(0, 1, 2, 3, 4, 5));
        gen_set_field(w, at + 20, at + 18, ONE_OF(0, 1, 2, 3, 4));
        gen_set_field(w, at + 17, at + 16, ONE_OF(0, 1, 1, 2));
    }
    if (count == 2 && gen_field(w, 42, 41) == 3)
        gen_set_field(w, 42, 41, 1);
}

static void set_destination(struct gen_word *w, unsigned kind)
{
    gen_set_field(w, 36, 35, any(10) ? 1 : 0);
    gen_set_field(w, 40, 37,
                  kind == 1   ? 7
                  : kind == 2 ? 6
                  : kind == 3 ? ONE_OF(0, 1, 8, 9)
                              : ONE_OF(0, 1, 0, 1, 2, 3, 4, 5));
    gen_set_field(w, 63, 63, !any(10));
    gen_set_field(w, 62, 61, ONE_OF(1, 1, 2));
    if (gen_field(w, 63, 63))
        return;
    gen_set_field(w, 60, 53, any(24));
    gen_set_field(w, 52, 48, any(2) ? 0 : any(4) * 8);
    if (!gen_field(w, 36, 35)) {
        gen_set_field(w, 60, 53, ONE_OF(0, 0x20));
        gen_set_field(w, 52, 48, 0);
    }
}

static uint32_t descriptor_of(unsigned type, unsigned bits, unsigned sent, unsigned back,
                              bool header, unsigned bti)
{
    return sent << 25 | back << 20 | (uint32_t)header << 19 | type << 14 | bits << 8 | bti;
}

/* Messages of each shape: shared function, type, what its bits 13:8 may be, whether addresses are
 * of 64 bits, whether it has a header. */
static const struct {
    uint8_t sfid, type, bits[6], count;
    bool header;
} messages[] = {
    {GEN_SFID_DC1, 0x01, {0x2e, 0x2c, 0x20, 0x1e, 0x1a}, 5, false},
    {GEN_SFID_DC1, 0x09, {0x2e, 0x2c, 0x20, 0x1e, 0x1a}, 5, false},
    {GEN_SFID_DC1, 0x11, {0x2e, 0x2c, 0x20}, 3, false},
    {GEN_SFID_DC1, 0x19, {0x2e, 0x2c, 0x20}, 3, false},
    {GEN_SFID_DC1, 0x10, {0x00, 0x04, 0x08, 0x01, 0x05, 0x02}, 6, false},
    {GEN_SFID_DC1, 0x1a, {0x00, 0x04, 0x08, 0x01, 0x05, 0x02}, 6, false},
    {GEN_SFID_DC1, 0x02, {0x37, 0x17, 0x35, 0x3e, 0x36, 0x0e}, 6, false},
    {GEN_SFID_DC1, 0x12, {0x27, 0x37, 0x3e, 0x25, 0x07}, 5, false},
    {GEN_SFID_DC1, 0x1b, {0x31, 0x33, 0x13}, 3, false},
    {GEN_SFID_DC1, 0x14, {0x00, 0x01, 0x02, 0x19, 0x1a}, 5, true},
    {GEN_SFID_DC1, 0x15, {0x00, 0x02, 0x19}, 3, true},
    {GEN_SFID_DC1, 0x05, {0x10, 0x20, 0x1c, 0x2e}, 4, false},
    {GEN_SFID_DC1, 0x0d, {0x10, 0x20}, 2, false},
    {GEN_SFID_DC1, 0x06, {0x27, 0x37, 0x2e, 0x07}, 4, false},
    {GEN_SFID_DC0, 0x04, {0x00, 0x04, 0x08, 0x01, 0x05}, 5, false},
    {GEN_SFID_DC0, 0x0c, {0x00, 0x04, 0x08, 0x01, 0x05}, 5, false},
    {GEN_SFID_DC0, 0x03, {0x02, 0x03}, 2, false},
    {GEN_SFID_DC0, 0x0b, {0x02, 0x03}, 2, false},
    {GEN_SFID_DC0, 0x00, {0x00, 0x01, 0x02, 0x03}, 4, true},
    {GEN_SFID_DC0, 0x08, {0x00, 0x02, 0x03}, 3, true},
    {GEN_SFID_SAMPLER, 0, {0}, 1, false},
};
static unsigned message; /* the one that is tried */

static void set_message(struct gen_word *w, bool split)
{
    const unsigned sfid = messages[message].sfid, type = messages[message].type,
                   bits = messages[message].bits[any(messages[message].count)];
    const bool header = messages[message].header,
               texels = sfid == GEN_SFID_DC1 && (type == 5 || type == 6 || type == 13);
    uint32_t desc = descriptor_of(type, bits, 0, 0, header, any(2) ? 0xfe : 0);
    struct gen_message_shape s;
    if (sfid == GEN_SFID_SAMPLER) /* ld_lz, of 8 lanes */
        desc = 26u << 12 | 1u << 17 | 1;
    if (texels)
        desc = (desc & ~0xffu) | (type == 6 ? 2 : 1);
    const enum gen_message_form form = gen_message_shape(sfid, desc, &s);
    const unsigned block = s.lanes * s.slot < 32 ? 32 : s.lanes * s.slot;
    unsigned first = 1, data = 0, back = 0;
    if (form == GEN_MESSAGE_SCATTERED) {
        first = (s.lanes * (s.wide_addresses ? 8 : 4) + 31) / 32;
        data = s.sources * block / 32;
        back = s.loads ? s.elements * block / 32 : 0;
    } else if (form == GEN_MESSAGE_TEXELS) {
        first = 2;
        data = s.sources;
        back = s.loads ? s.elements : 0;
    } else {
        data = s.loads ? 0 : (s.within + s.block + 31) / 32;
        back = s.loads ? (s.within + s.block + 31) / 32 : 0;
    }
    desc |= (split ? first : first + data) << 25 | back << 20;
    gen_set_field(w, 27, 24, sfid);
    gen_set_field(w, 63, 63, 0);
    gen_set_field(w, 60, 53, 64 + any(16));
    if (!split) {
        gen_set_field(w, 36, 35, back ? 1 : 0);
        if (!back)
            gen_set_field(w, 60, 48, 0);
        gen_set_field(w, 42, 41, 1);
        gen_set_field(w, 79, 79, 0);
        gen_set_field(w, 76, 69, 100 - any(16));
        gen_set_field(w, 90, 89, 3);
        gen_set_field(w, 126, 96, desc);
        gen_set_field(w, 127, 127, 0);
        return;
    }
    gen_set_field(w, 35, 35, back ? 1 : 0);
    if (!back)
        gen_set_field(w, 60, 48, 0);
    gen_set_field(w, 76, 69, 100 - any(8));
    gen_set_field(w, 79, 78, 0);
    gen_set_field(w, 77, 77, 0);
    gen_set_field(w, 61, 61, 0);
    gen_set_field(w, 36, 36, 1);
    gen_set_field(w, 51, 44, 110 + any(4));
    gen_set_field(w, 67, 64, data);
    gen_set_field(w, 95, 80, 0);
    gen_set_field(w, 126, 96, desc);
    gen_set_field(w, 127, 127, 0);
}

static struct gen_word word_of(const struct gen_row *row)
{
    struct gen_word w = {any(UINT64_MAX), any(UINT64_MAX)};
    const bool align16 = row->format == GEN_FORMAT_THREE ||
                         (!any(5) && row->format <= GEN_FORMAT_TWO && row != &gen_rows[GEN_LINE] &&
                          row != &gen_rows[GEN_PLN]);
    const bool integers = row == &gen_rows[GEN_ADDC] || row == &gen_rows[GEN_SUBB] ||
                          row == &gen_rows[GEN_MACH] || row->name[0] == 'b' ||
                          !strncmp(row->name, "fb", 2);
    unsigned kind = (unsigned)any(4);
    gen_set_field(&w, 6, 0, row->opcode);
    gen_set_field(&w, 8, 8, align16);
    gen_set_field(&w, 13, 11, any(3) ? 0 : any(4));
    gen_set_field(&w, 19, 16, any(2) ? 0 : any(3) ? 1 : any(10));
    gen_set_field(&w, 23, 21, 2 + any(3));
    gen_set_field(&w, 27, 24, any(3) ? 0 : any(9));
    gen_set_field(&w, 28, 28, !any(4));
    gen_set_field(&w, 30, 29, 0);
    gen_set_field(&w, 31, 31, !any(6));
    gen_set_field(&w, 34, 34, !any(4));
    if (row->format == GEN_FORMAT_MATH)
        gen_set_field(&w, 27, 24, 1 + any(15));
    if (row == &gen_rows[GEN_CMP] || row == &gen_rows[GEN_CMPN] || row == &gen_rows[GEN_CSEL])
        gen_set_field(&w, 27, 24, 1 + any(6));
    if (row == &gen_rows[GEN_SEL] && any(2)) {
        gen_set_field(&w, 27, 24, 1 + any(6));
        gen_set_field(&w, 19, 16, 0);
    }
    if (integers)
        kind = 0;
    if (row == &gen_rows[GEN_LINE] || row == &gen_rows[GEN_PLN] || row == &gen_rows[GEN_LRP] ||
        strncmp(row->name, "dp", 2) == 0)
        kind = 1;
    switch ((enum gen_format)row->format) {
    case GEN_FORMAT_THREE:
        gen_set_field(&w, 48, 43,
                      row == &gen_rows[GEN_BFE] || row == &gen_rows[GEN_BFI2] ? 1 << 3 | 1
                      : kind == 0 && row == &gen_rows[GEN_MAD]                ? 1 << 3 | 1
                      : kind == 2 && row != &gen_rows[GEN_LRP]                ? 3 << 3 | 3
                                                                              : 0);
        gen_set_field(&w, 36, 35, 0);
        for (unsigned at = 64; at <= 106; at += 21) {
            gen_set_field(&w, at + 8, at + 1, any(3) ? 0xe4 : any(256));
            gen_set_field(&w, at + 19, at + 12, any(24));
        }
        gen_set_field(&w, 63, 56, any(24));
        gen_set_field(&w, 52, 49, any(3) ? 15 : any(16));
        break;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        gen_set_field(&w, 23, 21, 3 + any(2));
        gen_set_field(&w, 13, 11, 0);
        gen_set_field(&w, 8, 8, 0);
        set_message(&w, row->format == GEN_FORMAT_SENDS);
        break;
    case GEN_FORMAT_JIP:
    case GEN_FORMAT_JIP_UIP:
        gen_set_field(&w, 95, 64, 32 + any(4) * 16);
        gen_set_field(&w, 127, 96, 32 + any(4) * 16);
        gen_set_field(&w, 42, 41, 3);
        gen_set_field(&w, 90, 89, 3);
        break;
    case GEN_FORMAT_JMPI:
    case GEN_FORMAT_CALL:
        set_destination(&w, 0);
        gen_set_field(&w, 36, 35, 1);
        gen_set_field(&w, 63, 63, 0);
        gen_set_field(&w, 90, 89, 3);
        gen_set_field(&w, 127, 96, 64);
        break;
    default:
        set_destination(&w, kind);
        set_sources(&w, row->format == GEN_FORMAT_ONE || row->format == GEN_FORMAT_RET ? 1 : 2,
                    kind);
        if (row == &gen_rows[GEN_LINE] || row == &gen_rows[GEN_PLN] ||
            row->format == GEN_FORMAT_RET) { /* registers */
            gen_set_field(&w, 42, 41, 1);
            gen_set_field(&w, 79, 79, 0);
        }
        if (row == &gen_rows[GEN_PLN] || row == &gen_rows[GEN_LINE]) {
            gen_set_field(&w, 90, 89, 1);
            gen_set_field(&w, 111, 111, 0);
        }
        if (row == &gen_rows[GEN_RET])
            gen_set_field(&w, 46, 43, 0);
        if (row == &gen_rows[GEN_SMOV])
            gen_set_field(&w, 90, 89, 3);
        if (row == &gen_rows[GEN_MOVI])
            gen_set_field(&w, 42, 41, 1);
        break;
    }
    return w;
}

/* ---- the machine ---- */

static struct gen_device *device;
static struct gen_thread first_thread;

static void open_device(void)
{
    struct gen_config config;
    struct wt_error err;
    uint8_t s[0x200] = {0}, sampler[16] = {0};
    gen_config_default(&config);
    config.subslices = 1;
    assert_int_equal(gen_device_new(&config, &device, &err), WT_OK);
    assert_int_equal(gen_device_map(device, CODE, 0x1000, true, &err), WT_OK);
    assert_int_equal(gen_device_map(device, STATES, 0x1000, true, &err), WT_OK);
    assert_int_equal(gen_device_map(device, DATA, AREA, true, &err), WT_OK);
    /* 0: a buffer of 4096 bytes; 1: 16 by 16 texels of four floats; 2: of one integer. */
    wt_store_le(s, UINT64_C(4) << 29, 4);
    wt_store_le(s + 8, 0x7f | 0x1f << 16, 4);
    wt_store_le(s + 32, DATA, 8);
    for (unsigned i = 1; i < 3; i++) {
        uint8_t *at = s + 64 * i;
        wt_store_le(at, 1u << 29 | (i == 1 ? 0u : 0xd7u) << 18, 4);
        wt_store_le(at + 8, 15 | 15 << 16, 4);
        wt_store_le(at + 12, i == 1 ? 255 : 63, 4);
        wt_store_le(at + 28, 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16, 4);
        wt_store_le(at + 32, DATA, 8);
    }
    for (unsigned i = 0; i < 3; i++)
        wt_store_le(s + 192 + 4 * i, 64 * i, 4);
    wt_store_le(sampler + 12, 1 << 10 | 2 << 6 | 2 << 3 | 2, 4);
    assert_true(gen_device_write(device, STATES, s, sizeof s));
    assert_true(gen_device_write(device, STATES + 0x800, sampler, sizeof sampler));
    const struct gen_walk walk = {.instructions = CODE,
                                  .surfaces = STATES,
                                  .binding_table = 192,
                                  .dynamic = STATES + 0x800,
                                  .general = DATA,
                                  .payload = STATES,
                                  .cross_bytes = 32,
                                  .simd = 32,
                                  .threads = 1,
                                  .slm_bytes = SLM,
                                  .last_mask = UINT32_MAX,
                                  .end = {1, 1, 1}};
    assert_int_equal(gen_device_walk(device, &walk, &err), WT_OK);
    const uint64_t nop[2] = {0x7e, 0};
    assert_true(gen_device_write(device, CODE, nop, sizeof nop));
    assert_int_equal(gen_machine(device)->ops->run(gen_machine(device), 1), WT_RUN_BUDGET);
    first_thread = device->thread[0];
    first_thread.pc = CODE;
}

static void execute(const struct gen_word *word, const struct state *from, struct state *to)
{
    struct gen_thread *t = &device->thread[0];
    struct gen_registers *g = first_thread.g;
    struct wt_machine *m = gen_machine(device);
    uint8_t bytes[16];
    wt_store_le(bytes, word->low, 8);
    wt_store_le(bytes + 8, word->high, 8);
    assert_true(gen_device_write(device, CODE, bytes, 16));
    assert_true(gen_device_write(device, DATA, from->memory, AREA));
    *t = first_thread;
    t->mask = from->mask;
    m->fault = (struct wt_fault){.kind = WT_FAULT_NONE};
    memcpy(g->r, from->b, GEN_REGISTER_FILE);
    memcpy(g->acc, from->b + AT_ACC, ACC_BYTES);
    memcpy(g->acc_high, from->b + AT_HIGH, HIGH_BYTES);
    memcpy(g->a0, from->b + AT_A, A_BYTES);
    memcpy(g->f, from->b + AT_F, F_BYTES);
    g->cr[0] = GEN_CR0_KEEP_F | GEN_CR0_KEEP_DF | GEN_CR0_KEEP_HF;
    memcpy(t->group->local, from->slm, SLM);
    gen_update_ready(t);
    m->ops->run(m, 1);
    *to = *from;
    to->fault = m->fault.kind != WT_FAULT_NONE;
    memcpy(to->b, g->r, GEN_REGISTER_FILE);
    memcpy(to->b + AT_ACC, g->acc, ACC_BYTES);
    memcpy(to->b + AT_HIGH, g->acc_high, HIGH_BYTES);
    memcpy(to->b + AT_A, g->a0, A_BYTES);
    memcpy(to->b + AT_F, g->f, F_BYTES);
    memcpy(to->slm, t->group->local, SLM);
    assert_true(gen_device_read(device, DATA, to->memory, AREA));
    to->mask = t->mask;
    to->pc = t->pc;
    for (unsigned i = 0; i < GEN_CHANNELS; i++)
        to->wake[i] = t->waiting >> i & 1 ? t->wake[i] : 0;
}

static bool address_of(const void *context, unsigned subreg, uint16_t *value)
{
    *value = (uint16_t)wt_load_le((const uint8_t *)context + AT_A + 2 * (subreg & 15), 2);
    return true;
}

static void fill(struct state *s, const struct gen_insn *insn)
{
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < BYTES; i += 4)
        wt_store_le(s->b + i, number(), 4);
    for (unsigned i = 0; i < A_BYTES; i += 2) /* near the first registers, and the offset fits */
        wt_store_le(s->b + AT_A + i, 512 + any(32) * 8, 2);
    for (unsigned i = 0; i < AREA; i++)
        s->memory[i] = (uint8_t)(any(4) ? any(256) : 0);
    for (unsigned i = 0; i < SLM; i++)
        s->slm[i] = (uint8_t)(any(4) ? any(256) : 0);
    if (any(2)) { /* what compares finds an equal */
        memset(s->memory, 0, AREA);
        memset(s->slm, 0, SLM);
        for (unsigned r = 80; r < GEN_GRFS; r += 2)
            if (any(2))
                memset(s->b + r * GEN_GRF_BYTES - any(2) * GEN_GRF_BYTES, 0, 2 * GEN_GRF_BYTES);
    }
    s->mask = any(3) ? (uint32_t)any(UINT64_C(1) << 32) | 1 : UINT32_MAX;
    if (insn->row->format != GEN_FORMAT_SEND && insn->row->format != GEN_FORMAT_SENDS)
        return;
    struct gen_message_shape shape;
    const unsigned first = insn->src[0].reg * GEN_GRF_BYTES;
    const enum gen_message_form form = gen_message_shape(insn->exdesc & 15, insn->desc, &shape);
    const bool header = insn->desc >> 19 & 1;
    const unsigned unit =
        (insn->exdesc & 15) == GEN_SFID_DC0 && (insn->desc >> 14 & 7) == 3 ? 4 : 1;
    if (form == GEN_MESSAGE_BLOCK) {
        wt_store_le(s->b + first, DATA + any(8) * 64, 8);
        if ((insn->exdesc & 15) == GEN_SFID_DC0)
            wt_store_le(s->b + first + 8, any(8) * 4, 4);
        wt_store_le(s->b + first + 20, 0, 4);
        return;
    }
    for (unsigned i = 0; i < 32 && form == GEN_MESSAGE_SCATTERED && i < shape.lanes; i++)
        if (shape.wide_addresses)
            wt_store_le(s->b + first + (header ? 32 : 0) + 8 * i, DATA + any(32) * 16, 8);
        else
            wt_store_le(s->b + first + (header ? 32 : 0) + 4 * i, any(32) * 16 / unit, 4);
    for (unsigned i = 0; i < 64 && form == GEN_MESSAGE_TEXELS; i += 1)
        if (i < 2 * shape.lanes)
            wt_store_le(s->b + first + 4 * i, any(16), 4);
}

#endif

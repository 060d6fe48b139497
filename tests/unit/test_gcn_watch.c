/*
 * Watched places of gfx900: each memory row of the instruction table, in each of its forms, tells
 * exactly the bytes that it gets at, with what was there before and after; of what is told when all
 * is watched, a watch of one byte tells exactly what overlaps it; and whatever is watched, the
 * machine passes through the same states at the same issue times.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/machine/search.h"
#include "emulator/machine/state.h"
#include "conditions.h"
#include "gcn_rig.h"
#include "../names.h"
#include "wait.h"

static const struct wt_watch everything = {.kind = WT_WATCH_ACCESS, .addr = 0, .size = UINT64_MAX};

/* ---- each row of the instruction table ---- */

/* How a row is used. */
enum form { GLOBAL_FORM, LOCAL_FORM, PRIVATE_FORM, SWIZZLED_FORM, LDS_BIT_FORM, GDS_FORM, FORMS };
/* Random states of each row. */
#ifdef WT_CHECK_INVARIANTS /* with sanitizers, which take five times as long */
enum { TRIPS = 1 };
#else
enum { TRIPS = 4 };
#endif
static const char *const form_names[FORMS] = {"global",   "local",   "private",
                                              "swizzled", "lds bit", "gds"};

/* Whether there is such a form of the row. */
static bool has_form(const struct gcn_row *row, enum form form)
{
    struct gcn_uop u = {.row = row};
    const bool load = row->operands[0] == 'r', own = strstr(row->name, "_load_lds_");
    u.size = (uint8_t)strtoul(row->operands + 1, NULL, 10);
    switch (row->encoding) {
    case GCN_FLAT:
        return form == GLOBAL_FORM || form == LOCAL_FORM || form == PRIVATE_FORM;
    case GCN_GLOBAL:
        return (form == GLOBAL_FORM && !own) || (form == LDS_BIT_FORM && load && u.size <= 4);
    case GCN_SCRATCH:
        return (form == PRIVATE_FORM && !own) || (form == LDS_BIT_FORM && load && u.size <= 4);
    case GCN_MUBUF:
        return form == GLOBAL_FORM || (form == SWIZZLED_FORM && row->operands[0] != 'a') ||
               (form == LDS_BIT_FORM && load && u.size && u.size <= 4 && row->operands[1] != 'd' &&
                row->operands[1] != 'f');
    case GCN_MTBUF:
        return form == GLOBAL_FORM || form == SWIZZLED_FORM;
    case GCN_MIMG:
        return form == GLOBAL_FORM && row->operands[1] != 'q';
    case GCN_SMEM: /* clocks and probes get at no memory */
        return form == GLOBAL_FORM && !strstr(row->name, "time") && !strstr(row->name, "probe");
    case GCN_DS:
        /* M0 cannot be both the lanes' address and which part of GDS there is. */
        return form == LOCAL_FORM ||
               (form == GDS_FORM && rig_model->gds && !strstr(row->name, "addtid"));
    default:
        return false;
    }
}

#define OFFSET 8u /* of an instruction, in bytes */

static bool is_store_lds(const struct gcn_row *row)
{
    return !strcmp(row->name, "buffer_store_lds_dword");
}

static bool is_sampled(const struct gcn_row *row)
{
    return row->encoding == GCN_MIMG && (row->operands[1] == 's' || row->operands[1] == 'g');
}

/* The VGPR of an image row's first coordinate. */
static unsigned coordinate_of(const struct gcn_row *row)
{
    const struct gcn_uop u = {.row = row};
    return gcn_image_arguments(&u, 2);
}

/* The words of a row: address v0 (v1), data v4 and v12, result v20, SGPRs from s8 on. */
static void words_of(const struct gcn_row *row, enum form form, uint32_t word[2])
{
    const uint32_t op = row->opcode;
    switch ((enum gcn_encoding)row->encoding) {
    case GCN_SMEM: /* base s8, data s16, offset */
        word[0] = 0x30u << 26 | op << 18 | 1u << 17 | 1u << 16 | 16u << 6 | 8 / 2;
        word[1] = OFFSET;
        break;
    case GCN_DS:
        word[0] = 0x36u << 26 | op << 17 | (form == GDS_FORM ? 1u << 16 : 0) | OFFSET;
        word[1] = 20u << 24 | 12u << 16 | 4u << 8;
        break;
    case GCN_FLAT:
    case GCN_GLOBAL:
    case GCN_SCRATCH:
        word[0] = 0x37u << 26 | op << 18 | 1u << 16 |
                  (row->encoding == GCN_FLAT     ? 0u
                   : row->encoding == GCN_GLOBAL ? 2u
                                                 : 1u)
                      << 14 |
                  (form == LDS_BIT_FORM ? 1u << 13 : 0) | OFFSET;
        if (row->operands[0] == 'r' || strchr(row->operands, 'n')) /* glc makes no difference */
            word[0] &= ~(1u << 16);
        word[1] = 20u << 24 | 0x7fu << 16 | 4u << 8;
        break;
    case GCN_MUBUF: /* resource s8, offset in v0 or, swizzled, index in v0 and offset in v1 */
        word[0] = 0x38u << 26 | op << 18 | (form == LDS_BIT_FORM ? 1u << 16 : 0) |
                  (strchr(row->operands, 'n') ? 0 : 1u << 14) |
                  (form == SWIZZLED_FORM ? 3u << 12 : 1u << 12) | OFFSET;
        word[1] = 128u << 24 | 8u / 4 << 16 | 4u << 8;
        break;
    case GCN_MIMG: /* resource s8, sampler s16, coordinates from v0 on */
        word[0] = 0x3cu << 26 | op << 18 | 1u << 12 |
                  (row->operands[0] != 'a' ? 15u
                   : op == 0x11            ? 3u
                                           : 1u)
                      << 8;
        word[1] = (is_sampled(row) ? 16u / 4 << 21 : 0) | 8u / 4 << 16 | 4u << 8;
        break;
    default: /* MTBUF: four floats */
        word[0] = 0x3au << 26 | 7u << 23 | 14u << 19 | op << 15 |
                  (form == SWIZZLED_FORM ? 3u << 12 : 1u << 12) | OFFSET;
        word[1] = 128u << 24 | 8u / 4 << 16 | 4u << 8;
    }
}

/* What the test expects: each byte that a lane gets at, and how. */
struct bytes {
    struct {
        uint64_t addr;
        unsigned lane;
        enum wt_watch_kind kind;
    } byte[64 * 64 * 2];
    size_t count;
};

static void expect(struct bytes *b, unsigned lane, enum wt_watch_kind kind, uint64_t addr,
                   unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        b->byte[b->count].addr = addr + i;
        b->byte[b->count].lane = lane;
        b->byte[b->count++].kind = kind;
    }
}

static int by_byte(const void *a, const void *b)
{
    return memcmp(a, b, sizeof((struct bytes *)NULL)->byte[0]);
}

/* The same as memory would say of it: private bytes by the swizzle. */
static void expect_private(struct bytes *b, const struct gcn_wave *w, unsigned lane,
                           enum wt_watch_kind kind, uint64_t offset, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        const uint64_t x = offset + i;
        expect(b, lane, kind, gcn_pair(&w->s[GCN_FLAT_SCRATCH]) + x / 4 * 256 + 4 * lane + x % 4,
               1);
    }
}

/* The bytes of an observed access, as hits name them. */
static void observe(void *context, struct wt_machine *m, const struct wt_observed *o)
{
    struct bytes *b = context;
    const struct gcn_wave *w = &((struct gcn_device *)m)->wave[o->wave];
    assert_true(o->time == 1 && o->pc == CODE + 4 && o->id == wt_machine_wave_id(m, o->wave));
    assert_true(o->size >= 1 && o->size <= 64 && o->lanes);
    for (wt_lanes left = o->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const uint64_t at = o->at[lane];
        assert_true(at - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE ? o->space == WT_OBSERVED_GROUP
                    : at - GCN_REGION_APERTURE < GCN_MOST_GDS
                        ? o->space == WT_OBSERVED_DEVICE
                        : o->space == WT_OBSERVED_GLOBAL || o->space == WT_OBSERVED_PRIVATE);
        if (o->space == WT_OBSERVED_PRIVATE)
            expect_private(b, w, lane, o->kind, at, o->size);
        else
            expect(b, lane, o->kind, at, o->size);
    }
}

static enum wt_watch_kind kind_of(const struct gcn_row *row)
{
    return row->operands[0] == 'r'   ? WT_WATCH_READ
           : row->operands[0] == 'w' ? WT_WATCH_WRITE
                                     : WT_WATCH_ACCESS;
}

/* Of the data share. */
static void expect_ds(struct bytes *b, const struct gcn_wave *w, const struct gcn_row *row,
                      unsigned size, enum form form)
{
    const uint64_t base = form == GDS_FORM ? GCN_REGION_APERTURE : GCN_SHARED_APERTURE;
    const enum wt_watch_kind kind = kind_of(row);
    const char *name = row->name;
    const uint64_t exec = gcn_exec(w);
    if (strstr(name, "append") || strstr(name, "consume")) {
        expect(b, (unsigned)__builtin_ctzll(exec), WT_WATCH_ACCESS,
               base + OFFSET + (form == GDS_FORM ? 0 : w->s[GCN_M0] & 0xffff), 4);
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint64_t at = base + w->v[0][lane];
        if (!(exec >> lane & 1) || strstr(name, "permute") || strstr(name, "swizzle"))
            continue;
        if (strstr(name, "addtid")) {
            expect(b, lane, kind, base + (w->s[GCN_M0] & 0xffff) + OFFSET + 4 * lane, 4);
        } else if (strstr(name, "_src2")) { /* 8 dwords on */
            expect(b, lane, WT_WATCH_READ, at + 4 * OFFSET, size);
            expect(b, lane, WT_WATCH_ACCESS, at, size);
        } else if (strstr(name, "condxchg")) {
            for (unsigned i = 0; i < 2; i++)
                expect(b, lane, w->v[4 + i][lane] >> 31 ? WT_WATCH_ACCESS : WT_WATCH_READ,
                       ((at + OFFSET) & ~(uint64_t)7) + 4 * i, 4);
        } else if (strstr(name, "read2") || strstr(name, "write2") || strstr(name, "wrxchg2")) {
            const unsigned unit = size * (strstr(name, "st64") ? 64 : 1);
            const enum wt_watch_kind how = strstr(name, "wrxchg") ? WT_WATCH_ACCESS : kind;
            expect(b, lane, how, at + OFFSET * unit, size);
            expect(b, lane, how, at, size);
        } else {
            expect(b, lane, kind, at + OFFSET, size);
        }
    }
}

static void expect_row(struct bytes *b, const struct gcn_wave *w, const struct gcn_row *row,
                       enum form form)
{
    const char *o = row->operands;
    const bool typed = o[1] == 'd' || o[1] == 'f';
    const unsigned size = typed ? 16 : (unsigned)strtoul(o + 1, NULL, 10);
    const unsigned texel = o[0] == 'a' ? 4 : 16; /* of an image */
    const enum wt_watch_kind kind = kind_of(row);
    const uint64_t exec = gcn_exec(w);
    b->count = 0;
    if (row->encoding == GCN_DS) {
        expect_ds(b, w, row, size, form);
        return;
    }
    if (row->encoding == GCN_SMEM) {
        const unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
        expect(b, lane, kind, gcn_pair(&w->s[8]) % (UINT64_C(1) << 48) + OFFSET, size);
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint32_t low = w->v[0][lane];
        const uint64_t flat = low | (uint64_t)w->v[1][lane] << 32;
        const uint32_t at = (w->s[GCN_M0] & 0xffff) + OFFSET + 4 * lane;
        if (!(exec >> lane & 1))
            continue;
        if (row->encoding == GCN_MIMG) {
            float x;
            memcpy(&x, &w->v[coordinate_of(row)][lane], sizeof x);
            const uint64_t first = DATA + texel * (is_sampled(row) ? (uint32_t)x : low);
            if (o[1] ==
                'g') { /* the four texels around the first one's right end, all in one row */
                expect(b, lane, kind, first - texel, texel);
                expect(b, lane, kind, first - texel, texel);
                expect(b, lane, kind, first, texel);
            }
            expect(b, lane, kind, first, texel);
            continue;
        }
        if (row->encoding == GCN_MUBUF || row->encoding == GCN_MTBUF) {
            const uint32_t offset = OFFSET + w->v[1][lane];
            if (form != SWIZZLED_FORM && OFFSET + low >= w->s[10]) {
                if (form == LDS_BIT_FORM) /* a zero comes there */
                    expect(b, lane, WT_WATCH_WRITE, GCN_SHARED_APERTURE + at, 4);
                continue;
            }
            if (form != SWIZZLED_FORM) {
                expect(b, lane, kind, DATA + OFFSET + low, size);
            } else if (!is_store_lds(row) || size <= 4) { /* stride 16, rows of 8 records */
                for (unsigned i = 0; i < size; i++)
                    expect(b, lane, kind,
                           DATA + (low / 8 * 16 + (offset + i) / 4 * 4) * 8 + low % 8 * 4 +
                               (offset + i) % 4,
                           1);
            }
        } else if (row->encoding == GCN_SCRATCH) {
            expect_private(b, w, lane, kind, low + OFFSET, size);
        } else if (form == PRIVATE_FORM) {
            expect_private(b, w, lane, kind, flat + OFFSET - GCN_PRIVATE_APERTURE, size);
        } else {
            expect(b, lane, kind, flat + OFFSET, size);
        }
        if (form == LDS_BIT_FORM)
            expect(b, lane, WT_WATCH_WRITE, GCN_SHARED_APERTURE + at, 4);
        if (is_store_lds(row))
            expect(b, lane, WT_WATCH_READ, GCN_SHARED_APERTURE + at, 4);
    }
}

/* An image of one row of texels of 16 bytes, or of 4 for atomics, and places in it. */
static void set_image(struct gcn_wave *w, const struct gcn_row *row)
{
    const bool atomic = row->operands[0] == 'a';
    const uint32_t width = DATA_SIZE / 16;
    const uint32_t image[8] = {(uint32_t)(DATA >> 8),
                               atomic ? 4u << 20 | 4u << 26 : 14u << 20 | 7u << 26, width - 1,
                               0xfacu | 9u << 28, (width - 1) << 13};
    memcpy(&w->s[8], image, sizeof image);
    memset(&w->s[16], 0, 4 * sizeof w->s[16]);
    w->s[16] = 0x92; /* to the edge */
    for (unsigned i = 0; i < (is_sampled(row) ? 16 : 4); i++)
        memset(w->v[i], 0, sizeof w->v[i]);
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint32_t at = 1 + (uint32_t)any(width - 1);
        const float x = (float)at;
        w->v[coordinate_of(row)][lane] = at;
        if (is_sampled(row))
            memcpy(&w->v[coordinate_of(row)][lane], &x, sizeof x);
    }
}

/* Registers of a wave for a row: addresses that are right for it, of lanes that may meet. */
static void set_registers(struct gcn_wave *w, const struct gcn_row *row, enum form form)
{
    const unsigned size = 16, align = row->operands[0] == 'a' || row->encoding == GCN_DS ? 8 : 1;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned lane = 0; lane < 64; lane++)
            w->v[i][lane] = (uint32_t)any(UINT64_C(1) << 32) << 1 | (lane & 1);
    for (unsigned i = 0; i < 48; i++)
        w->s[i] = (uint32_t)any(UINT64_C(1) << 32);
    const unsigned manner = (unsigned)any(3);
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint64_t room = form == LOCAL_FORM     ? LDS / 4
                              : form == GDS_FORM     ? GDS_PART / 4
                              : form == PRIVATE_FORM ? PRIVATE
                                                     : DATA_SIZE;
        uint64_t x = manner == 0   ? any((room - size - OFFSET) / align) * align /* anywhere */
                     : manner == 1 ? lane * 16 % (room - size - OFFSET) / align * align
                                   : any(4) * align;
        if (row->encoding == GCN_SCRATCH && form == LDS_BIT_FORM)
            x = any((PRIVATE - OFFSET) / 4) * 4;
        uint64_t flat = x;
        if (row->encoding == GCN_FLAT || row->encoding == GCN_GLOBAL)
            flat += form == LOCAL_FORM     ? GCN_SHARED_APERTURE
                    : form == PRIVATE_FORM ? GCN_PRIVATE_APERTURE
                                           : DATA;
        w->v[0][lane] = (uint32_t)flat;
        w->v[1][lane] = (uint32_t)(flat >> 32);
        if (form == SWIZZLED_FORM) {
            w->v[0][lane] = (uint32_t)any(64);
            w->v[1][lane] = (uint32_t)any(4) * 4;
        }
    }
    gcn_set_pair(&w->s[8], DATA);
    if (row->encoding == GCN_MIMG)
        set_image(w, row);
    if (row->encoding == GCN_MUBUF || row->encoding == GCN_MTBUF || strstr(row->name, "buffer")) {
        w->s[9] = form == SWIZZLED_FORM ? 16u << 16 | 1u << 31 : 0;
        w->s[10] = DATA_SIZE;
        /* A buffer that ends between two lanes' places. */
        if (manner == 1 && row->encoding != GCN_SMEM && form != SWIZZLED_FORM)
            w->s[10] = OFFSET + 16 * 32;
        w->s[11] = 7u << 12 | 14u << 15 | 4 | 5u << 3 | 6u << 6 | 7u << 9;
        if (row->encoding == GCN_SMEM)
            w->s[9] = 0;
    }
    w->s[GCN_M0] =
        row->encoding == GCN_DS && form == GDS_FORM ? GDS_PART : 64 + 4 * (uint32_t)any(9);
    gcn_set_pair(&w->s[GCN_FLAT_SCRATCH], SCRATCH + 0x1000);
    const uint64_t exec = any(3) ? any(UINT64_C(1) << 31) << 33 | any(UINT64_C(1) << 31) : ALL;
    gcn_set_pair(&w->s[GCN_EXEC], any(8) && exec ? exec : UINT64_C(1) << any(64));
}

/* All memory that the row may get at, as the hits name it. */
struct mirror {
    uint8_t data[DATA_SIZE], lds[LDS], gds[GDS_PART], scratch[0x1000 + PRIVATE * 64];
};

static void take(struct mirror *m, const struct gcn_wave *w)
{
    gcn_device_read(w->device, DATA, m->data, sizeof m->data);
    gcn_device_read(w->device, SCRATCH, m->scratch, sizeof m->scratch);
    memcpy(m->lds, w->group->local, LDS);
    memcpy(m->gds, w->device->gds, GDS_PART);
}

static uint8_t *in_mirror(struct mirror *m, uint64_t addr)
{
    if (addr - DATA < sizeof m->data)
        return m->data + (addr - DATA);
    if (addr - SCRATCH < sizeof m->scratch)
        return m->scratch + (addr - SCRATCH);
    if (addr - GCN_SHARED_APERTURE < LDS)
        return m->lds + (addr - GCN_SHARED_APERTURE);
    if (addr - GCN_REGION_APERTURE < GDS_PART)
        return m->gds + (addr - GCN_REGION_APERTURE);
    fail();
    return NULL;
}

static void check_bytes(struct bytes *is, struct bytes *expected, const char *how, const char *what)
{
    qsort(is->byte, is->count, sizeof is->byte[0], by_byte);
    qsort(expected->byte, expected->count, sizeof is->byte[0], by_byte);
    if (is->count != expected->count ||
        memcmp(is->byte, expected->byte, is->count * sizeof is->byte[0]))
        fail_msg("%s: %zu bytes %s, %zu expected", what, is->count, how, expected->count);
}

/* Are the hits those bytes, in the order in which lanes do it, and is memory what they say? */
static void check_hits(struct rig *r, const struct gcn_wave *w, struct mirror *before,
                       struct bytes *expected, const char *what)
{
    static struct bytes told;
    static struct mirror after;
    told.count = 0;
    memset(told.byte, 0, sizeof told.byte);
    for (size_t i = 0; i < r->m->hits; i++) {
        const struct wt_watch_hit *h = &r->m->hit[i];
        assert_true(h->time == 1 && h->wave == w->id && h->pc == CODE + 4);
        assert_true(h->mask == gcn_exec(w) && h->size >= 1 && h->size <= 16);
        expect(&told, h->lane, h->kind, h->addr, h->size);
        uint8_t *at = in_mirror(before, h->addr);
        if (memcmp(at, h->before, h->size))
            fail_msg("%s: lane %u at 0x%llx: not what was there before", what, h->lane,
                     (unsigned long long)h->addr);
        if (h->kind == WT_WATCH_READ)
            assert_memory_equal(h->before, h->after, h->size);
        memcpy(at, h->after, h->size);
    }
    take(&after, w);
    if (memcmp(before, &after, sizeof after))
        fail_msg("%s: memory is not what the hits made of it", what);
    check_bytes(&told, expected, "told", what);
}

/* The offset in private memory that a byte of the wave's scratch memory is for some lane. */
static uint64_t private_offset(const struct gcn_wave *w, uint64_t addr)
{
    const uint64_t in = addr - gcn_pair(&w->s[GCN_FLAT_SCRATCH]);
    return in / 256 * 4 + in % 4;
}

static bool overlaps(const struct gcn_wave *w, const struct wt_watch *watch,
                     const struct wt_watch_hit *hit)
{
    const bool private = watch->addr >= GCN_PRIVATE_APERTURE && watch->addr < GCN_REGION_APERTURE;
    for (unsigned i = 0; i < hit->size; i++)
        if (private ? private_offset(w, hit->addr + i) == watch->addr - GCN_PRIVATE_APERTURE
                    : hit->addr + i == watch->addr)
            return true;
    return false;
}

/* One byte of what was met, or another one; what overlaps it must be told again, nothing else. */
static void check_narrow(const uint32_t *code, const struct gcn_row *row, enum form form,
                         uint64_t seed, const struct wt_watch_hit *all, size_t count, uint64_t end,
                         const char *what)
{
    random_state = seed;
    struct rig r = rig_new("rr:64", 1, 64, code, 4);
    assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    struct gcn_wave *w = wave_of(&r, 0);
    set_registers(w, row, form);
    const struct wt_watch_hit *h = &all[any(count)];
    struct wt_watch watch = {.kind = (enum wt_watch_kind)any(3),
                             .addr = h->addr + any(h->size),
                             .size = 1,
                             .wave = w->id};
    if (form == PRIVATE_FORM && any(2)) /* that byte of all lanes */
        watch.addr = GCN_PRIVATE_APERTURE + private_offset(w, watch.addr);
    set(&r, &watch, 1);
    size_t next = 0;
    const enum wt_run how = run(&r, 1);
    for (size_t i = 0; i < count; i++) {
        if (!overlaps(w, &watch, &all[i]) ||
            (watch.kind != WT_WATCH_ACCESS && all[i].kind != WT_WATCH_ACCESS &&
             watch.kind != all[i].kind))
            continue;
        if (next >= r.m->hits || memcmp(&r.m->hit[next], &all[i], sizeof *all))
            fail_msg("%s: byte 0x%llx, %s: another hit", what, (unsigned long long)watch.addr,
                     watch_name(watch.kind));
        next++;
    }
    assert_int_equal(r.m->hits, next);
    assert_int_equal(how, next ? WT_RUN_WATCH : WT_RUN_BUDGET);
    assert_true(hash(&r) == end);
    rig_free(&r);
}

static void check_row(const struct gcn_row *row, enum form form, unsigned trip)
{
    static struct bytes expected, observed;
    static struct mirror before;
    static struct wt_watch_hit hits[WT_WATCH_HITS];
    uint32_t code[4] = {S_NOP, 0, 0, S_ENDPGM};
    char what[128];
    words_of(row, form, code + 1);
    snprintf(what, sizeof what, "%s (%s) %u", row->name, form_names[form], trip);
    const uint64_t seed = random_state;
    uint64_t end[2];
    /* First it is observed: the states of both must be one. */
    for (unsigned watched = 0; watched < 2; watched++) {
        random_state = seed;
        struct rig r = rig_new("rr:64", 1, 64, code, 4);
        assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
        struct gcn_wave *w = wave_of(&r, 0);
        set_registers(w, row, form);
        if (watched) {
            set(&r, &everything, 1);
            memset(expected.byte, 0, sizeof expected.byte);
            expect_row(&expected, w, row, form);
            take(&before, w);
        } else {
            observed.count = 0;
            memset(observed.byte, 0, sizeof observed.byte);
            assert_true(wt_observe(r.m, observe, &observed, NULL, 0));
        }
        const enum wt_run how = run(&r, 1);
        if (r.m->fault.kind)
            fail_msg("%s: %s", what, r.m->fault.text);
        if (how != (watched && expected.count ? WT_RUN_WATCH : WT_RUN_BUDGET))
            fail_msg("%s: %s", what, run_name(how));
        assert_true(r.m->time == 2);
        if (watched)
            check_hits(&r, w, &before, &expected, what);
        if (watched)
            check_bytes(&observed, &expected, "observed", what);
        end[watched] = hash(&r);
        const size_t count = r.m->hits;
        if (watched && count)
            memcpy(hits, r.m->hit, count * sizeof *hits);
        rig_free(&r);
        for (unsigned i = 0; watched && count && i < 3; i++)
            check_narrow(code, row, form, seed, hits, count, end[0], what);
        random_state = seed + 1;
    }
    if (end[0] != end[1])
        fail_msg("%s: watching changed the state", what);
}

static void each_row_tells_its_bytes(void **state)
{
    unsigned rows = 0;
    random_state = 5;
    for (size_t i = 0; i < GCN_INSNS; i++)
        for (unsigned form = 0; form < FORMS; form++) {
            const struct gcn_row *row = &gcn_rows[i];
            if (!rig_encodes(row) || !gcn_row_executes(row) || !row->operands[0] ||
                !has_form(row, (enum form)form))
                continue;
            rows++;
            rig_take_model_of(row);
            for (unsigned trip = 0; trip < TRIPS; trip++)
                check_row(row, (enum form)form, trip);
        }
    assert_true(rows > 400);
    rig_model = gcn_models;
}

/* ---- the program of several groups ---- */

/* Places that the program uses all the time, and a few at random. */
static size_t hot_watches(struct wt_watch *list, const struct rig *r)
{
    size_t n = 0;
    const uint32_t wave = (uint32_t)any(r->m->waves);
    const enum wt_watch_kind kind = (enum wt_watch_kind)any(3);
    switch (any(7)) {
    case 0:
        list[n++] = (struct wt_watch){.kind = kind, .addr = SUM, .size = 4, .wave = wave};
        break;
    case 1:
        list[n++] = (struct wt_watch){.kind = kind,
                                      .addr = GCN_SHARED_APERTURE + any(512),
                                      .size = 1 + any(64),
                                      .wave = wave};
        break;
    case 2:
        list[n++] = (struct wt_watch){
            .kind = kind, .addr = PRIVATE_WORD + any(3), .size = 1 + any(9), .wave = wave};
        list[n++] = (struct wt_watch){
            .kind = kind, .addr = DATA + any(0x1000), .size = 1 + any(9), .wave = wave};
        break;
    case 3:
        list[n++] = (struct wt_watch){.kind = kind, .size = UINT64_MAX, .wave = wave};
        break;
    case 4: /* pages and shares that are used, bytes that are not */
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = DATA + 0x900, .size = 16, .wave = wave};
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = GCN_SHARED_APERTURE + 4096, .size = 16, .wave = wave};
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = GCN_REGION_APERTURE, .size = 65536, .wave = wave};
        break;
    }
    for (uint64_t i = any(4); i > 0; i--)
        list[n++] = (struct wt_watch){.kind = WT_WATCH_EXECUTE,
                                      .addr = CODE + 4 * any(MIXED_WORDS),
                                      .size = 1 + any(9),
                                      .wave = 0};
    for (uint64_t i = any(3); i > 0; i--)
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ISSUE, .size = 1, .wave = (uint32_t)any(r->m->waves)};
    return n;
}

static void watching_changes_nothing(void **state)
{
    random_state = 1;
    uint64_t met = 0;
    for (size_t k = 0; k < 4; k++)
        for (unsigned trip = 0; trip < 8; trip++) {
            struct rig plain = rig_mixed(k), watched = rig_mixed(k);
            enum wt_run how = WT_RUN_BUDGET;
            uint64_t last = UINT64_MAX;
            unsigned again = 0, checks = 0;
            do {
                struct wt_watch list[16];
                const bool other = how == WT_RUN_BUDGET || any(50) == 0;
                if (other)
                    set(&watched, list, hot_watches(list, &watched));
                how = run(&watched, 1 + any(trip ? 1000 : 3));
                met += how == WT_RUN_WATCH;
                assert_true((how == WT_RUN_WATCH) == (watched.m->hits != 0));
                /* Places before an issue are told once, so at one time there are few. */
                again = watched.m->time == last && !other ? again + 1 : 0;
                assert_true(again < 2);
                last = watched.m->time;
                if (last > plain.m->time)
                    run(&plain, last - plain.m->time);
                assert_true(plain.m->time == last);
                if (checks++ % 32 == 0)
                    assert_true(hash(&plain) == hash(&watched));
            } while (how == WT_RUN_BUDGET || how == WT_RUN_WATCH);
            assert_int_equal(how, WT_RUN_ENDED);
            assert_int_equal(run(&plain, 1), WT_RUN_ENDED);
            assert_true(hash(&plain) == hash(&watched));
            rig_free(&plain);
            rig_free(&watched);
        }
    assert_true(met > 3000);
}

enum { MOST_HITS = 1 << 16 };

/* All hits of a run. */
static size_t all_hits(size_t schedule, const struct wt_watch *watch, struct wt_watch_hit *list)
{
    struct rig r = rig_mixed(schedule);
    size_t n = 0;
    set(&r, watch, 1);
    enum wt_run how;
    while ((how = run(&r, 1000)) != WT_RUN_ENDED) {
        assert_true(n + r.m->hits <= MOST_HITS);
        if (how == WT_RUN_WATCH)
            memcpy(list + n, r.m->hit, r.m->hits * sizeof *list);
        n += how == WT_RUN_WATCH ? r.m->hits : 0;
    }
    rig_free(&r);
    return n;
}

/* Of what is told when all is watched, a watch of some bytes tells what gets at them, no less. */
static void a_watch_misses_nothing(void **state)
{
    static struct wt_watch_hit all[MOST_HITS], some[MOST_HITS];
    random_state = 6;
    for (size_t k = 0; k < 4; k++) {
        const size_t count = all_hits(k, &everything, all);
        assert_true(count > 40000 && count < MOST_HITS);
        for (unsigned trip = 0; trip < 16; trip++) {
            struct wt_watch watch = {.kind = (enum wt_watch_kind)any(3), .size = 1 + any(8)};
            watch.addr = DATA + (any(4) ? any(0x800 + 64) : SUM - DATA);
            const size_t n = all_hits(k, &watch, some);
            size_t next = 0;
            for (size_t i = 0; i < count; i++) {
                const struct wt_watch_hit *h = &all[i];
                if (h->addr >= watch.addr + watch.size || watch.addr >= h->addr + h->size ||
                    (watch.kind != WT_WATCH_ACCESS && h->kind != WT_WATCH_ACCESS &&
                     h->kind != watch.kind))
                    continue;
                if (next >= n || memcmp(&some[next], h, sizeof *h))
                    fail_msg("schedule %zu, %llu bytes at 0x%llx, %s: hit %zu", k,
                             (unsigned long long)watch.size, (unsigned long long)watch.addr,
                             watch_name(watch.kind), next);
                next++;
            }
            assert_int_equal(next, n);
        }
    }
}

/* A value that changed, or was written. */
struct change {
    uint64_t time;
    uint32_t wave;
    uint8_t before[4], after[4];
};

/* Memory of the watch, if there is such memory now: the wave's group may have ended. */
static bool look(struct rig *r, const struct wt_watch *watch, const struct gcn_group *group,
                 const uint32_t *coordinate, uint8_t *out)
{
    if (group) {
        if (!group->used || memcmp(group->coordinate, coordinate, sizeof group->coordinate))
            return false;
        memcpy(out, group->local + (watch->addr - GCN_SHARED_APERTURE), 4);
        return true;
    }
    return gcn_device_read(r->d, watch->addr, out, 4);
}

enum { MOST_CHANGES = 8192 };

/* By comparing what is in memory after each issue: which ones changed it, and who issued. */
static size_t changes_seen(size_t schedule, uint64_t from, const struct wt_watch *watch,
                           struct change *list)
{
    struct rig r = rig_mixed(schedule);
    if (from)
        run(&r, from);
    const bool shared = watch->addr >> 48 == 1;
    const struct gcn_group *group = shared ? r.d->wave[watch->wave].group : NULL;
    uint32_t coordinate[3] = {0};
    if (group)
        memcpy(coordinate, group->coordinate, sizeof coordinate);
    uint8_t last[4], now[4];
    size_t n = 0;
    bool there = look(&r, watch, group, coordinate, last);
    while (run(&r, 1) == WT_RUN_BUDGET) {
        if (!there || !(there = look(&r, watch, group, coordinate, now)))
            continue;
        if (!memcmp(last, now, 4))
            continue;
        assert_true(n < MOST_CHANGES);
        list[n] = (struct change){.time = r.m->time - 1, .wave = r.d->machine.turns.current};
        memcpy(list[n].before, last, 4);
        memcpy(list[n++].after, now, 4);
        memcpy(last, now, 4);
    }
    rig_free(&r);
    return n;
}

/* The bytes of the watched word in a hit that covers it. */
static size_t at_word(const struct wt_watch *watch, const struct wt_watch_hit *h)
{
    assert_true(watch->addr >= h->addr && watch->addr + 4 <= h->addr + h->size);
    return (size_t)(watch->addr - h->addr);
}

/* The same by watching; of all writes, and of those that left another value behind. */
static size_t changes_told(size_t schedule, uint64_t from, const struct wt_watch *watch,
                           struct change *list, struct change *writes, size_t *write_count)
{
    struct rig r = rig_mixed(schedule);
    size_t n = 0;
    *write_count = 0;
    if (from)
        run(&r, from);
    set(&r, watch, 1);
    enum wt_run how;
    while ((how = run(&r, 1000)) == WT_RUN_WATCH || how == WT_RUN_BUDGET) {
        if (how != WT_RUN_WATCH)
            continue;
        const struct wt_watch_hit *first = &r.m->hit[0], *last = &r.m->hit[r.m->hits - 1];
        struct change c = {.time = first->time, .wave = first->wave};
        memcpy(c.before, first->before + at_word(watch, first), 4);
        memcpy(c.after, last->after + at_word(watch, last), 4);
        assert_true(*write_count < MOST_CHANGES && r.m->time == first->time + 1);
        writes[(*write_count)++] = c;
        if (memcmp(c.before, c.after, 4))
            list[n++] = c;
    }
    rig_free(&r);
    return n;
}

/* A word that is written: in memory, or in the LDS of the wave's group. */
static struct wt_watch some_word(uint32_t wave)
{
    struct wt_watch watch = {.kind = WT_WATCH_WRITE, .size = 4, .wave = wave};
    switch (any(5)) {
    case 0:
        watch.addr = SUM;
        break;
    case 1:
        watch.addr = COUNTER;
        break;
    case 2:
        watch.addr = DATA + 1024 + 4 * any(ITEMS);
        break;
    case 3:
        watch.addr = GCN_SHARED_APERTURE + 16;
        break;
    default:
        watch.addr = GCN_SHARED_APERTURE + 4 * any(ITEMS);
    }
    return watch;
}

static void hits_are_what_memory_shows(void **state)
{
    static struct change seen[MOST_CHANGES], told[MOST_CHANGES], writes[MOST_CHANGES];
    random_state = 3;
    size_t total = 0;
    for (unsigned trip = 0; trip < 24; trip++) {
        const size_t schedule = trip % 4;
        const uint64_t from = any(3) ? any(1500) : 0;
        /* Waves of the first slots are there at any time before. */
        const struct wt_watch watch = some_word((uint32_t)any(8));
        size_t all;
        const size_t n = changes_told(schedule, from, &watch, told, writes, &all);
        assert_int_equal(changes_seen(schedule, from, &watch, seen), n);
        for (size_t i = 0; i < n; i++)
            if (memcmp(&seen[i], &told[i], sizeof *seen))
                fail_msg("trip %u, change %zu: at %llu by wave %u, told at %llu by wave %u", trip,
                         i, (unsigned long long)seen[i].time, seen[i].wave,
                         (unsigned long long)told[i].time, told[i].wave);
        total += n;
    }
    assert_true(total > 500);
}

/* Where the search ends: the time and place, or false where there is none. */
static bool found(struct wt_timeline *t, struct wt_machine *m, bool backwards,
                  struct wt_watch *watch, struct wt_watch_hit *hit)
{
    struct wt_search s;
    struct wt_error err;
    bool have = false;
    wt_search_begin(&s, t, m, backwards, watch, 1);
    for (;;) {
        switch (wt_search_on(&s, 777, &err)) {
        case WT_SEARCH_ON:
            continue;
        case WT_SEARCH_PLACE:
            *hit = s.place;
            have = true;
            wt_search_accept(&s);
            if (backwards)
                continue;
            wt_set_watches(m, NULL, 0);
            return true;
        case WT_SEARCH_FOUND:
            assert_true(have && m->time == hit->time);
            return true;
        case WT_SEARCH_EDGE:
            return false;
        case WT_SEARCH_FAILED:
            fail();
        }
    }
}

static void a_search_finds_who_wrote(void **state)
{
    static struct change told[MOST_CHANGES], writes[MOST_CHANGES];
    random_state = 4;
    unsigned edges = 0, there = 0;
    for (unsigned trip = 0; trip < 8; trip++) {
        const size_t schedule = trip % 4;
        struct rig r = rig_mixed(schedule);
        struct wt_timeline *t;
        struct wt_error err;
        assert_int_equal(wt_timeline_new(r.m, UINT64_MAX, &t, &err), WT_OK);
        wt_timeline_set_interval(t, 300);
        UNTIL(wt_timeline_run(t, 500) != WT_RUN_BUDGET, (void)0);
        const uint64_t end = r.m->time;
        for (unsigned i = 0; i < 12; i++) {
            const uint64_t at = any(end);
            const bool backwards = any(4) != 0;
            assert_int_equal(wt_timeline_goto(t, at, &err), WT_OK);
            uint32_t wave = (uint32_t)any(r.m->waves);
            struct wt_watch watch = some_word(wave), pinned = watch;
            /* The word as it is named there is looked for from the beginning. */
            wt_watch_pin(r.m, &pinned, 1);
            size_t count, before = 0;
            changes_told(schedule, 0, &pinned, told, writes, &count);
            while (before < count && writes[before].time < at)
                before++;
            const bool expected = backwards ? before > 0 : before < count;
            const struct change *c = expected ? &writes[backwards ? before - 1 : before] : NULL;
            struct wt_watch_hit hit;
            if (found(t, r.m, backwards, &watch, &hit) != expected)
                fail_msg("trip %u: %s", trip, expected ? "not found" : "found");
            expected ? there++ : edges++;
            if (expected && (hit.time != c->time || hit.wave != c->wave ||
                             memcmp(hit.before + at_word(&watch, &hit), c->before, 4)))
                fail_msg("trip %u: found at %llu by wave %u, expected at %llu by wave %u", trip,
                         (unsigned long long)hit.time, hit.wave, (unsigned long long)c->time,
                         c->wave);
        }
        wt_timeline_free(t);
        rig_free(&r);
    }
    assert_true(edges > 5 && there > 40);
}

/* ---- one thing each ---- */

/* Another group that comes into the same slot has another LDS. */
static void the_lds_of_a_group_goes_with_it(void **state)
{
    struct rig r = rig_mixed(1);
    const uint32_t first = r.d->wave[0].group->coordinate[0];
    struct wt_watch watch = {
        .kind = WT_WATCH_ACCESS, .addr = GCN_SHARED_APERTURE, .size = LDS, .wave = 0};
    wt_watch_pin(r.m, &watch, 1);
    set(&r, &watch, 1);
    unsigned met = 0;
    enum wt_run how;
    while ((how = run(&r, 1000)) != WT_RUN_ENDED)
        if (how == WT_RUN_WATCH) {
            met++;
            assert_true(r.m->hit[0].wave < GCN_MOST_CU_WAVES);
            const struct gcn_wave *w = &r.d->wave[r.m->hit[0].wave];
            assert_true(w->group->coordinate[0] == first);
        }
    /* Two waves, four times, three accesses. */
    assert_int_equal(met, 24);
    rig_free(&r);
}

/* A private address is that of all lanes of one wave. */
static void private_memory_is_that_of_a_wave(void **state)
{
    struct rig r = rig_mixed(1);
    struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = PRIVATE_WORD, .size = 4, .wave = 1};
    set(&r, &watch, 1);
    assert_int_equal(run(&r, 1000), WT_RUN_WATCH);
    const struct gcn_wave *w = &r.d->wave[1];
    const unsigned lanes = (unsigned)__builtin_popcountll(gcn_exec(w));
    assert_int_equal(r.m->hits, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        const struct wt_watch_hit *h = &r.m->hit[i];
        assert_true(h->wave == 1 && h->lane == i && h->size == 4);
        assert_true(h->addr == gcn_private_addr(w, i, 12) && h->kind == WT_WATCH_WRITE);
        assert_int_equal(wt_load_le(h->after, 4), w->v[3][i]);
    }
    /* One byte of it is as good. */
    watch =
        (struct wt_watch){.kind = WT_WATCH_WRITE, .addr = PRIVATE_WORD + 2, .size = 1, .wave = 1};
    set(&r, &watch, 1);
    assert_int_equal(run(&r, 1000), WT_RUN_WATCH);
    assert_int_equal(r.m->hits, lanes);
    /* Where there is no wave there is none. */
    watch.wave = 79;
    set(&r, &watch, 1);
    enum wt_run how;
    while ((how = run(&r, 1000)) != WT_RUN_ENDED)
        assert_int_equal(how, WT_RUN_BUDGET);
    rig_free(&r);
}

/* Told before it issues, once; the next run issues it. */
static void an_instruction_is_told_before_it_issues(void **state)
{
    for (size_t k = 0; k < 4; k++) {
        struct rig r = rig_mixed(k);
        const struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .addr = LOOP, .size = 1};
        set(&r, &watch, 1);
        unsigned met = 0;
        uint64_t last = UINT64_MAX;
        enum wt_run how;
        while ((how = run(&r, 1000)) != WT_RUN_ENDED) {
            if (how != WT_RUN_WATCH)
                continue;
            met++;
            const struct wt_watch_hit *h = &r.m->hit[0];
            assert_true(r.m->hits == 1 && h->kind == WT_WATCH_EXECUTE && h->pc == LOOP);
            assert_true(h->time == r.m->time && h->size == 0 && h->addr == LOOP);
            assert_true(h->time != last && r.d->wave[h->wave].pc == LOOP);
            last = h->time;
            if (met % 16)
                continue;
            /* Who comes back there is told again. */
            struct wt_state *saved = wt_state_save(r.m);
            wt_state_restore(r.m, saved);
            assert_int_equal(r.m->hits, 0);
            assert_int_equal(run(&r, 1000), WT_RUN_WATCH);
            assert_true(r.m->hit[0].time == last && r.m->time == last);
            wt_state_free(saved);
        }
        assert_int_equal(met, 4 * 2 * GROUPS);
        rig_free(&r);
    }
}

/* Scalar instructions issue where no lane is enabled. */
static void an_instruction_without_lanes_is_told(void **state)
{
    static const uint32_t code[] = {0xbefe0180 /* s_mov_b64 exec, 0 */, S_NOP, S_ENDPGM};
    struct rig r = rig_new("rr:64", 1, 64, code, 3);
    const struct wt_watch list[] = {
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4, .size = 1},
        {.kind = WT_WATCH_ISSUE, .wave = 0},
    };
    set(&r, list, 2);
    assert_int_equal(run(&r, 9), WT_RUN_WATCH);
    assert_true(r.m->time == 0 && r.m->hits == 1 && r.m->hit[0].kind == WT_WATCH_ISSUE);
    assert_int_equal(run(&r, 9), WT_RUN_WATCH);
    assert_true(r.m->time == 1 && r.m->hits == 2 && r.m->hit[1].kind == WT_WATCH_EXECUTE);
    assert_true(r.m->hit[0].mask == 0 && r.m->hit[0].lane == 0 && r.m->hit[0].pc == CODE + 4);
    assert_int_equal(run(&r, 9), WT_RUN_WATCH);
    assert_int_equal(r.m->time, 2);
    assert_int_equal(run(&r, 9), WT_RUN_ENDED);
    assert_int_equal(r.m->time, 3);
    rig_free(&r);
}

/* A watched instruction that is rewritten is watched still, and is the new one. */
static void a_watched_instruction_can_change(void **state)
{
    static const uint32_t code[] = {S_NOP, 0xbe800081 /* s_mov_b32 s0, 1 */,
                                    0xbf82fffd /* s_branch to the first */};
    struct rig r = rig_new("rr:64", 1, 64, code, 3);
    const struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4, .size = 4};
    set(&r, &watch, 1);
    assert_int_equal(run(&r, 100), WT_RUN_WATCH);
    assert_int_equal(run(&r, 100), WT_RUN_WATCH);
    assert_int_equal(r.d->wave[0].s[0], 1);
    put(r.d, CODE + 4, (const uint8_t[]){0x82, 0x00, 0x80, 0xbe}, 4); /* s_mov_b32 s0, 2 */
    assert_int_equal(run(&r, 100), WT_RUN_WATCH);
    assert_int_equal(r.d->wave[0].s[0], 2);
    set(&r, NULL, 0);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    rig_free(&r);
}

/* ---- in a host process ---- */

enum { ROUNDS = 2000 };

static void *count_up(void *word)
{
    for (unsigned i = 0; i < 100 * ROUNDS; i++)
        __atomic_fetch_add((uint32_t *)word, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Atomics stay atomic where they are watched: threads of the host may do some at the same time. */
static void watched_atomics_are_atomic(void **state)
{
    static _Alignas(4096) uint8_t memory[3][4096]; /* the kernel; its packet; the word */
    static const uint32_t code[] = {
        0x7e020281,             /* v_mov_b32 v1, 1 */
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0xbe8400ff, ROUNDS,     /* s_mov_b32 s4, ROUNDS */
        0xdd088000, 0x00020100, /* loop: global_atomic_add v0, v1, s[2:3] */
        0x80848104,             /* s_sub_u32 s4, s4, 1 */
        0xbf078004,             /* s_cmp_lg_u32 s4, 0 */
        0xbf85fffb,             /* s_cbranch_scc1 loop */
        S_ENDPGM,
    };
    struct gcn_config config;
    struct gcn_device *d;
    struct wt_error err;
    uint8_t *descriptor = memory[1], *packet = memory[1] + 64;
    uint32_t *word = (uint32_t *)(void *)memory[2];
    gcn_config_default(&config);
    assert_int_equal(gcn_device_new_in_host(&config, &gcn_driver, &d, &err), WT_OK);
    assert_int_equal(gcn_device_map(d, (uintptr_t)memory, sizeof memory, true, &err), WT_OK);
    memcpy(memory[0], code, sizeof code);
    wt_store_le(descriptor + 16, (uintptr_t)memory[0] - (uintptr_t)descriptor, 8);
    wt_store_le(descriptor + 48, 1 << 6, 4);
    wt_store_le(packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(packet + 12 + 4 * i, i ? 1 : 64, 4);
    }
    wt_store_le(packet + 32, (uintptr_t)descriptor, 8);
    assert_int_equal(gcn_device_dispatch(d, (uintptr_t)packet, 0, &err), WT_OK);
    gcn_set_pair(&d->wave[0].s[2], (uintptr_t)word);
    struct wt_machine *m = gcn_machine(d);
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = (uintptr_t)word, .size = 4};
    assert_true(wt_set_watches(m, &watch, 1));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, count_up, word), 0);
    uint64_t met = 0;
    enum wt_run how;
    UNTIL((how = m->ops->run(m, 1000)) == WT_RUN_ENDED, {
        assert_true(how != WT_RUN_FAULT);
        met += m->hits;
    });
    join_thread(thread);
    assert_int_equal(met, 64 * ROUNDS);
    assert_int_equal(*word, (64 + 100) * ROUNDS);
    gcn_device_free(d);
}

/* ---- conditions, and what a debugger sees ---- */

static struct rig conditions_rig;

static struct wt_machine *make_machine(void *context, size_t schedule)
{
    (void)context;
    conditions_rig = rig_mixed(schedule);
    return conditions_rig.m;
}

static void end_machine(void *context)
{
    (void)context;
    rig_free(&conditions_rig);
}

static const struct condition_case conditions = {
    .make = make_machine,
    .end = end_machine,
    .schedules = 4,
    .first = CODE,
    .last = CODE + 4 * MIXED_WORDS - 1,
    .pc = LOOP + 8, /* s_waitcnt behind the load of v3 */
    .number = GCN_REGISTER_V0 + 3,
    .wave_number = GCN_REGISTER_EXEC,
    .any_mask = true,
};

static void a_false_condition_changes_nothing(void **state)
{
    check_false_conditions(&conditions);
}

static void a_condition_tells_its_lanes(void **state)
{
    check_true_conditions(&conditions);
    check_two_conditions(&conditions);
}

static void a_search_looks_for_a_condition(void **state)
{
    check_searched_conditions(&conditions);
}

static void no_operation_is_missing(void **state)
{
    check_operations(&conditions);
}

static void rows_are_registers(void **state)
{
    struct rig r = rig_mixed(1);
    assert_int_equal(run(&r, 150), WT_RUN_BUDGET);
    struct gcn_wave *w = wave_of(&r, 0);
    const struct {
        unsigned number;
        uint64_t value;
        size_t bytes;
    } scalars[] = {
        {GCN_REGISTER_PC, w->pc, 8},
        {GCN_REGISTER_EXEC, gcn_exec(w), 8},
        {GCN_REGISTER_VCC, gcn_pair(&w->s[GCN_VCC]), 8},
        {GCN_REGISTER_FLAT_SCRATCH, gcn_pair(&w->s[GCN_FLAT_SCRATCH]), 8},
        {GCN_REGISTER_S0 + 2, DATA, 4},
        {GCN_REGISTER_S64, w->s[64], 4},
        {GCN_REGISTER_M0, w->s[GCN_M0], 4},
        {GCN_REGISTER_TTMP0 + 11, w->s[GCN_TTMP + 11], 4},
        {GCN_REGISTER_MODE, w->mode, 4},
        {GCN_REGISTER_STATUS, gcn_status(w), 4},
        {GCN_REGISTER_TRAPSTS, w->trapsts, 4},
    };
    struct wt_register_shape reg;
    uint8_t row[WT_ROW_BYTES];
    w->s[64] = 0x12345678;
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        const uint64_t value =
            scalars[i].number == GCN_REGISTER_S64 ? 0x12345678 : scalars[i].value;
        assert_true(r.m->ops->describe_register(r.m, scalars[i].number, &reg));
        assert_true(reg.bytes == scalars[i].bytes && !reg.per_lane);
        assert_true(r.m->ops->read_row(r.m, w->id, scalars[i].number, row));
        assert_true(wt_load_le(row, reg.bytes) == value);
    }
    assert_true(r.m->ops->describe_register(r.m, GCN_REGISTER_V0 + 3, &reg));
    assert_true(reg.bytes == 4 && reg.per_lane);
    assert_true(r.m->ops->read_row(r.m, w->id, GCN_REGISTER_V0 + 3, row));
    assert_memory_equal(row, w->v[3], sizeof *w->v);
    /* VGPRs that the wave has not been given, and waves that are not there. */
    assert_false(r.m->ops->read_row(r.m, w->id, GCN_REGISTER_V0 + w->vgprs, row));
    uint32_t idle = 0;
    while (r.d->wave[idle].active)
        idle++;
    assert_false(r.m->ops->read_row(r.m, idle, GCN_REGISTER_PC, row));
    rig_free(&r);
}

/* Private memory is that of the lane: any bytes of it, and nothing of another lane's. */
static void memory_is_as_a_lane_sees_it(void **state)
{
    struct rig r = rig_mixed(1);
    assert_int_equal(run(&r, 150), WT_RUN_BUDGET);
    struct gcn_wave *w = wave_of(&r, 0);
    const uint64_t at = GCN_PRIVATE_APERTURE + 9;
    uint8_t bytes[12], back[12];
    for (unsigned lane = 0; lane < GCN_LANES; lane += 7) {
        assert_true(r.m->ops->read_memory(r.m, w->id, lane, at, bytes, sizeof bytes));
        for (unsigned i = 0; i < sizeof bytes; i++) {
            uint8_t byte;
            assert_true(gcn_device_read(r.d, gcn_private_addr(w, lane, 9 + i), &byte, 1));
            assert_int_equal(bytes[i], byte);
        }
    }
    uint8_t other[64];
    assert_true(r.m->ops->read_memory(r.m, w->id, 6, GCN_PRIVATE_APERTURE, other, sizeof other));
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0x80 + i);
    assert_true(r.m->ops->write_memory(r.m, w->id, 5, at, bytes, sizeof bytes));
    assert_true(r.m->ops->read_memory(r.m, w->id, 5, at, back, sizeof back));
    assert_memory_equal(back, bytes, sizeof bytes);
    uint8_t same[64];
    assert_true(r.m->ops->read_memory(r.m, w->id, 6, GCN_PRIVATE_APERTURE, same, sizeof same));
    assert_memory_equal(same, other, sizeof same);
    /* No lane, no wave: no private memory; what all share is there. */
    assert_false(r.m->ops->read_memory(r.m, w->id, GCN_LANES, at, back, 4));
    assert_false(r.m->ops->read_memory(r.m, r.m->waves, 0, at, back, 4));
    assert_false(r.m->ops->read_memory(r.m, r.m->waves, 0, GCN_SHARED_APERTURE, back, 4));
    assert_true(r.m->ops->read_memory(r.m, r.m->waves, 0, DATA, back, 4));
    /* LDS is the group's, up to what it has; GDS the device's. */
    assert_true(r.m->ops->read_memory(r.m, w->id, 0, GCN_SHARED_APERTURE + LDS - 4, back, 4));
    assert_memory_equal(back, w->group->local + LDS - 4, 4);
    assert_false(r.m->ops->read_memory(r.m, w->id, 0, GCN_SHARED_APERTURE + LDS - 4, back, 5));
    assert_true(r.m->ops->read_memory(r.m, 0, 0, GCN_REGION_APERTURE + 8, back, 4));
    assert_memory_equal(back, r.d->gds + 8, 4);
    rig_free(&r);
}

/* One look-up for many lanes finds for each what a look-up of its own does, and more than nothing.
 */
static void memory_of_lanes_at_one_address(void **state)
{
    static const uint64_t place[] = {GCN_PRIVATE_APERTURE, GCN_SHARED_APERTURE, DATA,
                                     GCN_SHARED_APERTURE + LDS - 4, GCN_REGION_APERTURE};
    struct rig r = rig_mixed(1);
    assert_int_equal(run(&r, 150), WT_RUN_BUDGET);
    struct gcn_wave *w = wave_of(&r, 0);
    uint8_t lane[GCN_LANES];
    uint64_t out[GCN_LANES];
    unsigned found = 0, count = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const uint64_t own[3] = {i * 0x0102030405060708, ~(uint64_t)i, i};
        assert_true(r.m->ops->write_memory(r.m, w->id, i, GCN_PRIVATE_APERTURE, own, sizeof own));
        if (i % 3) /* lanes between are off */
            lane[count++] = (uint8_t)i;
    }
    for (unsigned i = 0; i < 5 * 12 * 8; i++) {
        const uint64_t at = place[i / 96] + i % 12;
        const unsigned size = 1 + i / 12 % 8;
        uint64_t alone = 0;
        if (!wt_pieces_gather(r.m, w->id, lane, count, at, size, out))
            continue;
        found++;
        for (unsigned k = 0; k < count; k++) {
            assert_true(r.m->ops->read_memory(r.m, w->id, lane[k], at, &alone, size));
            assert_true(out[k] == alone);
        }
    }
    assert_true(found > 4 * 12 * 8);
    assert_false(wt_pieces_gather(r.m, w->id, lane, count, GCN_SHARED_APERTURE + LDS - 4, 5, out));
    assert_false(wt_pieces_gather(r.m, r.m->waves, lane, count, GCN_PRIVATE_APERTURE, 4, out));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_lanes_at_one_address),
        cmocka_unit_test(each_row_tells_its_bytes),
        cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(a_watch_misses_nothing),
        cmocka_unit_test(hits_are_what_memory_shows),
        cmocka_unit_test(a_search_finds_who_wrote),
        cmocka_unit_test(the_lds_of_a_group_goes_with_it),
        cmocka_unit_test(private_memory_is_that_of_a_wave),
        cmocka_unit_test(an_instruction_is_told_before_it_issues),
        cmocka_unit_test(an_instruction_without_lanes_is_told),
        cmocka_unit_test(a_watched_instruction_can_change),
        cmocka_unit_test(watched_atomics_are_atomic),
        cmocka_unit_test(a_false_condition_changes_nothing),
        cmocka_unit_test(a_condition_tells_its_lanes),
        cmocka_unit_test(a_search_looks_for_a_condition),
        cmocka_unit_test(no_operation_is_missing),
        cmocka_unit_test(rows_are_registers),
        cmocka_unit_test(memory_is_as_a_lane_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

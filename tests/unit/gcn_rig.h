/*
 * What tests of gfx900 have in common: a device of two compute units that runs a program given as
 * words, and a program that uses all kinds of memory. cmocka.h comes before it.
 */
#ifndef TESTS_GCN_RIG_H
#define TESTS_GCN_RIG_H

#include <string.h>

#include "emulator/gcn/internal.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* no test uses all of it */

#define BASE UINT64_C(0x10000)
#define DESCRIPTOR BASE
#define PACKET (BASE + 0x1000)
#define QUEUE (BASE + 0x1100)
#define CODE (BASE + 0x2000)
#define DATA (BASE + 0x4000)
#define DATA_SIZE 0x4000
#define SCRATCH UINT64_C(0x100000)
#define PRIVATE 256 /* bytes of a lane */
#define LDS 8192
#define GDS_PART 8192 /* that M0 lets the wave use, from 0 on */
#define S_NOP 0xbf800000u
#define S_ENDPGM 0xbf810000u
#define ALL (~(uint64_t)0)

static uint64_t random_state;
/* Of devices that are made from then on (struct gcn_config). */
static unsigned rig_jit = 256;
static bool rig_vectors_256;
static const struct gcn_model *rig_model = gcn_models;

/* 0 .. below-1 */
static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* Whether the tests can write the row's words: in the encodings of gfx9. The others are of
 * isa/gcn_gfx10. */
static bool rig_encodes(const struct gcn_row *row)
{
    return row->models != GCN_ON_GFX10;
}

/* The first model that has the row is that of devices from then on. Whether it was another one. */
static bool rig_take_model_of(const struct gcn_row *row)
{
    const struct gcn_model *before = rig_model;
    for (rig_model = gcn_models; !(row->models & rig_model->set); rig_model++)
        ;
    return rig_model != before;
}

struct rig {
    struct gcn_device *d;
    struct wt_machine *m;
};

static void put(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    assert_true(gcn_device_write(d, addr, bytes, size));
}

static void put_numbers(struct gcn_device *d)
{
    static uint8_t bytes[DATA_SIZE];
    for (size_t i = 0; i < sizeof bytes; i += 4)
        wt_store_le(bytes + i, i * 2654435761u + 12345, 4);
    put(d, DATA, bytes, sizeof bytes);
    for (uint64_t at = 0; at < gcn_device_scratch_size(d, PRIVATE); at += sizeof bytes)
        put(d, SCRATCH + at, bytes, sizeof bytes);
    memcpy(d->gds, bytes, GDS_PART);
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->group[i].used)
            memcpy(d->group[i].local, bytes + 1024 * (i & 1), LDS);
}

/* Groups of `items` work-items that run this code. */
static struct rig rig_new(const char *schedule, unsigned groups, unsigned items,
                          const uint32_t *code, size_t words)
{
    struct rig r;
    struct gcn_config config;
    struct wt_error err;
    uint8_t descriptor[64] = {0}, packet[64] = {0}, queue[256] = {0};
    gcn_config_default(&config);
    config.cu = 2;
    config.model = rig_model;
    config.jit = rig_jit;
    config.vectors_256 = rig_vectors_256;
    assert_int_equal(wt_schedule_parse(schedule, &config.schedule, &err), WT_OK);
    assert_int_equal(gcn_device_new(&config, &r.d, &err), WT_OK);
    r.m = gcn_machine(r.d);
    const uint64_t scratch = gcn_device_scratch_size(r.d, PRIVATE);
    assert_int_equal(gcn_device_map(r.d, BASE, DATA + DATA_SIZE - BASE, true, &err), WT_OK);
    assert_int_equal(gcn_device_map(r.d, SCRATCH, scratch, true, &err), WT_OK);
    put(r.d, CODE, code, 4 * words);
    wt_store_le(descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(descriptor + 44, 15, 4);           /* 64 VGPRs before accumulation registers */
    wt_store_le(descriptor + 48, 15 | 12 << 6, 4); /* 64 VGPRs, many SGPRs */
    wt_store_le(descriptor + 52, 1 | 1 << 7, 4);   /* s0: the group, s1: the wave's scratch */
    put(r.d, DESCRIPTOR, descriptor, sizeof descriptor);
    wt_store_le(packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + 4 + 2 * i, i ? 1 : items, 2);
        wt_store_le(packet + 12 + 4 * i, i ? 1 : groups * items, 4);
    }
    wt_store_le(packet + 24, PRIVATE, 4);
    wt_store_le(packet + 28, LDS, 4);
    wt_store_le(packet + 32, DESCRIPTOR, 8);
    put(r.d, PACKET, packet, sizeof packet);
    gcn_queue_set_scratch(queue, SCRATCH, scratch, PRIVATE);
    put(r.d, QUEUE, queue, 192);
    assert_int_equal(gcn_device_dispatch(r.d, PACKET, QUEUE, &err), WT_OK);
    put_numbers(r.d);
    return r;
}

static void rig_free(struct rig *r)
{
    gcn_device_free(r->d);
}

static void set(struct rig *r, const struct wt_watch *list, size_t count)
{
    assert_true(wt_set_watches(r->m, list, count));
}

static uint64_t hash(struct rig *r)
{
    return r->m->ops->hash(r->m);
}

static enum wt_run run(struct rig *r, uint64_t issues)
{
    return r->m->ops->run(r->m, issues);
}

static struct gcn_wave *wave_of(struct rig *r, unsigned n)
{
    for (uint32_t i = 0; i < r->m->waves; i++)
        if (r->d->wave[i].active && !n--)
            return &r->d->wave[i];
    fail();
    return NULL;
}

/* ---- a program of several groups, which do all kinds of accesses and meet ---- */

/* Its memory instructions get at DATA, at LDS, at private memory; `loop` four times each wave. */
static const uint32_t mixed[] = {
    0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
    0xbe830080,             /* s_mov_b32 s3, 0 */
    0x8066ff01, 0x00100000, /* s_add_u32 flat_scratch_lo, s1, SCRATCH */
    0xbee70080,             /* s_mov_b32 flat_scratch_hi, 0 */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0x7e080288,             /* v_mov_b32 v4, 8 */
    0x7e0e0280,             /* v_mov_b32 v7, 0 */
    0xbe840084,             /* s_mov_b32 s4, 4 */
    0xdc508000, 0x03020001, /* loop: global_load_dword v3, v1, s[2:3] */
    0xbf8c0000,             /* s_waitcnt 0 */
    0x68060103,             /* v_add_u32 v3, v3, v0 */
    0xdc708400, 0x00020301, /* global_store_dword v1, v3, s[2:3] offset:1024 */
    0xdc704004, 0x007f0304, /* scratch_store_dword v4, v3, off offset:4 */
    0xdc504004, 0x057f0004, /* scratch_load_dword v5, v4, off offset:4 */
    0xd81a0000, 0x00000301, /* ds_write_b32 v1, v3 */
    0xbf8a0000,             /* s_barrier */
    0xd86c0004, 0x06000001, /* ds_read_b32 v6, v1 offset:4 */
    0xd8000010, 0x00000507, /* ds_add_u32 v7, v5 offset:16 */
    0xdd088800, 0x00020607, /* global_atomic_add v7, v6, s[2:3] offset:2048 */
    0xc00a0201, 0x00000040, /* s_load_dwordx4 s[8:11], s[2:3], 0x40 */
    0xc0420101, 0x00000080, /* s_store_dword s4, s[2:3], 0x80 */
    0x80848104,             /* s_sub_u32 s4, s4, 1 */
    0xbf078004,             /* s_cmp_lg_u32 s4, 0 */
    0xbf85ffe6,             /* s_cbranch_scc1 loop */
    0xbf810000,             /* s_endpgm */
};
enum { MIXED_WORDS = sizeof mixed / sizeof mixed[0], GROUPS = 20, ITEMS = 100 };
#define LOOP (CODE + 40)      /* the first instruction of the loop */
#define SUM (DATA + 2048)     /* what all lanes add to */
#define COUNTER (DATA + 0x80) /* what all waves store to */
#define PRIVATE_WORD (GCN_PRIVATE_APERTURE + 12)

static const char *const schedules[] = {"rr:1", "rr:64", "lockstep", "random:7"};

static struct rig rig_mixed(size_t schedule)
{
    return rig_new(schedules[schedule], GROUPS, ITEMS, mixed, MIXED_WORDS);
}

#endif

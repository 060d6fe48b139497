/*
 * Watched places: each load, store and atomic of the instruction table is seen exactly where it
 * overlaps what is watched, with what was there before and after; and whatever is watched, the
 * machine passes through the same states at the same issue times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "emulator/machine/observe.h"
#include "emulator/machine/timeline.h"
#include "debug/vortex/vortex.h"
#include "emulator/vortex/internal.h"
#include "emulator/machine/state.h"
#include "conditions.h"
#include "mixed_program.h"
#include "../names.h"

static uint64_t random_state;

/* 0 .. below-1 */
static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

static void set(struct rig *r, const struct wt_watch *list, size_t count)
{
    assert_true(wt_set_watches(r->machine, list, count));
}

static uint64_t hash(struct rig *r)
{
    return r->machine->ops->hash(r->machine);
}

static enum wt_run run(struct rig *r, uint64_t issues)
{
    return r->machine->ops->run(r->machine, issues);
}

static struct vx_warp *warp(struct rig *r, unsigned id)
{
    return &((struct vx_device *)r->machine)->warp[id];
}

/* ---- each row of the instruction table ---- */

enum access { NO_ACCESS, LOAD, STORE, ATOMIC, STORE_CONDITIONAL };

static enum access access_of(const struct vx_insn *row)
{
    const bool address = strchr(row->operands, 'a') != NULL;
    if (strchr(row->operands, 'q'))
        return STORE;
    if (strchr(row->operands, 'l'))
        return strcmp(row->name, "jalr") ? LOAD : NO_ACCESS;
    if (!address)
        return NO_ACCESS;
    return !strncmp(row->name, "lr.", 3)   ? LOAD
           : !strncmp(row->name, "sc.", 3) ? STORE_CONDITIONAL
                                           : ATOMIC;
}

#define PLACE 0x10002000u /* the beginning of a page */
#define LOCAL_32 0xffff0000u
#define LOCAL_64 0x1ffff0000u

/* A rig of one warp with all of its `lanes` enabled, at its first instruction, which is a TMC. */
static struct rig *one_instruction(unsigned xlen, unsigned lanes, uint32_t word, bool misaligned)
{
    static uint32_t code[3];
    code[0] = TMC(T0);
    code[1] = word;
    code[2] = ADDI(S5, X0, 77);
    const struct rig_options options = {.xlen = xlen, .warps = 2, .threads = lanes, .cores = 2};
    struct rig *r = rig_device(&options, code, 3);
    ((struct vx_device *)r->machine)->config.allow_misaligned = misaligned;
    for (unsigned l = 0; l < lanes; l++)
        vx_set_x(warp(r, 0), T0, l, (uint64_t)-1);
    assert_int_equal(run(r, 1), WT_RUN_BUDGET);
    return r;
}

/* The word of a row with rd A0 (or fa0), address in A1, value in A2 (fa2), no offset. */
static uint32_t word_of(const struct vx_insn *row)
{
    const bool second = strchr(row->operands, 't') || strchr(row->operands, 'T');
    return row->match | U32(A1) << 15 | (second ? U32(A2) << 20 : 0) |
           (strchr(row->operands, 'q') ? 0 : U32(A0) << 7);
}

static unsigned size_of(const struct vx_insn *row)
{
    return 1u << (row->match >> 12 & 3);
}

/* What an observer was told. */
struct observed {
    unsigned count;
    struct wt_observed last;
};

static void observe(void *context, struct wt_machine *m, const struct wt_observed *access)
{
    struct observed *seen = context;
    seen->count++;
    seen->last = *access;
}

/* One lane at `at`, one byte watched and observed: is it a hit exactly if it overlaps, and does it
 * say so? */
static void check_one(const struct vx_insn *row, unsigned xlen, uint64_t at, uint64_t byte,
                      enum wt_watch_kind kind, bool reserved)
{
    const enum access access = access_of(row);
    const unsigned size = size_of(row), lane = 2;
    struct rig *r = one_instruction(xlen, 4, word_of(row), true);
    struct vx_warp *w = warp(r, 0);
    const uint64_t elsewhere = PLACE + 0x5000;
    uint64_t before = 0x8877665544332211, after = 0, value = 0x1122334455667788;
    for (unsigned l = 0; l < 4; l++) {
        vx_set_x(w, A1, l, l == lane ? at : elsewhere + 8 * l);
        vx_set_x(w, A2, l, value);
        w->f[A2 * 4 + l] = value;
    }
    if (xlen == 32)
        value = access == STORE && size == 8 ? value : (uint32_t)value;
    if (size < 8) {
        before &= ((uint64_t)1 << 8 * size) - 1;
        value &= ((uint64_t)1 << 8 * size) - 1;
    }
    assert_true(r->machine->ops->write_memory(r->machine, 0, 0, at, &before, size));
    if (reserved) {
        w->reserved_addr[lane] = at + 1;
        w->reserved_value[lane] = before;
    }
    const struct wt_watch watch = {.kind = kind, .addr = byte, .size = 1, .wave = 0};
    struct observed seen = {.count = 0};
    set(r, &watch, 1);
    assert_true(wt_observe(r->machine, observe, &seen, &watch, 1));
    assert_int_equal(r->machine->hits, 0);
    const enum wt_run how = run(r, 2);
    const bool reads = access == LOAD || access == ATOMIC;
    const bool writes =
        access == STORE || access == ATOMIC || (access == STORE_CONDITIONAL && reserved);
    const bool expected = byte >= at && byte < at + size &&
                          ((reads && kind != WT_WATCH_WRITE) || (writes && kind != WT_WATCH_READ));
    if (how != (expected ? WT_RUN_WATCH : WT_RUN_BUDGET))
        fail_msg("%s rv%u at %llx byte %llx %s: %s", row->name, xlen, (unsigned long long)at,
                 (unsigned long long)byte, watch_name(kind), run_name(how));
    assert_int_equal(r->machine->fault.kind, WT_FAULT_NONE);
    assert_true(r->machine->time == (expected ? 2u : 3u));
    assert_int_equal(r->machine->hits, expected);
    /* It is observed whatever kind is watched. */
    const bool overlaps = byte >= at && byte < at + size && (reads || writes);
    assert_int_equal(seen.count, overlaps);
    if (overlaps) {
        const struct wt_observed *o = &seen.last;
        const bool local = at >= (xlen == 32 ? LOCAL_32 : LOCAL_64);
        assert_int_equal((unsigned)o->kind, access == LOAD     ? WT_WATCH_READ
                                            : access == ATOMIC ? WT_WATCH_ACCESS
                                                               : WT_WATCH_WRITE);
        assert_true(o->time == 1 && o->wave == 0 && o->id == wt_machine_wave_id(r->machine, 0));
        assert_true(o->pc == CODE + 4 && o->lanes == wt_lane_bit(lane) && o->at[lane] == at);
        assert_true(o->size == size && !o->is_scalar);
        assert_int_equal(o->space, local ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL);
    }
    if (expected) {
        const struct wt_watch_hit *hit = r->machine->hit;
        assert_true(r->machine->ops->read_memory(r->machine, 0, 0, at, &after, size));
        assert_int_equal((unsigned)hit->kind, access == LOAD     ? WT_WATCH_READ
                                              : access == ATOMIC ? WT_WATCH_ACCESS
                                                                 : WT_WATCH_WRITE);
        assert_true(hit->time == 1 && hit->wave == 0 && hit->lane == lane && hit->mask == 15);
        assert_true(hit->pc == CODE + 4 && hit->addr == at && hit->size == size);
        assert_memory_equal(hit->before, &before, size);
        assert_memory_equal(hit->after, &after, size);
        if (access == STORE || access == STORE_CONDITIONAL)
            assert_true(after == value);
        /* It has issued, and the rest goes on. */
        assert_int_equal(run(r, 1), WT_RUN_BUDGET);
        assert_true(r->machine->time == 3);
        assert_int_equal(r->machine->hits, 0);
    }
    assert_true(vx_get_x(w, S5, 3) == 77);
    rig_free(r);
}

static void every_row_is_seen_where_it_overlaps(void **state)
{
    unsigned seen = 0;
    static const enum wt_watch_kind kinds[] = {WT_WATCH_WRITE, WT_WATCH_READ, WT_WATCH_ACCESS};
    for (size_t i = 0; i < VX_INSN_COUNT; i++)
        for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
            const enum access access = access_of(&vx_insns[i]);
            if (access == NO_ACCESS || (vx_insns[i].xlen && vx_insns[i].xlen != xlen))
                continue;
            seen++;
            const unsigned size = size_of(&vx_insns[i]);
            const uint64_t places[] = {
                PLACE, PLACE + WT_PAGE_SIZE - size, xlen == 32 ? LOCAL_32 : LOCAL_64,
                /* across two pages; atomics must be aligned, bytes always are */
                strchr(vx_insns[i].operands, 'a') ? PLACE : PLACE + WT_PAGE_SIZE - size / 2};
            for (size_t p = 0; p < 4; p++)
                for (size_t k = 0; k < 3; k++)
                    for (uint64_t byte = places[p] - 1; byte <= places[p] + size; byte++) {
                        check_one(&vx_insns[i], xlen, places[p], byte, kinds[k], true);
                        if (access == STORE_CONDITIONAL)
                            check_one(&vx_insns[i], xlen, places[p], byte, kinds[k], false);
                    }
        }
    assert_int_equal(seen, 7 + 5 + 11 /* RV32: loads, stores, atomics */ + 9 + 6 + 22 /* RV64 */);
}

/* ---- lanes ---- */

static void lanes_come_in_order_with_what_each_saw(void **state)
{
    /* All lanes write the same word, one after the other. */
    struct rig *r = one_instruction(32, 32, SW(A2, A1, 0), false);
    for (unsigned l = 0; l < 32; l++) {
        vx_set_x(warp(r, 0), A1, l, PLACE);
        vx_set_x(warp(r, 0), A2, l, 100 + l);
    }
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = PLACE + 3, .size = 1};
    set(r, &watch, 1);
    assert_int_equal(run(r, 1), WT_RUN_WATCH);
    assert_int_equal(r->machine->hits, 32);
    for (unsigned l = 0; l < 32; l++) {
        const struct wt_watch_hit *hit = &r->machine->hit[l];
        assert_int_equal(hit->lane, l);
        assert_int_equal(hit->before[0], l ? 99 + l : 0);
        assert_int_equal(hit->after[0], 100 + l);
    }
    rig_free(r);
    /* Consecutive words: those lanes only whose word it is, and none that is masked off. */
    r = one_instruction(32, 32, SW(A2, A1, 0), false);
    vx_set_mask(warp(r, 0), 0xfffffff7);
    for (unsigned l = 0; l < 32; l++)
        vx_set_x(warp(r, 0), A1, l, PLACE + 4 * l);
    const struct wt_watch range = {.kind = WT_WATCH_WRITE, .addr = PLACE + 4 * 2 + 3, .size = 10};
    set(r, &range, 1);
    assert_int_equal(run(r, 1), WT_RUN_WATCH);
    assert_int_equal(r->machine->hits, 3);
    assert_int_equal(r->machine->hit[0].lane, 2);
    assert_int_equal(r->machine->hit[1].lane, 4);
    assert_int_equal(r->machine->hit[2].lane, 5);
    rig_free(r);
}

static void local_memory_is_that_of_the_core(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        const uint64_t local = xlen == 32 ? LOCAL_32 : LOCAL_64;
        for (unsigned wave = 0; wave < 4; wave++) {
            struct rig *r = one_instruction(xlen, 4, SW(A2, A1, 0), false);
            for (unsigned l = 0; l < 4; l++)
                vx_set_x(warp(r, 0), A1, l, local + 8);
            /* Warps 0 and 1 are of core 0, 2 and 3 of core 1. A range that begins before local
             * memory has a part that all see. */
            const struct wt_watch watch = {
                .kind = WT_WATCH_WRITE, .addr = local - 8, .size = 20, .wave = wave};
            set(r, &watch, 1);
            assert_int_equal(run(r, 1), wave < 2 ? WT_RUN_WATCH : WT_RUN_BUDGET);
            warp(r, 0)->pc = CODE + 4;
            for (unsigned l = 0; l < 4; l++)
                vx_set_x(warp(r, 0), A1, l, local - 4);
            assert_int_equal(run(r, 1), WT_RUN_WATCH);
            rig_free(r);
        }
    }
}

/* What the other kind of access left in the TLB must not hide one that is watched. */
static void one_kind_does_not_hide_the_other(void **state)
{
    static const uint32_t code[] = {
        LUI(A1, PLACE >> 12), SW(A1, A1, 64), LW(A0, A1, 0),
        LW(A0, A1, 64),       SW(A1, A1, 0),  J(X0, -16),
    };
    for (unsigned threads = 1; threads <= 32; threads *= 4)
        for (unsigned k = 0; k < 2; k++) {
            struct rig *r =
                rig_device(&(struct rig_options){.warps = 1, .threads = threads}, code, 6);
            const struct wt_watch watch = {
                .kind = k ? WT_WATCH_READ : WT_WATCH_WRITE, .addr = PLACE, .size = 4};
            set(r, &watch, 1);
            for (unsigned round = 0; round < 3; round++) {
                assert_int_equal(run(r, 100), WT_RUN_WATCH);
                assert_true(r->machine->hit[0].pc == CODE + (k ? 8 : 16));
            }
            rig_free(r);
        }
}

static void a_console_store_is_a_write(void **state)
{
    struct rig *r = one_instruction(32, 4, SB(A2, A1, 0), false);
    for (unsigned l = 0; l < 4; l++) {
        vx_set_x(warp(r, 0), A1, l, 0x40);
        vx_set_x(warp(r, 0), A2, l, 'a' + l);
    }
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = 0, .size = 4096};
    set(r, &watch, 1);
    assert_int_equal(run(r, 1), WT_RUN_WATCH);
    assert_int_equal(r->machine->hits, 4);
    for (unsigned l = 0; l < 4; l++) {
        assert_int_equal(r->machine->hit[l].before[0], 0);
        assert_int_equal(r->machine->hit[l].after[0], 'a' + l);
    }
    rig_free(r);
}

static void a_fault_is_no_hit(void **state)
{
    for (unsigned k = 0; k < 2; k++) {
        struct rig *r = one_instruction(32, 4, k ? LW(A0, A1, 0) : SW(A2, A1, 0), false);
        for (unsigned l = 0; l < 4; l++)
            vx_set_x(warp(r, 0), A1, l, PLACE + 4 * l + (l == 3));
        const struct wt_watch watch = {.kind = WT_WATCH_ACCESS, .addr = PLACE, .size = 64};
        set(r, &watch, 1);
        const uint64_t time = r->machine->time;
        assert_int_equal(run(r, 5), WT_RUN_FAULT);
        assert_int_equal(r->machine->hits, 0);
        assert_true(r->machine->time == time && warp(r, 0)->pc == CODE + 4);
        rig_free(r);
    }
}

static void what_a_debugger_does_is_no_hit(void **state)
{
    struct rig *r = one_instruction(32, 4, ADDI(X0, X0, 0), false);
    const struct wt_watch watch = {.kind = WT_WATCH_ACCESS, .addr = PLACE, .size = 64};
    set(r, &watch, 1);
    uint32_t word = 5;
    assert_true(r->machine->ops->write_memory(r->machine, 0, 0, PLACE, &word, 4));
    assert_true(r->machine->ops->read_memory(r->machine, 0, 0, PLACE, &word, 4));
    /* Injected loads and stores, by a debugger of the debug registers alone. */
    struct wt_error err;
    const struct wt_debugger_options how = {.dm_only = true};
    assert_int_equal(wt_debugger_open(&r->target, &wt_probe_vortex, &how, &r->d, &err), WT_OK);
    assert_int_equal(wt_debugger_reset(r->d, &err), WT_OK);
    assert_int_equal(wt_debugger_write_memory(r->d, 1, wt_address_of(PLACE), &word, 4, &err),
                     WT_OK);
    assert_int_equal(wt_debugger_read_memory(r->d, 1, wt_address_of(PLACE), &word, 4, &err), WT_OK);
    assert_int_equal(word, 5);
    assert_int_equal(r->machine->hits, 0);
    rig_free(r);
}

/* ---- before an instruction ---- */

static void a_place_is_told_before_it_issues(void **state)
{
    static const uint32_t code[] = {
        ADDI(T0, X0, 3), ADDI(T1, T1, 1), ADDI(T0, T0, -1), BNEZ(T0, -8), TMC(X0),
    };
    struct rig *r = rig_device(&(struct rig_options){.warps = 1}, code, 5);
    const struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4, .size = 1};
    set(r, &watch, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run(r, 100), WT_RUN_WATCH);
        assert_int_equal(r->machine->hits, 1);
        const struct wt_watch_hit *hit = r->machine->hit;
        assert_true(hit->kind == WT_WATCH_EXECUTE && hit->pc == CODE + 4 && hit->size == 0);
        assert_true(hit->time == r->machine->time && r->machine->time == 1 + 3 * i);
        assert_true(hit->lane == 0 && hit->mask == 1);
        assert_int_equal(vx_get_x(warp(r, 0), T1, 0), i);
        /* Told once; then it is told again after what makes it forget. */
        if (i == 1) {
            set(r, &watch, 1);
            assert_int_equal(run(r, 100), WT_RUN_WATCH);
            struct wt_state *saved = wt_state_save(r->machine);
            wt_state_restore(r->machine, saved);
            wt_state_free(saved);
            assert_int_equal(run(r, 100), WT_RUN_WATCH);
            assert_int_equal(run(r, 0), WT_RUN_BUDGET);
            assert_true(r->machine->time == 1 + 3 * i);
        }
        assert_int_equal(run(r, 1), WT_RUN_BUDGET);
        assert_int_equal(vx_get_x(warp(r, 0), T1, 0), i + 1);
    }
    assert_int_equal(run(r, 100), WT_RUN_ENDED);
    r->machine->ops->reset(r->machine);
    assert_int_equal(run(r, 100), WT_RUN_WATCH);
    assert_true(r->machine->time == 1);
    rig_free(r);
}

static void a_jump_to_itself_is_told_each_time(void **state)
{
    static const uint32_t code[] = {J(X0, 0)};
    struct rig *r = rig_device(&(struct rig_options){.warps = 1}, code, 1);
    const struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .addr = CODE, .size = 1};
    set(r, &watch, 1);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(run(r, 100), WT_RUN_WATCH);
        assert_true(r->machine->time == i);
    }
    rig_free(r);
}

/* The word at the place is written, an ebreak included: the watch stays, and comes first. */
static void a_place_stays_watched_when_its_code_changes(void **state)
{
    static const uint32_t code[] = {ADDI(T0, X0, 1), ADDI(T0, X0, 2), J(X0, -4)};
    struct rig *r = rig_device(&(struct rig_options){.warps = 1}, code, 3);
    const struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4, .size = 1};
    set(r, &watch, 1);
    assert_int_equal(run(r, 100), WT_RUN_WATCH);
    assert_int_equal(run(r, 100), WT_RUN_WATCH);
    assert_int_equal(vx_get_x(warp(r, 0), T0, 0), 2);
    const uint32_t other = ADDI(T0, X0, 9), trap = EBREAK;
    assert_true(r->machine->ops->write_memory(r->machine, 0, 0, CODE + 4, &other, 4));
    assert_int_equal(run(r, 1), WT_RUN_BUDGET);
    assert_int_equal(vx_get_x(warp(r, 0), T0, 0), 9);
    assert_true(r->machine->ops->write_memory(r->machine, 0, 0, CODE + 4, &trap, 4));
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31);
    vx_dm_write(r->device, VX_DM_DCONFIG, 1);
    assert_int_equal(run(r, 100), WT_RUN_WATCH);
    const uint64_t time = r->machine->time;
    assert_int_equal(run(r, 100), WT_RUN_EVENT);
    assert_true(r->machine->time == time && warp(r, 0)->halted && warp(r, 0)->pc == CODE + 4);
    uint32_t word;
    assert_true(r->machine->ops->read_memory(r->machine, 0, 0, CODE + 4, &word, 4));
    assert_true(word == trap);
    rig_free(r);
}

/* A step by the debug registers issues within the access: what it meets is there after it. */
static void a_step_tells_what_it_met(void **state)
{
    struct rig *r = one_instruction(32, 4, SW(A2, A1, 0), false);
    for (unsigned l = 0; l < 4; l++)
        vx_set_x(warp(r, 0), A1, l, PLACE + 4 * l);
    const struct wt_watch list[] = {
        {.kind = WT_WATCH_WRITE, .addr = PLACE, .size = 5},
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4, .size = 1},
        {.kind = WT_WATCH_ISSUE, .wave = 0, .size = 1},
    };
    set(r, list, 3);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31);
    vx_dm_write(r->device, VX_DM_WMASK, 1);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31 | 1); /* halt */
    assert_int_equal(r->machine->hits, 0);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31 | 1 << 3); /* step */
    assert_true(r->machine->time == 2 && warp(r, 0)->halted);
    assert_int_equal(r->machine->hits, 4);
    assert_int_equal(r->machine->hit[0].kind, WT_WATCH_ISSUE);
    assert_int_equal(r->machine->hit[1].kind, WT_WATCH_EXECUTE);
    assert_int_equal(r->machine->hit[2].kind, WT_WATCH_WRITE);
    assert_int_equal(r->machine->hit[3].lane, 1);
    for (unsigned i = 0; i < 4; i++)
        assert_true(r->machine->hit[i].time == 1 && r->machine->hit[i].pc == CODE + 4);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31 | 1 << 3);
    assert_int_equal(r->machine->hits, 1); /* the issue */
    rig_free(r);
}

/* The instruction that meets a watch also ends a step: both are told, one run after the other. */
static void a_watch_comes_before_an_event(void **state)
{
    struct rig *r = one_instruction(32, 4, SW(A2, A1, 0), false);
    ((struct vx_device *)r->machine)->config.dm_clock = 1;
    for (unsigned l = 0; l < 4; l++)
        vx_set_x(warp(r, 0), A1, l, PLACE + 4 * l);
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = PLACE, .size = 4};
    set(r, &watch, 1);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31);
    vx_dm_write(r->device, VX_DM_WMASK, 1);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31 | 1);
    vx_dm_write(r->device, VX_DM_DCTRL, 1u << 31 | 1 << 3);
    vx_dm_read(r->device, VX_DM_DCTRL); /* a cycle: the warp is let go, for one instruction */
    assert_true(r->machine->time == 1 && warp(r, 0)->stepping);
    assert_int_equal(run(r, 9), WT_RUN_WATCH);
    assert_true(r->machine->time == 2 && warp(r, 0)->halted);
    assert_int_equal(run(r, 9), WT_RUN_EVENT);
    assert_true(r->machine->time == 2);
    assert_int_equal(run(r, 9), WT_RUN_HALTED);
    rig_free(r);
}

/* ---- the machine goes on as if nobody looked ---- */

static const char *const schedules[] = {"rr:1", "rr:64", "lockstep", "random:7"};
static const struct rig_options shapes[] = {
    {.xlen = 32, .cores = 1, .warps = 4, .threads = 4},
    {.xlen = 64, .cores = 2, .warps = 4, .threads = 4},
    {.xlen = 32, .cores = 3, .warps = 2, .threads = 32},
    {.xlen = 64, .cores = 1, .warps = 5, .threads = 2},
    {.xlen = 32, .cores = 1, .warps = 1, .threads = 1},
    {.xlen = 32, .cores = 1, .warps = 40, .threads = 4},
};

/* Places that the mixed program uses all the time, and a few at random. */
static size_t hot_watches(struct wt_watch *list, const struct rig *r, size_t words)
{
    const uint64_t local = r->options.xlen == 64 ? LOCAL_64 : LOCAL_32;
    size_t n = 0;
    const uint32_t wave = (uint32_t)any(r->machine->waves);
    const enum wt_watch_kind kind = (enum wt_watch_kind)any(3);
    switch (any(6)) {
    case 0:
        list[n++] = (struct wt_watch){.kind = kind, .addr = 0x10000000, .size = 4, .wave = wave};
        break;
    case 1:
        list[n++] =
            (struct wt_watch){.kind = kind, .addr = local, .size = 1 + any(64), .wave = wave};
        break;
    case 2:
        list[n++] = (struct wt_watch){.kind = kind, .addr = 0x40, .size = 1, .wave = wave};
        list[n++] = (struct wt_watch){
            .kind = kind, .addr = 0x10000004 + any(0x100), .size = 1 + any(9), .wave = wave};
        break;
    case 3:
        list[n++] = (struct wt_watch){.kind = kind, .size = UINT64_MAX, .wave = wave};
        break;
    case 4: /* pages that are used, bytes that are not */
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = 0x10000f00, .size = 16, .wave = wave};
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ACCESS, .addr = local + 0x800, .size = 16, .wave = wave};
        break;
    }
    for (uint64_t i = any(4); i > 0; i--)
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_EXECUTE, .addr = CODE + 4 * any(words), .size = 1 + any(9), .wave = 0};
    for (uint64_t i = any(3); i > 0; i--)
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_ISSUE, .size = 1, .wave = (uint32_t)any(r->machine->waves)};
    return n;
}

static void watching_changes_nothing(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 12);
    random_state = 1;
    uint64_t met = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t k = 0; k < 4; k++)
            for (unsigned trip = 0; trip < 6; trip++) {
                struct rig_options options = shapes[s];
                options.schedule = schedules[k];
                struct rig *plain = rig_device(&options, code, words);
                struct rig *watched = rig_device(&options, code, words);
                enum wt_run how = WT_RUN_BUDGET;
                uint64_t last = UINT64_MAX;
                unsigned again = 0, checks = 0;
                struct observed seen = {.count = 0};
                if (trip % 2) /* everything */
                    assert_true(wt_observe(watched->machine, observe, &seen, NULL, 0));
                do {
                    struct wt_watch list[16];
                    const bool other = how == WT_RUN_BUDGET || any(50) == 0;
                    if (other)
                        set(watched, list, hot_watches(list, watched, words));
                    how = run(watched, 1 + any(trip ? 3000 : 3));
                    met += how == WT_RUN_WATCH;
                    assert_true((how == WT_RUN_WATCH) == (watched->machine->hits != 0));
                    /* Places before an issue are told once, so at one time there are few. */
                    again = watched->machine->time == last && !other ? again + 1 : 0;
                    assert_true(again < 2);
                    last = watched->machine->time;
                    if (last > plain->machine->time)
                        run(plain, last - plain->machine->time);
                    assert_true(plain->machine->time == last);
                    if (checks++ % 16 == 0)
                        assert_true(hash(plain) == hash(watched));
                } while (how == WT_RUN_BUDGET || how == WT_RUN_WATCH);
                assert_int_equal(how, WT_RUN_ENDED);
                assert_int_equal(run(plain, 1), WT_RUN_ENDED);
                assert_true(hash(plain) == hash(watched));
                if (trip % 2 ? seen.count < 10 : seen.count)
                    fail_msg("%u accesses observed", seen.count);
                rig_free(plain);
                rig_free(watched);
            }
    assert_true(met > 10000);
}

struct issues {
    struct observed accesses; /* first: the context of observe() */
    unsigned count;
    uint64_t next; /* issue time that comes */
};

static void take_issue(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    struct issues *i = context;
    assert_true(issue->time == i->next);
    i->next++;
    i->count++;
}

/* Observers beneath have every issue and access, whoever observes a part above them, comes and
 * goes; each goes by itself. */
static void an_observer_beneath_others_has_all(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 12);
    struct rig *r = rig_device(&shapes[0], code, words),
               *alone = rig_device(&shapes[0], code, words);
    struct issues seen = {.count = 0}, other = {.count = 0}, by_itself = {.count = 0};
    struct observed above = {.count = 0};
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = 0x10000000, .size = 4};
    assert_true(wt_observe_beneath(alone->machine, observe, NULL, take_issue, &by_itself));
    while (run(alone, 1000) == WT_RUN_BUDGET)
        continue;
    assert_true(wt_observe_beneath(r->machine, observe, NULL, take_issue, &seen));
    assert_true(wt_observe_beneath(r->machine, observe, NULL, NULL, &other));
    for (unsigned i = 0; run(r, 7) == WT_RUN_BUDGET; i++)
        assert_true(wt_observe(r->machine, i % 3 ? observe : NULL, &above, &watch, i % 3 == 1));
    assert_true(wt_observe(r->machine, NULL, NULL, NULL, 0));
    assert_int_equal(seen.count, r->machine->time);
    assert_int_equal(seen.count, by_itself.count);
    assert_int_equal(seen.accesses.count, by_itself.accesses.count);
    assert_int_equal(other.accesses.count, by_itself.accesses.count);
    assert_int_equal(other.count, 0);
    assert_true(above.count > 0 && above.count < seen.accesses.count);
    assert_true(wt_observe_beneath(r->machine, NULL, NULL, NULL, &seen));
    assert_true(r->machine->observer && !r->machine->observer->beneath);
    assert_true(wt_observe_beneath(r->machine, NULL, NULL, NULL, &other));
    assert_true(!r->machine->watch && !r->machine->observer);
    rig_free(r);
    rig_free(alone);
}

/* Watches stay when an observer goes; without them memory is as fast as before. */
static void an_observer_leaves_nothing(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 12);
    struct rig *r = rig_device(&shapes[0], code, words);
    struct observed seen = {.count = 0};
    const struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = 0x10000000, .size = 4};
    assert_true(wt_observe(r->machine, observe, &seen, NULL, 0));
    run(r, 1000);
    const unsigned before = seen.count;
    assert_true(before > 0 && r->machine->watch);
    assert_true(wt_observe(r->machine, NULL, NULL, NULL, 0));
    assert_true(!r->machine->watch && !r->machine->observer);
    set(r, &watch, 1);
    assert_true(wt_observe(r->machine, observe, &seen, &watch, 1));
    assert_true(wt_observe(r->machine, NULL, NULL, NULL, 0));
    assert_true(r->machine->watch);
    while (run(r, 1000) == WT_RUN_BUDGET)
        continue;
    assert_int_equal(seen.count, before);
    assert_true(r->machine->hits > 0);
    rig_free(r);
}

/* Through a timeline the same, and each point of it can be returned to. */
static void a_timeline_passes_it_on(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 10);
    random_state = 2;
    struct wt_error err;
    for (size_t k = 0; k < 4; k++) {
        struct rig_options options = shapes[1];
        options.schedule = schedules[k];
        struct rig *plain = rig_device(&options, code, words);
        struct rig *r = rig_device(&options, code, words);
        struct wt_timeline *t;
        assert_int_equal(wt_timeline_new(r->machine, UINT64_MAX, &t, &err), WT_OK);
        wt_timeline_set_interval(t, 300);
        const struct wt_watch list[] = {
            {.kind = WT_WATCH_WRITE, .addr = 0x10000000, .size = 4},
            {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4 * 30, .size = 1},
        };
        set(r, list, 2);
        uint64_t time[400], at[400];
        size_t n = 0;
        unsigned kinds = 0;
        enum wt_run how;
        while ((how = wt_timeline_run(t, 100000)) == WT_RUN_WATCH) {
            kinds |= 1u << r->machine->hit[0].kind;
            if (r->machine->time > plain->machine->time)
                run(plain, r->machine->time - plain->machine->time);
            assert_true(hash(plain) == hash(r));
            if (n < 400) {
                time[n] = r->machine->time;
                at[n++] = hash(r);
            }
        }
        assert_int_equal(how, WT_RUN_ENDED);
        assert_int_equal(kinds, 1u << WT_WATCH_EXECUTE | 1u << WT_WATCH_ACCESS);
        set(r, NULL, 0);
        for (unsigned i = 0; i < 40; i++) {
            const size_t to = any(n);
            assert_int_equal(wt_timeline_goto(t, time[to], &err), WT_OK);
            assert_true(hash(r) == at[to]);
        }
        /* Restored, it still watches. */
        assert_int_equal(wt_timeline_goto(t, 0, &err), WT_OK);
        set(r, list, 1);
        struct wt_state *start = wt_state_save(r->machine);
        for (unsigned i = 0; i < 2; i++) {
            wt_state_restore(r->machine, start);
            assert_int_equal(run(r, 100000), WT_RUN_WATCH);
            assert_int_equal(r->machine->hit[0].kind, WT_WATCH_ACCESS);
        }
        wt_state_free(start);
        wt_timeline_free(t);
        rig_free(r);
        rig_free(plain);
    }
}

/* ---- conditions, and what a debugger sees ---- */

struct conditions_rig {
    struct rig *rig;
    unsigned shape;
};

static struct wt_machine *make_machine(void *context, size_t schedule)
{
    struct conditions_rig *c = context;
    static uint32_t code[128];
    struct rig_options options = shapes[c->shape];
    options.schedule = schedules[schedule];
    const size_t words = mixed_program(code, 40);
    c->rig = rig_device(&options, code, words);
    return c->rig->machine;
}

static void end_machine(void *context)
{
    rig_free(((struct conditions_rig *)context)->rig);
}

/* The instruction of the mixed program whose word is this one. */
static uint64_t pc_of_word(uint32_t word)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 40);
    for (size_t i = 0; i < words; i++)
        if (code[i] == word)
            return CODE + 4 * i;
    fail();
    return 0;
}

static void each_shape(void (*check)(const struct condition_case *))
{
    for (unsigned s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct conditions_rig rig = {.shape = s};
        const struct condition_case t = {
            .make = make_machine,
            .end = end_machine,
            .context = &rig,
            .schedules = 4,
            .first = CODE,
            .last = CODE + 127 * 4 + 3,
            .pc = pc_of_word(AMOADD(T0, A4, S2)),
            .number = VX_REGISTER_X + S2,
            .wave_number = VX_REGISTER_PC,
        };
        check(&t);
    }
}

static void a_false_condition_changes_nothing(void **state)
{
    each_shape(check_false_conditions);
}

static void a_condition_tells_its_lanes(void **state)
{
    each_shape(check_true_conditions);
    each_shape(check_two_conditions);
}

static void a_search_looks_for_a_condition(void **state)
{
    each_shape(check_searched_conditions);
}

static void no_operation_is_missing(void **state)
{
    each_shape(check_operations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_seen_where_it_overlaps),
        cmocka_unit_test(lanes_come_in_order_with_what_each_saw),
        cmocka_unit_test(local_memory_is_that_of_the_core),
        cmocka_unit_test(one_kind_does_not_hide_the_other),
        cmocka_unit_test(a_console_store_is_a_write),
        cmocka_unit_test(a_fault_is_no_hit),
        cmocka_unit_test(what_a_debugger_does_is_no_hit),
        cmocka_unit_test(a_place_is_told_before_it_issues),
        cmocka_unit_test(a_jump_to_itself_is_told_each_time),
        cmocka_unit_test(a_place_stays_watched_when_its_code_changes),
        cmocka_unit_test(a_step_tells_what_it_met),
        cmocka_unit_test(a_watch_comes_before_an_event),
        cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(an_observer_beneath_others_has_all),
        cmocka_unit_test(an_observer_leaves_nothing),
        cmocka_unit_test(a_timeline_passes_it_on),
        cmocka_unit_test(a_false_condition_changes_nothing),
        cmocka_unit_test(a_condition_tells_its_lanes),
        cmocka_unit_test(a_search_looks_for_a_condition),
        cmocka_unit_test(no_operation_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

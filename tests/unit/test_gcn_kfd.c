/*
 * The driver's debug-trap operations on an emulated gfx900: what they answer, what is in the save
 * area of a suspended queue, and that suspending and resuming changes nothing of the run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gcn_rig.h"
#include "debug/gcn/gcn.h"
#include "debug/standstill/link.h"
#include "emulator/machine/state.h"
#include "object/kfd_wire.h"

#define EVERYTHING (~(uint64_t)0)
#define QUEUE_ID 0u /* that of dispatches whose origin says nothing */
#define MOST_RECORDS 128

struct record {
    uint64_t addr;
    bool first;
    uint32_t vgprs, sgprs, lds;
};

static struct rig rig_debugged(struct rig r)
{
    assert_int_equal(gcn_kfd_add_queue(r.d, &(struct kfd_queue_entry){.queue_id = QUEUE_ID}), 0);
    assert_int_equal(gcn_kfd_enable(r.d, EVERYTHING), 0);
    return r;
}

static void suspend(struct rig *r)
{
    uint32_t id = QUEUE_ID;
    assert_int_equal(gcn_kfd_suspend(r->d, &id, 1, 0), 1);
    assert_int_equal(id, QUEUE_ID);
}

static void resume(struct rig *r)
{
    uint32_t id = QUEUE_ID;
    assert_int_equal(gcn_kfd_resume(r->d, &id, 1), 1);
}

static uint32_t word_at(struct rig *r, uint64_t addr)
{
    uint8_t bytes[4];
    assert_true(r->m->ops->read_memory(r->m, 0, 0, addr, bytes, sizeof bytes));
    return (uint32_t)wt_load_le(bytes, 4);
}

static void put_word(struct rig *r, uint64_t addr, uint32_t value)
{
    uint8_t bytes[4];
    wt_store_le(bytes, value, 4);
    assert_true(r->m->ops->write_memory(r->m, 0, 0, addr, bytes, sizeof bytes));
}

/* The records of the suspended queue, as its control stack lists them. */
static size_t records(struct rig *r, struct record list[MOST_RECORDS])
{
    struct kfd_queue_entry q;
    struct kfd_save_header h;
    size_t count = 0;
    struct record shape = {0};
    assert_int_equal(gcn_kfd_queue_snapshot(r->d, 0, &q, 1), 1);
    assert_true(r->m->ops->read_memory(r->m, 0, 0, q.ctx_save_restore_address, &h, sizeof h));
    assert_true(h.wave_state_offset + h.wave_state_size <= q.ctx_save_restore_area_size);
    uint64_t top = q.ctx_save_restore_address + h.wave_state_offset + h.wave_state_size;
    for (uint32_t at = KFD_CONTROL_HEADER; at < h.control_stack_size; at += 4) {
        const uint32_t word = word_at(r, q.ctx_save_restore_address + h.control_stack_offset + at);
        assert_false(word & KFD_RELAUNCH_EVENT);
        if (word & KFD_RELAUNCH_STATE) {
            shape.vgprs = ((word & 63) + 1) * 4;
            shape.sgprs = (word >> 6 & 7) * 16;
            shape.lds = (word >> 9 & 511) * KFD_LDS_UNIT;
            continue;
        }
        shape.first = word & KFD_RELAUNCH_FIRST;
        top -= shape.vgprs * KFD_RECORD_VGPR + shape.sgprs * 4 + KFD_RECORD_REGISTERS +
               (shape.first ? shape.lds : 0);
        shape.addr = top;
        top -= KFD_RECORD_GAP;
        assert_true(count < MOST_RECORDS);
        list[count++] = shape;
    }
    assert_int_equal(top, q.ctx_save_restore_address + h.wave_state_offset);
    return count;
}

static uint64_t sgpr_at(const struct record *w, unsigned n)
{
    return w->addr + w->vgprs * KFD_RECORD_VGPR + 4 * n;
}

static uint64_t hw_at(const struct record *w, unsigned n)
{
    return sgpr_at(w, w->sgprs) + 4 * n;
}

static uint64_t ttmp_at(const struct record *w, unsigned n)
{
    return hw_at(w, KFD_HW_COUNT + n);
}

static uint64_t pc_in(struct rig *r, const struct record *w)
{
    return word_at(r, hw_at(w, KFD_HW_PC_LO)) | (uint64_t)word_at(r, hw_at(w, KFD_HW_PC_HI)) << 32;
}

/* Every wave's record says what the wave is. */
static void check_records(struct rig *r)
{
    struct record list[MOST_RECORDS];
    const size_t count = records(r, list);
    assert_int_equal(count, r->m->active);
    for (size_t i = 0; i < count; i++) {
        const struct record *rec = &list[i];
        const struct gcn_wave *w = &r->d->wave[word_at(r, hw_at(rec, KFD_HW_SLOT)) - 1];
        assert_true(w->active);
        assert_int_equal(pc_in(r, rec), w->at_barrier ? w->wait_pc : w->pc);
        assert_int_equal(word_at(r, hw_at(rec, KFD_HW_EXEC_LO)), w->s[GCN_EXEC]);
        assert_int_equal(word_at(r, hw_at(rec, KFD_HW_MODE)), w->mode);
        assert_int_equal(word_at(r, sgpr_at(rec, 4)), w->s[4]);
        assert_int_equal(word_at(r, sgpr_at(rec, rec->sgprs - 6)), w->s[GCN_FLAT_SCRATCH]);
        assert_int_equal(word_at(r, sgpr_at(rec, rec->sgprs - 2)), w->s[GCN_VCC]);
        assert_int_equal(word_at(r, ttmp_at(rec, 8)), w->group->coordinate[0]);
        assert_int_equal(word_at(r, ttmp_at(rec, 11)) & KFD_TTMP11_WAVE_IN_GROUP, w->index);
        assert_int_equal(word_at(r, rec->addr + 5 * KFD_RECORD_VGPR + 4 * 17), w->v[5][17]);
        if (rec->first)
            assert_int_equal(word_at(r, ttmp_at(rec, 16) + 64),
                             wt_load_le(w->group->local + 64, 4));
    }
}

static uint64_t program_hash(struct rig *r)
{
    return r->m->ops->program_hash(r->m);
}

static void test_suspending_changes_nothing(void **state)
{
    random_state = 11;
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
        struct rig plain = rig_mixed(s), r = rig_debugged(rig_mixed(s));
        enum wt_run run_ended = WT_RUN_BUDGET;
        while (run_ended == WT_RUN_BUDGET) {
            const uint64_t part = 1 + any(600);
            run_ended = run(&r, part);
            assert_int_equal(run(&plain, part), run_ended);
            suspend(&r);
            check_records(&r);
            const uint64_t time = r.m->time;
            if (r.m->active)
                assert_int_equal(run(&r, 100), WT_RUN_HALTED);
            assert_int_equal(r.m->time, time);
            resume(&r);
            assert_int_equal(program_hash(&r), program_hash(&plain));
        }
        assert_int_equal(run_ended, WT_RUN_ENDED);
        rig_free(&plain);
        rig_free(&r);
    }
}

/* Saved and restored while it is suspended, the device goes on the same. */
static void test_state_holds_the_save_area(void **state)
{
    struct rig r = rig_debugged(rig_mixed(1));
    struct record list[MOST_RECORDS];
    run(&r, 500);
    suspend(&r);
    records(&r, list);
    const uint32_t value = word_at(&r, sgpr_at(&list[1], 4));
    struct wt_state *saved = wt_state_save(r.m);
    put_word(&r, sgpr_at(&list[1], 4), 1);
    resume(&r);
    run(&r, 1000);
    wt_state_restore(r.m, saved);
    assert_int_equal(word_at(&r, sgpr_at(&list[1], 4)), value);
    check_records(&r);
    resume(&r);
    assert_int_equal(run(&r, 1000000), WT_RUN_ENDED);
    wt_state_free(saved);
    rig_free(&r);
}

static void test_records_can_be_changed(void **state)
{
    static const uint32_t code[] = {
        0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
        0xbe830080,             /* s_mov_b32 s3, 0 */
        0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
        0x7e060280,             /* v_mov_b32 v3, 0 */
        0xdc708000, 0x00020301, /* global_store_dword v1, v3, s[2:3] */
        S_ENDPGM,
    };
    struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
    struct record list[MOST_RECORDS];
    run(&r, 4);
    suspend(&r);
    assert_int_equal(records(&r, list), 1);
    assert_int_equal(pc_in(&r, &list[0]), CODE + 20);
    put_word(&r, list[0].addr + 3 * KFD_RECORD_VGPR + 4 * 9, 77);
    put_word(&r, sgpr_at(&list[0], 2), (uint32_t)DATA + 256);
    put_word(&r, hw_at(&list[0], KFD_HW_EXEC_HI), 0);
    resume(&r);
    const uint32_t untouched = word_at(&r, DATA + 256 + 4 * 40);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(word_at(&r, DATA + 256 + 4 * 9), 77);
    assert_int_equal(word_at(&r, DATA + 256 + 4 * 8), 0);
    assert_int_equal(word_at(&r, DATA + 256 + 4 * 40), untouched);
    rig_free(&r);
}

static uint64_t take_event(struct rig *r)
{
    uint64_t exceptions = EVERYTHING;
    uint32_t queue = 99;
    assert_true(gcn_kfd_has_event(r->d));
    assert_int_equal(gcn_kfd_query_event(r->d, &exceptions, &queue), 0);
    assert_int_equal(queue, QUEUE_ID);
    return exceptions & ~kfd_exception_bit(KFD_EC_QUEUE_NEW);
}

static void no_event(struct rig *r)
{
    uint64_t exceptions = 0;
    uint32_t queue;
    assert_false(gcn_kfd_has_event(r->d));
    assert_int_equal(gcn_kfd_query_event(r->d, &exceptions, &queue), -EAGAIN);
}

static void test_a_trap_stops_the_wave(void **state)
{
    static const uint32_t code[] = {S_NOP, 0xbf920001 /* s_trap 1 */, S_NOP, S_ENDPGM};
    struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
    struct record rec[MOST_RECORDS];
    take_event(&r);
    assert_int_equal(run(&r, 100), WT_RUN_EVENT);
    assert_int_equal(r.m->time, 1); /* the trap is not issued */
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(take_event(&r), kfd_exception_bit(KFD_EC_QUEUE_WAVE_TRAP));
    no_event(&r);
    suspend(&r);
    assert_int_equal(records(&r, rec), 1);
    assert_int_equal(pc_in(&r, rec), CODE + 8);
    assert_int_equal(word_at(&r, ttmp_at(rec, 0)), CODE + 4);
    assert_int_equal(word_at(&r, ttmp_at(rec, 1)), 1 << KFD_TTMP1_TRAP_SHIFT);
    assert_int_equal(word_at(&r, ttmp_at(rec, 6)), KFD_TTMP6_STOPPED | 1 << KFD_TTMP6_TRAP_SHIFT);
    assert_true(word_at(&r, hw_at(rec, KFD_HW_STATUS)) & GCN_STATUS_HALT);
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED); /* it is halted still */
    /* The debugger goes: so does the wave. */
    assert_int_equal(gcn_kfd_disable(r.d), 0);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    rig_free(&r);
}

/* The debugger goes without having seen waves that were held at their beginning: they run. One
 * that has halted itself does not. */
static void test_waves_held_at_their_beginning_go_when_the_debugger_does(void **state)
{
    static const uint32_t code[] = {S_NOP, S_ENDPGM},
                          halts[] = {0xbf8d0001 /* s_sethalt 1 */, S_ENDPGM};
    struct rig r = rig_debugged(rig_new("rr:1", 200, 64, code, sizeof code / 4));
    assert_int_equal(gcn_kfd_set_launch_mode(r.d, KFD_LAUNCH_HALT), 0);
    assert_int_equal(run(&r, 100000), WT_RUN_HALTED);
    assert_int_equal(gcn_kfd_disable(r.d), 0);
    assert_int_equal(run(&r, 100000), WT_RUN_ENDED);
    rig_free(&r);
    r = rig_debugged(rig_new("rr:1", 1, 64, halts, sizeof halts / 4));
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(gcn_kfd_disable(r.d), 0);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    rig_free(&r);
}

/* What a debugger has enabled in MODE goes with it; what the kernel has from its launch stays. */
static void test_no_wave_keeps_a_debuggers_exceptions(void **state)
{
    static const uint32_t code[] = {0xbf8d0001 /* s_sethalt 1 */, S_ENDPGM};
    for (unsigned own = 0; own < 2; own++) {
        struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
        r.d->dispatch[0].origin.caught = own ? GCN_TRAPSTS_ADDR_WATCH0 : 0;
        assert_int_equal(run(&r, 100), WT_RUN_HALTED);
        wave_of(&r, 0)->mode |= GCN_MODE_EXCP_WATCH | GCN_MODE_DEBUG_EN;
        assert_int_equal(gcn_kfd_disable(r.d), 0);
        assert_int_equal(wave_of(&r, 0)->mode & (GCN_MODE_EXCP_WATCH | GCN_MODE_DEBUG_EN),
                         own ? GCN_MODE_EXCP_WATCH : 0);
        rig_free(&r);
    }
}

/* A breakpoint covers the first word of an instruction of two: that instruction is done when the
 * debugger has gone, whether it has taken the trap in or not. */
static void test_the_instruction_under_a_breakpoint_is_done(void **state)
{
    enum { MOVE = 0xbe8000ff /* s_mov_b32 s0, literal */, LITERAL = 0xbf810000 /* s_endpgm */ };
    static const uint32_t code[] = {S_NOP, 0xbf920001 /* s_trap 1 */, LITERAL, S_NOP, S_ENDPGM};
    for (unsigned taken = 0; taken < 2; taken++) {
        struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
        struct record rec[MOST_RECORDS];
        assert_int_equal(run(&r, 100), WT_RUN_EVENT);
        suspend(&r);
        assert_int_equal(records(&r, rec), 1);
        if (taken) {
            put_word(&r, hw_at(rec, KFD_HW_PC_LO), (uint32_t)CODE + 4);
            put_word(&r, ttmp_at(rec, 6), KFD_TTMP6_STOPPED);
        }
        put_word(&r, CODE + 4, MOVE);
        gcn_kfd_step_back(r.d);
        assert_int_equal(wave_of(&r, 0)->pc, CODE + 4);
        assert_int_equal(gcn_kfd_disable(r.d), 0);
        assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
        assert_int_equal(wave_of(&r, 0)->s[0], LITERAL);
        assert_int_equal(run(&r, 100), WT_RUN_ENDED);
        rig_free(&r);
    }
}

/* One issue each, until the program's end, at the places where the program goes anyway. */
static void test_single_steps(void **state)
{
    struct rig plain = rig_new("rr:1", 1, 64, mixed, MIXED_WORDS);
    struct rig r = rig_debugged(rig_new("rr:1", 1, 64, mixed, MIXED_WORDS));
    struct record rec[MOST_RECORDS];
    for (uint64_t i = 0; r.m->active; i++) {
        suspend(&r);
        assert_int_equal(records(&r, rec), 1);
        assert_int_equal(pc_in(&r, rec), wave_of(&plain, 0)->pc);
        const uint32_t status = word_at(&r, hw_at(rec, KFD_HW_STATUS));
        const uint32_t mode = word_at(&r, hw_at(rec, KFD_HW_MODE));
        assert_int_equal(!!(status & GCN_STATUS_HALT), i > 0);
        put_word(&r, hw_at(rec, KFD_HW_STATUS), status & ~(uint32_t)GCN_STATUS_HALT);
        put_word(&r, hw_at(rec, KFD_HW_MODE), mode | GCN_MODE_DEBUG_EN);
        resume(&r);
        const enum wt_run why = run(&r, 100);
        assert_int_equal(r.m->time, i + 1);
        assert_int_equal(run(&plain, 1), r.m->active ? WT_RUN_BUDGET : WT_RUN_ENDED);
        assert_int_equal(why, r.m->active ? WT_RUN_EVENT : WT_RUN_ENDED);
        if (r.m->active)
            assert_true(take_event(&r) & kfd_exception_bit(KFD_EC_QUEUE_WAVE_TRAP));
        assert_int_equal(program_hash(&r), program_hash(&plain));
    }
    rig_free(&plain);
    rig_free(&r);
}

static void test_exceptions_stop_the_wave(void **state)
{
    static const uint32_t code[] = {
        0xba000381, 1, /* s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1: division by zero */
        0x7e040280,    /* v_mov_b32 v2, 0 */
        0x7e064502,    /* v_rcp_f32 v3, v2 */
        S_ENDPGM,
    };
    struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
    struct record rec[MOST_RECORDS];
    assert_int_equal(run(&r, 100), WT_RUN_EVENT);
    assert_int_equal(take_event(&r), kfd_exception_bit(KFD_EC_QUEUE_WAVE_MATH_ERROR));
    suspend(&r);
    records(&r, rec);
    assert_int_equal(pc_in(&r, rec), CODE + 16);
    assert_int_equal(word_at(&r, ttmp_at(rec, 1)) >> KFD_TTMP1_REWIND_SHIFT & 15, 1);
    assert_int_equal(word_at(&r, hw_at(rec, KFD_HW_TRAPSTS)) & 0x1ff, GCN_EXCP_DIV0);
    rig_free(&r);
}

static void test_an_access_to_nowhere_stops_the_wave(void **state)
{
    static const uint32_t code[] = {
        0xbe8200ff, 0x70000000, /* s_mov_b32 s2, 0x70000000 */
        0xbe830080,             /* s_mov_b32 s3, 0 */
        0x7e020280,             /* v_mov_b32 v1, 0 */
        0xdc508000, 0x03020001, /* global_load_dword v3, v1, s[2:3] */
        S_ENDPGM,
    };
    struct rig r = rig_debugged(rig_new("rr:1", 1, 64, code, sizeof code / 4));
    struct record rec[MOST_RECORDS];
    assert_int_equal(run(&r, 100), WT_RUN_EVENT);
    assert_int_equal(take_event(&r), kfd_exception_bit(KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION));
    suspend(&r);
    records(&r, rec);
    assert_int_equal(pc_in(&r, rec), CODE + 16); /* at the instruction, which has had no effect */
    assert_int_equal(word_at(&r, ttmp_at(rec, 1)) >> KFD_TTMP1_REWIND_SHIFT & 15, 0);
    /* The debugger goes: the mistake ends the program, as without one. */
    gcn_kfd_step_back(r.d);
    assert_int_equal(gcn_kfd_disable(r.d), 0);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_int_equal(r.m->fault.pc, CODE + 16);
    rig_free(&r);
}

/* Waves that begin are halted before their first instruction. */
static void test_launches_are_held(void **state)
{
    struct rig r = rig_debugged(rig_mixed(1));
    assert_int_equal(gcn_kfd_set_launch_mode(r.d, 2), -EINVAL);
    assert_int_equal(gcn_kfd_set_launch_mode(r.d, KFD_LAUNCH_HALT), 0);
    while (run(&r, 100000) == WT_RUN_BUDGET)
        ;
    suspend(&r);
    struct record list[MOST_RECORDS];
    const size_t count = records(&r, list);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pc_in(&r, &list[i]), CODE);
        assert_true(word_at(&r, hw_at(&list[i], KFD_HW_STATUS)) & GCN_STATUS_HALT);
        put_word(&r, hw_at(&list[i], KFD_HW_STATUS),
                 word_at(&r, hw_at(&list[i], KFD_HW_STATUS)) & ~(uint32_t)GCN_STATUS_HALT);
    }
    assert_int_equal(gcn_kfd_set_launch_mode(r.d, KFD_LAUNCH_NORMAL), 0);
    resume(&r);
    assert_int_equal(run(&r, 1000000), WT_RUN_ENDED);
    rig_free(&r);
}

static void test_answers(void **state)
{
    struct rig r = rig_mixed(0);
    uint32_t ids[2] = {QUEUE_ID, 5}, flags = 2;
    uint64_t exceptions = 0;
    assert_int_equal(gcn_kfd_disable(r.d), -EINVAL);
    assert_int_equal(gcn_kfd_suspend(r.d, ids, 2, 0), -EINVAL);
    assert_int_equal(gcn_kfd_query_event(r.d, &exceptions, ids), -EINVAL);
    assert_int_equal(gcn_kfd_add_queue(r.d, &(struct kfd_queue_entry){.queue_id = QUEUE_ID}), 0);
    assert_int_equal(gcn_kfd_add_queue(r.d, &(struct kfd_queue_entry){.queue_id = QUEUE_ID}),
                     -ENOSPC);
    assert_int_equal(gcn_kfd_enable(r.d, 0), 0);
    assert_int_equal(gcn_kfd_enable(r.d, 0), -EALREADY);
    assert_false(gcn_kfd_has_event(r.d)); /* nothing is told yet */
    assert_int_equal(gcn_kfd_set_exceptions(r.d, EVERYTHING), 0);
    assert_true(gcn_kfd_has_event(r.d));
    assert_int_equal(gcn_kfd_set_flags(r.d, &flags), -EINVAL);
    flags = 1;
    assert_int_equal(gcn_kfd_set_flags(r.d, &flags), 0);
    assert_int_equal(flags, 0);
    ids[0] = QUEUE_ID, ids[1] = 5;
    assert_int_equal(gcn_kfd_suspend(r.d, ids, 2, EVERYTHING), 1);
    assert_int_equal(ids[0], QUEUE_ID);
    assert_int_equal(ids[1], 5 | KFD_QUEUE_INVALID);
    assert_true(gcn_kfd_suspended(r.d, QUEUE_ID));
    assert_false(gcn_kfd_has_event(r.d));
    assert_int_equal(gcn_kfd_suspend(r.d, ids, 1, 0), 1);
    gcn_kfd_remove_queue(r.d, 99);
    assert_false(gcn_kfd_has_event(r.d));
    assert_int_equal(gcn_kfd_disable(r.d), 0);
    assert_false(gcn_kfd_suspended(r.d, QUEUE_ID));
    assert_int_equal(run(&r, 1000000), WT_RUN_ENDED);
    gcn_kfd_remove_queue(r.d, QUEUE_ID);
    assert_int_equal(gcn_kfd_queue_snapshot(r.d, 0, NULL, 0), 0);
    struct kfd_debug_call call = {.op = KFD_DEBUG_ENABLE, .arg = {EVERYTHING}};
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, 0);
    call = (struct kfd_debug_call){.op = KFD_DEBUG_QUERY_EVENT};
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, 0);
    assert_int_equal(call.arg[0], kfd_exception_bit(KFD_EC_DEVICE_QUEUE_DELETE));
    for (uint32_t i = 0; i < 5; i++) {
        call = (struct kfd_debug_call){.op = KFD_DEBUG_SET_NODE_ADDRESS_WATCH,
                                       .arg = {DATA + 64 * i, 1, 0xffffffc0}};
        gcn_kfd_call(r.d, &call);
        assert_int_equal(call.result, i < 4 ? 0 : -ENOMEM);
        assert_true(i == 4 || call.arg[3] == i);
    }
    call = (struct kfd_debug_call){.op = KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH, .arg = {2}};
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, 0);
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, -EINVAL);
    call = (struct kfd_debug_call){.op = KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE, .arg = {0, 128, 128}};
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, 0);
    assert_int_equal(call.arg[1], 0);
    assert_int_equal(call.arg[2], 0x1ff);
    call = (struct kfd_debug_call){.op = 77};
    gcn_kfd_call(r.d, &call);
    assert_int_equal(call.result, -ENOSYS);
    rig_free(&r);
}

/* Memory is filled as a wave starts, not as one goes on whose context was saved: what it has
 * written to its private memory is there. */
static void test_a_wave_that_is_restored_keeps_its_private_memory(void **state)
{
    enum { HANDLER = 64, AREA = 0x400000, AREA_SIZE = 0x10000 };
    static const uint32_t program[] = {
        0xbee600ff, 0x00100000, /* s_mov_b32 flat_scratch_lo, SCRATCH */
        0xbee70080,             /* s_mov_b32 flat_scratch_hi, 0 */
        0x7e080288,             /* v_mov_b32 v4, 8 */
        0x7e0602aa,             /* v_mov_b32 v3, 42 */
        0xdc704004, 0x007f0304, /* scratch_store_dword v4, v3, off offset:4 */
        0xbf82ffff,             /* s_branch to itself, until it is saved */
    };
    static const uint32_t handler[] = {
        0xbf82000e,             /* s_branch save */
        0xbefe01c1,             /* s_mov_b64 exec, -1: here it is restored */
        0xbee600ff, 0x00100000, /* s_mov_b32 flat_scratch_lo, SCRATCH */
        0xbee70080,             /* s_mov_b32 flat_scratch_hi, 0 */
        0x7e080288,             /* v_mov_b32 v4, 8 */
        0xdc504004, 0x057f0004, /* scratch_load_dword v5, v4, off offset:4 */
        0x7e020280,             /* v_mov_b32 v1, 0 */
        0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
        0xbe830080,             /* s_mov_b32 s3, 0 */
        0xdc708000, 0x00020501, /* global_store_dword v1, v5, s[2:3] */
        0xbf810000,             /* s_endpgm */
        0xbf900004,             /* save: s_sendmsg(MSG_SAVEWAVE) */
        0xbf9b0000,             /* s_endpgm_saved */
    };
    uint32_t code[HANDLER + sizeof handler / 4] = {0}, value;
    struct wt_error err;
    uint64_t end;
    (void)state;
    memcpy(code, program, sizeof program);
    memcpy(code + HANDLER, handler, sizeof handler);
    struct rig r = rig_new("rr:1", 1, 64, code, sizeof code / 4);
    r.d->config.fill = (struct wt_fill){WT_FILL_PATTERN, 0xdeadbeef};
    gcn_device_set_trap_handler(r.d, CODE + 4 * HANDLER, 0);
    assert_int_equal(gcn_device_map(r.d, AREA, AREA_SIZE, true, &err), WT_OK);
    run(&r, 100);
    assert_int_equal(gcn_device_save_context(r.d, AREA, AREA_SIZE, &err), WT_OK);
    while (!gcn_device_saved_context(r.d, &end))
        run(&r, 1);
    assert_int_equal(gcn_device_restore_context(r.d, &err), WT_OK);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_true(gcn_read(r.d, DATA, &value, 4));
    assert_int_equal(value, 42);
    rig_free(&r);
}

/* ---- the messages of the debugger's probe ---- */

/* A driver that counts them, and the records that they have. */
struct counted {
    struct rig r;
    unsigned messages, read, written;
};

static enum wt_status counted_read(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                   void *out, size_t size, struct wt_error *err)
{
    struct counted *c = context;
    c->messages++;
    return c->r.m->ops->read_memory(c->r.m, wave, lane, addr, out, size) ? WT_OK : WT_INVALID;
}

static enum wt_status counted_write(void *context, wt_wave_handle wave, unsigned lane,
                                    uint64_t addr, const void *bytes, size_t size,
                                    struct wt_error *err)
{
    struct counted *c = context;
    c->messages++;
    return c->r.m->ops->write_memory(c->r.m, wave, lane, addr, bytes, size) ? WT_OK : WT_INVALID;
}

static enum wt_status counted_transfer(void *context, struct wt_link_piece *list, size_t count,
                                       bool write, struct wt_error *err)
{
    struct counted *c = context;
    c->messages++;
    for (size_t i = 0; i < count; i++) {
        const struct wt_link_piece *p = &list[i];
        const struct wt_machine_ops *ops = c->r.m->ops;
        *(write ? &c->written : &c->read) += p->size == KFD_RECORD_REGISTERS;
        list[i].absent = write ? !ops->write_memory(c->r.m, 0, 0, p->addr, p->bytes, p->size)
                               : !ops->read_memory(c->r.m, 0, 0, p->addr, p->bytes, p->size);
    }
    return WT_OK;
}

static enum wt_status counted_event(void *context, bool wait, struct wt_link_event *event,
                                    struct wt_error *err)
{
    struct counted *c = context;
    c->messages++;
    for (unsigned i = 0; wait && i < 10 && !gcn_kfd_has_event(c->r.d); i++)
        run(&c->r, 1);
    *event = (struct wt_link_event){.attention = gcn_kfd_has_event(c->r.d)};
    return WT_OK;
}

static bool never_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return false;
}

static enum wt_status counted_ask(void *context, const struct wt_wire_request *request,
                                  const void *more, struct wt_wire_answer *answer, void *out,
                                  size_t room, struct wt_error *err)
{
    struct counted *c = context;
    struct kfd_debug_call call;
    c->messages++;
    *answer = (struct wt_wire_answer){.size = sizeof call};
    if (request->verb == KFD_WIRE_QUEUES) {
        answer->result = gcn_kfd_queue_snapshot(c->r.d, 0, out, 1);
        answer->size = sizeof(struct kfd_queue_entry);
    } else if (request->verb == KFD_WIRE_DEVICES) {
        answer->result = gcn_kfd_device_snapshot(c->r.d, 0, out);
        answer->size = sizeof(struct kfd_device_entry);
    } else {
        assert_int_equal(request->verb, KFD_WIRE_CALL);
        memcpy(&call, more, sizeof call);
        gcn_kfd_call(c->r.d, &call);
        memcpy(out, &call, sizeof call);
    }
    return WT_OK;
}

static const struct wt_link_ops counted_ops = {.read = counted_read,
                                               .write = counted_write,
                                               .transfer = counted_transfer,
                                               .event = counted_event,
                                               .ended = never_ended,
                                               .ask = counted_ask};

/* What the third step of a wave takes that has so many others beside it. */
static struct counted count_a_step(unsigned waves)
{
    static const uint32_t endless[] = {S_NOP, S_NOP, 0xbf82fffd}; /* s_branch -3 */
    static const struct wt_target_services none = {0};
    struct counted c = {.r = rig_new("rr:1", waves, 64, endless, sizeof endless / 4)};
    const struct wt_link link = {.ops = &counted_ops, .context = &c, .gpus = 1};
    const struct wt_target target = {.link = &link, .services = &none};
    struct wt_probe *p = NULL;
    struct wt_probe_step step;
    struct wt_error err;
    const struct kfd_queue_entry queue = {.queue_id = QUEUE_ID, .queue_type = 2};
    uint64_t before = 0;
    assert_int_equal(gcn_kfd_add_queue(c.r.d, &queue), 0);
    assert_int_equal(wt_probe_gcn.open(&wt_probe_gcn, &target, false, &p, &err), WT_OK);
    assert_int_equal(c.r.m->active, waves);
    for (unsigned i = 0; i < 3; i++) {
        c.messages = c.read = c.written = 0;
        assert_int_equal(wt_probe_gcn.step(p, 0, &step, &err), WT_OK);
        assert_true(step.done && step.active);
        assert_int_equal(step.cause, WT_HALT_STEP);
        assert_true(step.pc != before);
        before = step.pc;
    }
    const struct counted third = c;
    wt_probe_gcn.close(p);
    rig_free(&c.r);
    return third;
}

/* The others stay as they are: nothing is written of them. Their records are read where they were
 * before, with all else that a standstill looks at. */
static void test_a_step_takes_as_many_messages_among_many_waves(void **state)
{
    const struct counted alone = count_a_step(1), many = count_a_step(16);
    assert_true(alone.messages <= 5); /* a write, resume, an event, suspend, a read */
    assert_int_equal(many.messages, alone.messages);
    assert_int_equal(alone.written, 1);
    assert_int_equal(many.written, 1);
    assert_int_equal(alone.read, 1);
    assert_int_equal(many.read, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suspending_changes_nothing),
        cmocka_unit_test(test_state_holds_the_save_area),
        cmocka_unit_test(test_records_can_be_changed),
        cmocka_unit_test(test_a_trap_stops_the_wave),
        cmocka_unit_test(test_waves_held_at_their_beginning_go_when_the_debugger_does),
        cmocka_unit_test(test_no_wave_keeps_a_debuggers_exceptions),
        cmocka_unit_test(test_the_instruction_under_a_breakpoint_is_done),
        cmocka_unit_test(test_single_steps),
        cmocka_unit_test(test_exceptions_stop_the_wave),
        cmocka_unit_test(test_an_access_to_nowhere_stops_the_wave),
        cmocka_unit_test(test_launches_are_held),
        cmocka_unit_test(test_a_wave_that_is_restored_keeps_its_private_memory),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_a_step_takes_as_many_messages_among_many_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Every interleaving of small sets of warps through run, trap, pause, wake, quiet and exit, against
 * a model: the rules of BPT's description as an executable table. The device is put back to each
 * state that was reached, and from there every warp that can issue does so once, and the CPU wakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "sm_rig.h"

enum { MOST_WARPS = 3, MOST_STATES = 20000 };

/* ---- the model ---- */

/* What a warp executes: its program, and what it does in the handler. */
enum program { PLAIN, TRAPPING, PROGRAMS }; /* NOP; EXIT  /  BPT.TRAP 2; EXIT */
enum reaction { RETURNS, PAUSES, QUIET, EXITS, REACTIONS };

enum mode { USER, ENTERING, INSIDE, PAUSED_LOUD, PAUSED_QUIETLY, ENDED };

struct model_warp {
    enum mode mode;
    unsigned user; /* instruction of the program that is next */
    unsigned step; /* instruction of the handler that is next: 0 is its branch */
};

struct model {
    struct model_warp warp[MOST_WARPS];
    bool in_trap, loud, pause_bit, type_bit;
    unsigned wakes, inconsistent;
};

struct setting {
    unsigned warps;
    enum program program[MOST_WARPS];
    enum reaction reaction[MOST_WARPS];
};

/* "If all live warps become paused by executing BPT.PAUSE_QUIET during a given trap event then the
 * SM will return to user mode"; and it does when nobody is left in the handler. */
static void settle(const struct setting *s, struct model *m)
{
    unsigned live = 0, quiet = 0, inside = 0;
    for (unsigned i = 0; i < s->warps; i++) {
        const enum mode mode = m->warp[i].mode;
        live += mode != ENDED;
        quiet += mode == PAUSED_QUIETLY;
        inside += mode != ENDED && mode != USER;
    }
    if (m->in_trap && (!inside || (live && quiet == live && !m->loud)))
        m->in_trap = m->loud = false;
}

/* "While all warps enter the trap handler when a BPT.TRAP or error is encountered …" */
static void trap(const struct setting *s, struct model *m)
{
    if (!m->in_trap)
        m->loud = false;
    m->in_trap = m->type_bit = true;
    for (unsigned i = 0; i < s->warps; i++)
        if (m->warp[i].mode == USER)
            m->warp[i].mode = ENTERING;
}

static void issue(const struct setting *s, struct model *m, unsigned n)
{
    struct model_warp *w = &m->warp[n];
    switch (w->mode) {
    case USER:
        if (w->user == 1) {
            w->mode = ENDED;
            break;
        }
        w->user = 1; /* the PC is behind the BPT.TRAP */
        if (s->program[n] == TRAPPING) {
            trap(s, m);
            w->mode = INSIDE;
            w->step = 0;
        }
        break;
    case ENTERING:
        w->mode = INSIDE;
        w->step = 1; /* it has entered and issued the handler's first instruction */
        break;
    case INSIDE:
        if (w->step == 0) {
            w->step = 1;
        } else if (s->reaction[n] == EXITS) {
            w->mode = ENDED;
        } else if (s->reaction[n] == RETURNS || w->step == 2) {
            w->mode = USER;
        } else {
            w->step = 2;
            w->mode = s->reaction[n] == PAUSES ? PAUSED_LOUD : PAUSED_QUIETLY;
            m->loud = m->loud || s->reaction[n] == PAUSES;
            m->pause_bit = m->pause_bit || s->reaction[n] == PAUSES;
        }
        break;
    default:
        fail_msg("a warp that cannot issue");
    }
    settle(s, m);
}

/* "The CPU should only wake up warps from the paused state after all warps on a given SM have
 * either paused or exited and while the SM is trapped." */
static void wake(const struct setting *s, struct model *m)
{
    bool running = false, paused = false;
    for (unsigned i = 0; i < s->warps; i++) {
        const enum mode mode = m->warp[i].mode;
        paused = paused || mode == PAUSED_LOUD || mode == PAUSED_QUIETLY;
        running = running || mode == USER || mode == ENTERING || mode == INSIDE;
    }
    m->wakes++;
    m->inconsistent += paused && (running || !m->in_trap);
    for (unsigned i = 0; i < s->warps; i++)
        if (m->warp[i].mode == PAUSED_LOUD || m->warp[i].mode == PAUSED_QUIETLY)
            m->warp[i].mode = INSIDE;
    m->loud = false;
    settle(s, m);
}

static bool can_issue(const struct model *m, unsigned n)
{
    const enum mode mode = m->warp[n].mode;
    return mode == USER || mode == ENTERING || mode == INSIDE;
}

/* ---- the device beside it ---- */

static void compare(const struct setting *s, struct rig *r, const struct model *m)
{
    uint32_t valid = 0, paused = 0;
    for (unsigned i = 0; i < s->warps; i++) {
        const struct sm_warp *w = &r->d->warp[i];
        const enum mode mode = m->warp[i].mode;
        assert_int_equal(w->runs, mode != ENDED);
        assert_int_equal(wt_turns_is_ready(&r->m->turns, i), can_issue(m, i));
        valid |= (uint32_t)(mode != ENDED) << i;
        if (mode == ENDED)
            continue;
        assert_int_equal(w->must_enter, mode == ENTERING);
        assert_int_equal(w->trapped, mode != USER && mode != ENTERING);
        assert_int_equal(w->paused, mode == PAUSED_LOUD      ? SM_PAUSED
                                    : mode == PAUSED_QUIETLY ? SM_PAUSED_QUIET
                                                             : SM_RUNS);
        paused |= (uint32_t)(w->paused != SM_RUNS) << i;
    }
    assert_int_equal(reg(r, VALID), valid);
    assert_int_equal(reg(r, PAUSE), paused);
    assert_int_equal(reg(r, STATUS0) & IN_TRAP, m->in_trap);
    assert_int_equal((reg(r, STATUS0) & LOCKED) != 0, m->in_trap && valid && paused == valid);
    assert_int_equal((reg(r, GLOBAL_ESR) & SM_GESR_BPT_PAUSE) != 0, m->pause_bit);
    assert_int_equal(reg(r, GLOBAL_ESR) >> 10 & 1, m->type_bit);
    assert_int_equal(reg(r, INCONSISTENT), m->inconsistent);
}

/* NOP; EXIT at 0x8, BPT.TRAP 2; EXIT at 0x28. The handler's branch goes by R1 to its reactions, a
 * bundle each from 0x20 on. */
static const char kernel[] =
    "    NOP;\n    EXIT;\n    NOP;\n    BPT.TRAP 0x2;\n    EXIT;\n    NOP;\n";
static const char handler[] = "    BRX R1;\n    NOP;\n    NOP;\n"
                              "    RTT;\n    NOP;\n    NOP;\n"
                              "    BPT.PAUSE;\n    RTT;\n    NOP;\n"
                              "    BPT.PAUSE_QUIET;\n    RTT;\n    NOP;\n"
                              "    EXIT;\n    NOP;\n    NOP;\n";

static void start(struct rig *r, const struct setting *s)
{
    rig_open(r, "", kernel, handler, s->warps);
    for (unsigned i = 0; i < s->warps; i++) {
        struct sm_warp *w = &r->d->warp[i];
        w->pc = CODE + (s->program[i] == TRAPPING ? 0x28 : 0x8);
        for (unsigned lane = 0; lane < SM_LANES; lane++)
            w->r[1][lane] = 0x10 + 0x20 * s->reaction[i];
    }
}

struct node {
    struct wt_state *state;
    struct model model;
};

/* A hash of the model, which stands for the device's state: they are compared in each. */
static bool is_known(const struct node *nodes, size_t count, const struct model *m)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&nodes[i].model, m, sizeof *m) == 0)
            return true;
    return false;
}

/* Explores all that can happen from a state; returns how many states there are. */
static size_t explore(const struct setting *s)
{
    struct rig r;
    struct node *nodes = calloc(MOST_STATES, sizeof *nodes);
    size_t count = 1;
    assert_non_null(nodes);
    start(&r, s);
    nodes[0].state = r.m->ops->save(r.m);
    compare(s, &r, &nodes[0].model);
    for (size_t at = 0; at < count; at++) {
        for (unsigned action = 0; action <= s->warps; action++) {
            struct model m = nodes[at].model;
            const bool is_wake = action == s->warps;
            if (is_wake ? m.wakes == (s->warps < 3 ? 3 : 1) : !can_issue(&m, action))
                continue;
            assert_true(r.m->ops->restore(r.m, nodes[at].state));
            if (is_wake) {
                resume(&r);
                wake(s, &m);
                wt_machine_clear_fault(r.m);
            } else {
                assert_int_equal(r.m->engine->turn(r.m, action, 1), 1);
                issue(s, &m, action);
            }
            compare(s, &r, &m);
            if (is_known(nodes, count, &m))
                continue;
            assert_true(count < MOST_STATES);
            nodes[count].model = m;
            nodes[count++].state = r.m->ops->save(r.m);
        }
    }
    for (size_t i = 0; i < count; i++)
        r.m->ops->free_state(nodes[i].state);
    free(nodes);
    rig_close(&r);
    return count;
}

/* All programs and reactions of so many warps. */
static void explore_all(unsigned warps)
{
    unsigned settings = 1;
    size_t states = 0;
    for (unsigned i = 0; i < warps; i++)
        settings *= PROGRAMS * REACTIONS;
    for (unsigned n = 0; n < settings; n++) {
        struct setting s = {.warps = warps};
        unsigned rest = n;
        bool sorted = true;
        for (unsigned i = 0; i < warps; i++, rest /= PROGRAMS * REACTIONS) {
            const unsigned kind = rest % (PROGRAMS * REACTIONS);
            s.program[i] = (enum program)(kind % PROGRAMS);
            s.reaction[i] = (enum reaction)(kind / PROGRAMS);
            /* Which warp is which makes no difference. */
            sorted =
                sorted && (!i || kind >= s.program[i - 1] + PROGRAMS * (unsigned)s.reaction[i - 1]);
        }
        if (sorted)
            states += explore(&s);
    }
    print_message("%u warps: %zu states\n", warps, states);
}

static void test_one_warp(void **state)
{
    explore_all(1);
}

static void test_two_warps(void **state)
{
    explore_all(2);
}

static void test_three_warps(void **state)
{
    explore_all(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_warp),
        cmocka_unit_test(test_two_warps),
        cmocka_unit_test(test_three_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

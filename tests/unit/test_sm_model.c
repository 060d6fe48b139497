/*
 * Every interleaving of small sets of warps through run, trap, error, pause, wake, single step,
 * stop, quiet and exit, against a model: the rules of BPT's description as an executable table. The
 * device is put back to each state that was reached, and from there every warp that can issue does
 * so once, and the CPU wakes, steps and stops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>

#include "sm_rig.h"
#include "emulator/machine/state.h"

enum { MOST_WARPS = 3, MOST_STATES = 20000, LATE = 8 };

/* ---- the model ---- */

/* What a warp executes: instructions, of which FAIL has an error (BPT.PAUSE outside the handler).
 */
enum instruction { EXIT, NOP, TRAP, TRAP7, FAIL, DRAIN, DIS, EN };
enum program {
    PLAIN,
    TRAPPING,
    PROGRAMS,
    FAILING = PROGRAMS,
    DRAINING,
    LONG,
    MASKED,
    FORCED,
    ALL_PROGRAMS
};
enum { LONGEST = 12 };
static const enum instruction programs[ALL_PROGRAMS][LONGEST] = {
    [PLAIN] = {NOP},
    [TRAPPING] = {TRAP},
    [FAILING] = {FAIL, NOP},
    [DRAINING] = {FAIL, DRAIN},
    [LONG] = {FAIL, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP},
    [MASKED] = {DIS, TRAP, EN},
    [FORCED] = {DIS, TRAP7, EN},
};

/* What it does in the handler. */
enum reaction { RETURNS, PAUSES, QUIET, EXITS, REACTIONS };

enum mode { USER, ENTERING, INSIDE, HELD, PAUSED_LOUD, PAUSED_QUIETLY, ENDED };

struct model_warp {
    unsigned mode;
    unsigned user;         /* instruction of the program that is next */
    unsigned step;         /* instruction of the handler that is next: 0 is its branch */
    unsigned masked;       /* by IDE.DIS */
    unsigned pending;      /* a trap that waits for IDE.EN */
    unsigned late;         /* an error is on its way */
    unsigned late_in;      /* then: so many issues until it arrives */
    unsigned single;       /* it traps again behind the next instruction */
    unsigned error, which; /* of its ESR: an error, the trap's immediate */
};

struct model {
    struct model_warp warp[MOST_WARPS];
    unsigned in_trap, loud, stop, step_mode;
    unsigned pause_bit, type_bits, multiple, stepped;
    unsigned wakes, stops, inconsistent;
};

struct setting {
    unsigned warps;
    enum program program[MOST_WARPS];
    enum reaction reaction[MOST_WARPS];
    unsigned delay;        /* of errors, in issues */
    unsigned wakes, stops; /* at most; */
    bool steps;            /* wakes in single step mode, too */
};

static bool is_inside(unsigned mode)
{
    return mode != ENDED && mode != USER;
}

static bool is_paused(unsigned mode)
{
    return mode == PAUSED_LOUD || mode == PAUSED_QUIETLY;
}

/* "If all live warps become paused by executing BPT.PAUSE_QUIET during a given trap event then the
 * SM will return to user mode"; and it does when nobody is left in the handler. The stop trigger
 * keeps it in trap mode, and those that have paused under it wait for RUN_TRIGGER. */
static void settle(const struct setting *s, struct model *m)
{
    unsigned live = 0, quiet = 0, inside = 0;
    for (unsigned i = 0; i < s->warps; i++) {
        const unsigned mode = m->warp[i].mode;
        live += mode != ENDED;
        quiet += mode == PAUSED_QUIETLY;
        inside += is_inside(mode);
    }
    if (m->in_trap && !m->stop && (!inside || (live && quiet == live && !m->loud)))
        m->in_trap = m->loud = false;
}

/* "While all warps enter the trap handler when a BPT.TRAP or error is encountered …" */
static void trap_event(const struct setting *s, struct model *m)
{
    if (!m->in_trap)
        m->loud = false;
    m->in_trap = true;
    for (unsigned i = 0; i < s->warps; i++)
        if (m->warp[i].mode == USER)
            m->warp[i].mode = ENTERING;
}

/* The warp whose trap or error it is enters at once; a step of its ends otherwise. */
static void enter(const struct setting *s, struct model *m, struct model_warp *w)
{
    w->single = false;
    trap_event(s, m);
    w->mode = INSIDE;
    w->step = 0;
}

static void take_trap(const struct setting *s, struct model *m, struct model_warp *w, unsigned type)
{
    w->which = type;
    m->type_bits |= 1u << type;
    enter(s, m, w);
}

/* An error arrives: in the handler the ESR has it, and no more comes of it. */
static void take_error(const struct setting *s, struct model *m, struct model_warp *w)
{
    m->multiple = m->multiple || w->error;
    w->error = SM_ILLEGAL_INSTR_ENCODING;
    w->late = w->late_in = 0;
    if (w->mode == USER)
        enter(s, m, w);
}

/* An instruction of the program; false: it has not been issued. */
static bool issue_user(const struct setting *s, struct model *m, unsigned n)
{
    struct model_warp *w = &m->warp[n];
    const bool single = w->single;
    switch (programs[s->program[n]][w->user]) {
    case EXIT:
        if (w->late) { /* a warp does not exit before its errors have arrived */
            take_error(s, m, w);
            return false;
        }
        w->mode = ENDED;
        return true;
    case FAIL:
        if (!s->delay) { /* precise: the PC is at the instruction */
            take_error(s, m, w);
            return true;
        }
        w->late = true;
        w->late_in = s->delay + 1;
        w->user++;
        break;
    case DRAIN: /* "errors caused by previous instructions are taken before the next instruction" */
        w->user++;
        if (w->late)
            take_error(s, m, w);
        break;
    case TRAP: /* "leaves the PC pointing to the instruction following the BPT.TRAP" */
        w->user++;
        if (w->masked)
            w->pending = true;
        else
            take_trap(s, m, w, 2);
        break;
    case TRAP7: /* "is processed even when interrupts are masked" */
        w->user++;
        take_trap(s, m, w, 7);
        break;
    case DIS:
        w->masked = true;
        w->user++;
        break;
    case EN:
        w->masked = false;
        w->user++;
        if (w->pending) {
            w->pending = false;
            take_trap(s, m, w, 2);
        }
        break;
    default:
        w->user++;
        break;
    }
    if (single && w->mode == USER) { /* the step is done */
        w->single = false;
        m->stepped = true;
        trap_event(s, m);
    }
    return true;
}

/* An instruction of the handler; false: it has not been issued. */
static bool issue_handler(const struct setting *s, struct model *m, unsigned n)
{
    struct model_warp *w = &m->warp[n];
    const enum reaction reaction = s->reaction[n];
    if (w->step == 0) {
        w->step = 1;
    } else if (reaction == EXITS) {
        w->mode = ENDED;
    } else if (reaction == RETURNS || w->step == 2) {
        w->mode = m->stop ? HELD : USER; /* it must not return while the stop trigger is set */
        w->single = w->single || (!m->stop && m->step_mode);
        return !m->stop;
    } else {
        w->step = 2;
        w->mode = reaction == PAUSES ? PAUSED_LOUD : PAUSED_QUIETLY;
        m->loud = m->loud || reaction == PAUSES;
        m->pause_bit = m->pause_bit || reaction == PAUSES;
    }
    return true;
}

/* What a turn of one instruction does; returns how many were issued. */
static unsigned issue(const struct setting *s, struct model *m, unsigned n)
{
    struct model_warp *w = &m->warp[n];
    if (w->mode == ENTERING) {
        w->mode = INSIDE;
        w->step = 0;
    }
    if (w->late && !w->late_in)
        take_error(s, m, w);
    const bool issued = w->mode == USER ? issue_user(s, m, n) : issue_handler(s, m, n);
    if (w->late && issued)
        w->late_in--;
    if (w->mode == ENDED)
        *w = (struct model_warp){.mode = ENDED};
    settle(s, m);
    return issued;
}

/* "The CPU should only wake up warps from the paused state after all warps on a given SM have
 * either paused or exited and while the SM is trapped." */
static void wake(const struct setting *s, struct model *m, bool steps)
{
    bool running = false, paused = false;
    const bool stopped = m->stop;
    m->stop = false;
    m->step_mode = steps;
    for (unsigned i = 0; stopped && i < s->warps; i++)
        m->loud = m->loud || is_paused(m->warp[i].mode);
    if (stopped)
        settle(s, m);
    for (unsigned i = 0; i < s->warps; i++) {
        const unsigned mode = m->warp[i].mode;
        paused = paused || is_paused(mode);
        running = running || mode == USER || mode == ENTERING || mode == INSIDE;
    }
    m->wakes++;
    m->inconsistent += paused && (running || !m->in_trap);
    for (unsigned i = 0; i < s->warps; i++)
        if (is_paused(m->warp[i].mode) || m->warp[i].mode == HELD)
            m->warp[i].mode = INSIDE;
    m->loud = false;
    settle(s, m);
}

static void stop(const struct setting *s, struct model *m)
{
    m->stops++;
    m->stop = true;
    trap_event(s, m);
}

static bool can_issue(const struct model *m, unsigned n)
{
    const unsigned mode = m->warp[n].mode;
    return mode == USER || mode == ENTERING || mode == INSIDE;
}

/* ---- the device beside it ---- */

/* The address of an instruction; programs begin with a bundle, one behind the other. */
static uint64_t address_of(enum program program, unsigned index)
{
    unsigned bundle = 0;
    for (unsigned i = 0, length; i < (unsigned)program; i++, bundle += (length + 2) / 3)
        for (length = 1; programs[i][length - 1] != EXIT; length++)
            continue;
    return CODE + 0x20 * (bundle + index / 3) + 8 + 8 * (index % 3);
}

static void compare_warp(const struct setting *s, struct rig *r, const struct model *m, unsigned i)
{
    struct sm_warp *w = &r->d->warp[i];
    const struct model_warp *now = &m->warp[i];
    const struct sm_entry *entry = sm_trap_entry(w);
    const bool trapped = now->mode != USER && now->mode != ENTERING;
    assert_int_equal(w->must_enter, now->mode == ENTERING);
    assert_int_equal(w->trapped, trapped);
    assert_int_equal(w->held, now->mode == HELD);
    assert_int_equal(w->paused, now->mode == PAUSED_LOUD      ? SM_PAUSED
                                : now->mode == PAUSED_QUIETLY ? SM_PAUSED_QUIET
                                                              : SM_RUNS);
    assert_int_equal(entry != NULL, trapped);
    assert_int_equal(entry ? entry->pc : w->pc, address_of(s->program[i], now->user));
    assert_int_equal(w->masked, now->masked);
    assert_int_equal(w->pending_traps, now->pending << 2);
    assert_int_equal(w->late_code[0] != 0, now->late);
    assert_int_equal(w->step, now->single);
    assert_int_equal(w->esr & SM_WESR_ERROR, now->error);
    assert_int_equal(w->esr >> SM_WESR_TRAP_SHIFT & 7, now->which);
}

static void compare(const struct setting *s, struct rig *r, const struct model *m)
{
    uint32_t valid = 0, paused = 0, still = 0;
    const uint32_t global = reg(r, GLOBAL_ESR);
    for (unsigned i = 0; i < s->warps; i++) {
        const unsigned mode = m->warp[i].mode;
        assert_int_equal(r->d->warp[i].active, mode != ENDED);
        assert_int_equal(wt_turns_is_ready(&r->m->turns, i), can_issue(m, i));
        valid |= (uint32_t)(mode != ENDED) << i;
        paused |= (uint32_t)is_paused(mode) << i;
        still |= (uint32_t)(is_paused(mode) || mode == HELD) << i;
        if (mode != ENDED)
            compare_warp(s, r, m, i);
    }
    const bool locked = valid ? paused == valid || (m->stop && still == valid) : m->stop;
    assert_int_equal(reg(r, VALID), valid);
    assert_int_equal(reg(r, PAUSE), paused);
    assert_int_equal(reg(r, STATUS0) & IN_TRAP, m->in_trap);
    assert_int_equal((reg(r, STATUS0) & LOCKED) != 0, m->in_trap && locked);
    assert_int_equal((reg(r, CONTROL0) & STOP) != 0, m->stop);
    assert_int_equal((global & SM_GESR_BPT_PAUSE) != 0, m->pause_bit);
    assert_int_equal((global & SM_GESR_MULTIPLE_WARP_ERRORS) != 0, m->multiple);
    assert_int_equal((global & SM_GESR_SINGLE_STEP) != 0, m->stepped);
    assert_int_equal(global >> SM_GESR_TRAP_SHIFT & 0xff, m->type_bits);
    assert_int_equal(reg(r, INCONSISTENT), m->inconsistent);
}

/* The handler's branch goes by R1 to its reactions, a bundle each from 0x20 on. */
static const char handler[] = "    BRX R1;\n    NOP;\n    NOP;\n"
                              "    RTT;\n    NOP;\n    NOP;\n"
                              "    BPT.PAUSE;\n    RTT;\n    NOP;\n"
                              "    BPT.PAUSE_QUIET;\n    RTT;\n    NOP;\n"
                              "    EXIT;\n    NOP;\n    NOP;\n";

static void write_programs(char *text)
{
    static const char *const words[] = {
        [EXIT] = "EXIT",          [NOP] = "NOP",        [TRAP] = "BPT.TRAP 0x2",
        [TRAP7] = "BPT.TRAP 0x7", [FAIL] = "BPT.PAUSE", [DRAIN] = "BPT.DRAIN",
        [DIS] = "IDE.DIS",        [EN] = "IDE.EN"};
    for (unsigned i = 0; i < ALL_PROGRAMS; i++) {
        bool over = false;
        for (unsigned k = 0; !over || k % 3; k++) {
            const enum instruction what = over ? NOP : programs[i][k];
            text += sprintf(text, "    %s;\n", words[what]);
            over = over || what == EXIT;
        }
    }
}

static void start(struct rig *r, const struct setting *s)
{
    char options[40], kernel[2048];
    snprintf(options, sizeof options, "error-delay=%u", s->delay);
    write_programs(kernel);
    rig_open(r, options, kernel, handler, s->warps);
    for (unsigned i = 0; i < s->warps; i++) {
        struct sm_warp *w = &r->d->warp[i];
        w->pc = address_of(s->program[i], 0);
        for (unsigned lane = 0; lane < SM_LANES; lane++)
            w->r[1][lane] = 0x10 + 0x20 * s->reaction[i];
    }
}

/* The CPU wakes everybody, as the public driver does: the two writes of CONTROL0. */
static void wake_device(struct rig *r, bool steps)
{
    const uint32_t control = steps ? STEP : 0;
    set_reg(r, PAUSE, 0);
    set_reg(r, PAUSE_1, 0);
    set_reg(r, CONTROL0, control);
    set_reg(r, CONTROL0, control | RUN);
    wt_machine_clear_fault(r->m);
}

/* ---- all that can happen ---- */

enum { WAKE, STEP_ON, STOP_NOW, CPU_ACTIONS };

/* An action: a turn of a warp, or of the CPU; false: it is not for this state. */
static bool act(const struct setting *s, struct rig *r, struct model *m, unsigned action)
{
    if (action < s->warps) {
        if (!can_issue(m, action))
            return false;
        if (r)
            assert_int_equal(r->m->engine->turn(r->m, action, 1), issue(s, m, action));
        return true;
    }
    switch (action - s->warps) {
    case STOP_NOW:
        if (m->stop || m->stops == s->stops)
            return false;
        if (r) {
            set_reg(r, CONTROL0, reg(r, CONTROL0) | STOP);
            stop(s, m);
        }
        return true;
    case STEP_ON:
        if (!s->steps)
            return false;
        /* fall through */
    default:
        if (m->wakes == s->wakes)
            return false;
        if (r) {
            wake_device(r, action - s->warps == STEP_ON);
            wake(s, m, action - s->warps == STEP_ON);
        }
        return true;
    }
}

struct node {
    struct wt_state *state;
    struct model model;
};

/* The model stands for the device's state: they are compared in each. */
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
    nodes[0].state = wt_state_save(r.m);
    compare(s, &r, &nodes[0].model);
    for (size_t at = 0; at < count; at++) {
        for (unsigned action = 0; action < s->warps + CPU_ACTIONS; action++) {
            struct model m = nodes[at].model;
            if (!act(s, NULL, &m, action))
                continue;
            wt_state_restore(r.m, nodes[at].state);
            act(s, &r, &m, action);
            compare(s, &r, &m);
            if (is_known(nodes, count, &m))
                continue;
            assert_true(count < MOST_STATES);
            nodes[count].model = m;
            nodes[count++].state = wt_state_save(r.m);
        }
    }
    for (size_t i = 0; i < count; i++)
        wt_state_free(nodes[i].state);
    free(nodes);
    rig_close(&r);
    return count;
}

/* Programs of a list, and all reactions, for so many warps. */
static void explore_all(const struct setting *base, const enum program *list, unsigned length)
{
    unsigned settings = 1;
    size_t states = 0;
    for (unsigned i = 0; i < base->warps; i++)
        settings *= length * REACTIONS;
    for (unsigned n = 0; n < settings; n++) {
        struct setting s = *base;
        unsigned rest = n, before = 0;
        bool sorted = true;
        for (unsigned i = 0; i < s.warps; i++, rest /= length * REACTIONS) {
            const unsigned kind = rest % (length * REACTIONS);
            s.program[i] = list[kind % length];
            s.reaction[i] = (enum reaction)(kind / length);
            sorted = sorted && kind >= before; /* which warp is which makes no difference */
            /* Two long programs are the same, only more of it. */
            sorted = sorted && (!i || s.program[i] != LONG || s.program[i - 1] != LONG);
            before = kind;
        }
        if (sorted)
            states += explore(&s);
    }
    print_message("%u warps, errors late by %u: %zu states\n", base->warps, base->delay, states);
}

static const enum program traps[] = {PLAIN, TRAPPING};
static const enum program errors[] = {FAILING, DRAINING, LONG};
static const enum program late[] = {TRAPPING, DRAINING, LONG};
static const enum program masks[] = {MASKED, FORCED};
static const enum program mixed[] = {TRAPPING, FAILING, MASKED};
#define ALL(list) list, sizeof(list) / sizeof(list)[0]

static void test_one_warp(void **state)
{
    explore_all(&(struct setting){.warps = 1, .wakes = 3}, ALL(traps));
}

static void test_two_warps(void **state)
{
    explore_all(&(struct setting){.warps = 2, .wakes = 3}, ALL(traps));
}

static void test_three_warps(void **state)
{
    explore_all(&(struct setting){.warps = 3, .wakes = 1}, ALL(traps));
}

/* Errors that are taken at once: the PC is at the instruction. */
static void test_precise_errors(void **state)
{
    explore_all(&(struct setting){.warps = 1, .wakes = 3}, ALL(errors));
    explore_all(&(struct setting){.warps = 2, .wakes = 1}, errors, 2);
}

/* Errors that arrive up to 8 issues late: by themselves, at BPT.DRAIN, at EXIT, in the handler. */
static void test_imprecise_errors(void **state)
{
    explore_all(&(struct setting){.warps = 1, .wakes = 3, .delay = LATE}, ALL(errors));
    explore_all(&(struct setting){.warps = 2, .wakes = 1, .delay = LATE}, ALL(late));
}

/* IDE.DIS holds BPT.TRAP 2 back until IDE.EN, and not BPT.TRAP 7. */
static void test_masks(void **state)
{
    explore_all(&(struct setting){.warps = 1, .wakes = 3}, ALL(masks));
    explore_all(&(struct setting){.warps = 2, .wakes = 1}, ALL(masks));
}

static void test_steps(void **state)
{
    for (unsigned delay = 0; delay <= LATE; delay += LATE)
        explore_all(&(struct setting){.warps = 1, .wakes = 4, .steps = true, .delay = delay},
                    ALL(mixed));
    explore_all(&(struct setting){.warps = 2, .wakes = 1, .steps = true}, ALL(traps));
}

/* The stop trigger: no warp returns while it is set, and the SM stays in trap mode. */
static void test_stops(void **state)
{
    for (unsigned delay = 0; delay <= LATE; delay += LATE)
        explore_all(&(struct setting){.warps = 1, .wakes = 2, .stops = 2, .delay = delay},
                    ALL(mixed));
    explore_all(&(struct setting){.warps = 2, .wakes = 1, .stops = 1}, ALL(traps));
}

static void test_stops_and_steps(void **state)
{
    explore_all(&(struct setting){.warps = 1, .wakes = 2, .stops = 2, .steps = true}, ALL(mixed));
}

int main(void)
{
    /* Thousands of states of 200 KB come and go: their memory is not to go back to the host each
     * time. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_warp),
        cmocka_unit_test(test_two_warps),
        cmocka_unit_test(test_three_warps),
        cmocka_unit_test(test_precise_errors),
        cmocka_unit_test(test_imprecise_errors),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_stops_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

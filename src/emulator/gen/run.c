/* Gen9's part of the engine (machine/engine.h): turns, and the reasons why no thread can issue. */
#include "emulator/gen/internal.h"

/* One turn of a thread; how many instructions it has issued. */
static inline uint64_t one_turn(struct wt_machine *m, struct gen_thread *t, uint64_t n)
{
    wt_begin_turn(m, &t->left, n);
    const struct gen_uop *u = gen_fetch(t, t->pc);
    if (!u)
        return wt_abandon_turn(m);
    gen_visit(t, u);
    for (;;) {
        if (t->waiting)
            gen_wake(t, gen_pc_of(t, u));
        const bool suppresses = t->suppresses;
        u = u->run(t, u);
        if (suppresses && !m->not_issued)
            u = gen_after_suppressed(t, u);
        if (!u || !t->left)
            break;
        t->left--;
    }
    if (u)
        t->pc = gen_pc_of(t, u);
    if (t->waiting) /* behind a jump: who looks at the thread sees the channels that will execute */
        gen_wake(t, t->pc);
    return wt_finish_turn(m, t->left);
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct gen_device *d = (struct gen_device *)m;
    uint64_t issued = one_turn(m, &d->thread[wave], n);
    while (issued && wt_follow_turn(m, issued, &n))
        issued = one_turn(m, &d->thread[m->turns.current], n);
    return issued;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    uint32_t i = 0;
    if (!m->active)
        return WT_RUN_ENDED;
    while (!d->thread[i].active)
        i++;
    for (uint32_t k = i; k < m->waves; k++)
        if (gen_has_attention(&d->thread[k]))
            return WT_RUN_HALTED;
    return wt_engine_deadlock(m,
                              "every active thread waits for a notification that none will give");
}

const struct wt_engine_ops gen_engine_ops = {
    .code = &gen_code_format,
    .turn = turn,
    .joins_turns = wt_engine_keeps_turns,
    .blocked = blocked,
    .issue_at = gen_issue_at,
    .next_issue = wt_engine_next_issue,
    .after_turn = wt_engine_no_cycles,
    .check = gen_check,
    .trace_before = gen_trace_before,
    .trace_after = gen_trace_after,
};

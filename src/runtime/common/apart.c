/* Launches that are dealt out to child processes. See apart.h. */
#include "runtime/common/apart.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "emulator/machine/config.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/groups.h"
#include "runtime/common/guard.h"
#include "runtime/common/hosted.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/tally.h"

enum {
    MOST = 64,       /* children */
    BEGIN = 1 << 22, /* issues of a launch before it is dealt out: about 10 ms */
    SLICE = 1 << 18, /* issues of a child before it tells that it lives */
    LOOK_MS = 20,
    PATIENCE_MS = 10000, /* without such a sign a child counts as hung: another thread may have held
                            a lock of the C library when it was made */
};
/* A child with so many issues, and for each group so many times those of a part that has ended,
 * waits for ever. */
#define ENDLESS (UINT64_C(1) << 26)
#define ENDLESS_TIMES 16

/* A page that a child has written: as it was, as it is. */
struct apart_page {
    uint64_t addr;
    uint8_t before[WT_PAGE_SIZE], after[WT_PAGE_SIZE];
};

/* Memory that a child and its parent share. */
struct child {
    _Atomic uint64_t signs;  /* signs of life */
    _Atomic uint64_t issues; /* so far */
    atomic_bool good;        /* its groups have ended, and its pages are in its file */
    /* of the parent */
    pid_t pid;
    int file; /* file of pages */
    int end;  /* end of a pipe that is closed when it has ended */
};

/*
 * The part of a process: some of the groups that run, by their places' order, and of those that
 * have not started. Part 0 is that of the program's own process, which can let no group go before
 * all parts have ended well: it has groups that have not started only if all that run are its own,
 * since the others would take their place. A child forgets what is not its own.
 */
struct apart_part {
    unsigned running, running_end;
    uint64_t first, last;
};

/* The part of process @p number of @p count, where @p running groups run. */
static struct apart_part part_of(const struct wt_launch_head *launch, unsigned running,
                                 unsigned number, unsigned count)
{
    const uint64_t rest = launch->total - launch->next, fair = (running + rest) / count;
    const unsigned own = fair < running ? (unsigned)fair : running, others = running - own;
    const uint64_t own_rest = fair - own, left = rest - own_rest, round = count - 2;
    const uint64_t first = launch->next + own_rest;
    if (!number)
        return (struct apart_part){0, own, launch->next, first};
    const unsigned n = number - 1, children = count - 1;
    /* Whoever has one group more of those that run has none more of the others. */
    return (struct apart_part){own + others * n / children, own + others * (n + 1) / children,
                               first + (left * n + round) / children,
                               first + (left * (n + 1) + round) / children};
}

static uint64_t groups_of(const struct apart_part *part)
{
    return part->running_end - part->running + part->last - part->first;
}

/* ---- parts ---- */

static uint32_t places(const struct wt_machine *m)
{
    return m->groups.cores * m->groups.groups_per_core;
}

/* Waiters while a process executes its part. */
struct held {
    bool *place; /* by place: the group there is of another part */
    bool *wave;  /* by wave: it could have had turns */
};

/* Finds the groups that run and are of other parts, and lets their waves have no turn from now on.
 * False without host memory; hold_free() must be called then, too. */
static bool hold(struct wt_machine *m, const struct apart_part *part, struct held *held)
{
    unsigned nth = 0;
    held->place = calloc(places(m), sizeof *held->place);
    held->wave = calloc(m->waves, sizeof *held->wave);
    if (!held->place || !held->wave)
        return false;
    for (uint32_t i = 0; i < places(m); i++)
        if (wt_group_at(&m->groups, i)->used) {
            held->place[i] = nth < part->running || nth >= part->running_end;
            nth++;
        }
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct wt_wave_head *w = wt_machine_wave(m, i);
        held->wave[i] =
            w->active && held->place[w->group->place] && wt_turns_is_ready(&m->turns, i);
        if (held->wave[i])
            wt_turns_set_ready(&m->turns, i, false);
    }
    m->turns.left = 0;
    return true;
}

/* Ends the groups of other parts. */
static void end_held(struct wt_machine *m, struct held *held)
{
    for (uint32_t i = 0; i < places(m); i++)
        if (held->place[i]) {
            m->groups.ops->end_group(m, wt_group_at(&m->groups, i));
            held->place[i] = false;
        }
}

static void hold_free(struct held *held)
{
    free(held->place);
    free(held->wave);
}

/* Whether all groups of the part have ended. */
static bool has_ended(const struct wt_machine *m, const struct held *held,
                      const struct wt_launch_head *launch, const struct apart_part *part)
{
    for (uint32_t i = 0; i < places(m); i++)
        if (wt_group_at(&m->groups, i)->used && !held->place[i])
            return false;
    return launch->next >= part->last;
}

/* ---- the child ---- */

static const uint8_t *same_page(void *context, uint64_t addr, const uint8_t *host)
{
    return host;
}

static bool is_not_shared(void *context, uint64_t addr)
{
    return false;
}

static void ignore_store(void *context, uint64_t addr, const void *bytes, size_t size)
{
}

static bool meet(void *context, uint64_t addr)
{
    wt_met(context);
    return true;
}

struct apart_writer {
    const struct wt_machine *m;
    int file;
    bool failed;
};

static void write_page(void *context, uint64_t addr, const uint8_t *bytes)
{
    struct apart_writer *w = context;
    struct apart_page page = {.addr = addr};
    memcpy(page.before, wt_in_process_page(w->m, addr), WT_PAGE_SIZE);
    memcpy(page.after, bytes, WT_PAGE_SIZE);
    if (memcmp(page.before, page.after, WT_PAGE_SIZE) != 0)
        w->failed |= write(w->file, &page, sizeof page) != sizeof page;
}

struct child_run {
    struct wt_hosted *gpu;
    struct child *self;
    struct wt_launch_head *launch;
    struct apart_part part;
};

static void run_part(void *context)
{
    const struct child_run *r = context;
    struct wt_machine *m = r->gpu->machine;
    struct child *self = r->self;
    struct held held;
    struct wt_copy copy = {.page = same_page,
                           .shared = is_not_shared,
                           .stored = ignore_store,
                           .was_atomic = meet,
                           .context = m};
    const uint64_t begin = m->time;
    if (wt_in_process_copy(m, &copy, WT_IGNORED) || !hold(m, &r->part, &held))
        return;
    m->apart = true;
    m->groups.stop = r->launch->next; /* no other group starts in their place */
    r->launch->total++;               /* the end of the launch is not the child's to see */
    end_held(m, &held);
    m->groups.stop = r->part.last;
    r->launch->next = r->part.first;
    wt_groups_pump(m);
    while (!m->met && !m->fault.kind && !has_ended(m, &held, r->launch, &r->part)) {
        m->ops->run(m, SLICE);
        atomic_store(&self->issues, m->time - begin);
        atomic_fetch_add(&self->signs, 1);
    }
    struct apart_writer writer = {m, self->file,
                                  m->met || !has_ended(m, &held, r->launch, &r->part)};
    if (!writer.failed)
        wt_memory_each(m->memory, write_page, &writer);
    if (!writer.failed)
        r->gpu->apart.count_code(r->gpu);
    atomic_store(&self->good, !writer.failed);
}

static _Noreturn void live(struct child_run *run)
{
    uint64_t addr;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    wt_guarded(run_part, run, &addr);
    _exit(0);
}

/* ---- the parent ---- */

/* Makes the child of a part; false: it could not be made. */
static bool begin(struct child *child, struct child_run run)
{
    int ends[2] = {-1, -1};
    child->file = memfd_create("wavetrap-part", MFD_CLOEXEC);
    if (child->file < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return false;
    /* Without a signal at its end, and unseen by the program's wait(); handlers of pthread_atfork()
     * are not called, which would take the GPU's locks. */
    const long pid = syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    if (pid == 0) {
        close(ends[0]);
        live(&run);
    }
    close(ends[1]);
    child->end = ends[0];
    child->pid = (pid_t)pid;
    return pid > 0;
}

/* Ends children that are left, and forgets them all. */
static void end_all(struct child *child, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (child[i].pid > 0) {
            kill(child[i].pid, SIGKILL);
            waitpid(child[i].pid, NULL, __WCLONE);
        }
        if (child[i].end >= 0)
            close(child[i].end);
        if (child[i].file >= 0)
            close(child[i].file);
    }
}

/* The parent's view of its children while they run. */
struct children {
    struct child *child;
    unsigned count, left;
    bool ended[MOST];
    uint64_t signs[MOST];
    uint64_t groups[MOST];
    uint64_t longest; /* issues of a group of a part that has ended, on average; 0: none has */
    uint64_t heard;   /* milliseconds of the last sign of one of them */
};

/* A part of so many groups has ended after so many issues. */
static void note_end(struct children *c, uint64_t issues, uint64_t groups)
{
    const uint64_t each = groups ? issues / groups + 1 : 0;
    c->longest = each > c->longest ? each : c->longest;
}

/* Whether one of them goes on for ever, beside parts that have ended. */
static bool is_endless(const struct children *c)
{
    bool endless = false;
    for (unsigned i = 0; i < c->count && c->longest; i++) {
        const uint64_t issues = atomic_load(&c->child[i].issues);
        endless |=
            !c->ended[i] && issues > ENDLESS && issues / ENDLESS_TIMES / c->longest > c->groups[i];
    }
    return endless;
}

/* Whether a child has ended. Its pipe may stay open where the program has made a process of its own
 * meanwhile. */
static bool has_gone(struct child *child, int revents)
{
    if (child->pid && waitpid(child->pid, NULL, __WCLONE | WNOHANG) == child->pid)
        child->pid = 0;
    return !child->pid || revents;
}

/* Looks after the children, for up to @p ms milliseconds. False: what they do must not count. */
static bool look(struct children *c, int ms)
{
    struct pollfd fds[MOST];
    const uint64_t now = wt_clock_ns() / 1000000;
    for (unsigned i = 0; i < c->count; i++)
        fds[i] = (struct pollfd){.fd = c->ended[i] ? -1 : c->child[i].end, .events = POLLIN};
    poll(fds, c->count, ms);
    for (unsigned i = 0; i < c->count; i++) {
        const uint64_t signs = atomic_load(&c->child[i].signs);
        c->heard = signs != c->signs[i] ? now : c->heard;
        c->signs[i] = signs;
        if (c->ended[i] || !has_gone(&c->child[i], fds[i].revents))
            continue;
        c->ended[i] = true;
        c->heard = now;
        c->left--;
        note_end(c, atomic_load(&c->child[i].issues), c->groups[i]);
        if (!atomic_load(&c->child[i].good))
            return false;
    }
    return now - c->heard < PATIENCE_MS && !wt_interrupt_pending() && !is_endless(c);
}

/* Writes what a child has changed to the program's memory. */
static bool merge(struct wt_machine *m, int file)
{
    const off_t size = lseek(file, 0, SEEK_END);
    const struct apart_page *page =
        size ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0) : NULL;
    if (size < 0 || page == MAP_FAILED)
        return false;
    for (size_t n = 0; n < (size_t)size / sizeof *page; n++) {
        uint8_t *to = wt_in_process_page(m, page[n].addr);
        for (size_t i = 0; i < WT_PAGE_SIZE; i++)
            to[i] = page[n].before[i] == page[n].after[i] ? to[i] : page[n].after[i];
        if (wt_code_on_page(&m->code, page[n].addr))
            wt_code_invalidate(&m->code, page[n].addr, WT_PAGE_SIZE);
    }
    if (size)
        munmap((void *)page, (size_t)size);
    return true;
}

/* The waves that were held have turns again. */
static void let_go(struct wt_machine *m, const struct held *held)
{
    for (uint32_t i = 0; i < m->waves; i++)
        if (held->wave[i])
            wt_turns_set_ready(&m->turns, i, true);
}

/* The children's groups have ended, and the launch with them. */
static void end_others(struct wt_machine *m, struct wt_launch_head *launch, uint32_t number,
                       uint64_t first, struct held *held)
{
    launch->done += launch->total - first;
    launch->next = launch->total;
    if (launch->done < launch->total) {
        end_held(m, held);
        return;
    }
    launch->active = false;
    if (m->groups.ops->launch_ended)
        m->groups.ops->launch_ended(m, number);
}

/* Executes the part of this process beside the children; false: what they do must not count. */
static bool run_beside(struct wt_machine *m, struct wt_launch_head *launch,
                       const struct apart_part *part, const struct held *held, struct children *c,
                       enum wt_run *why)
{
    const uint64_t begin = m->time;
    bool good = true;
    m->groups.stop = part->last;
    wt_groups_pump(m);
    while (good && !has_ended(m, held, launch, part)) {
        *why = m->ops->run(m, SLICE);
        const bool stuck = m->fault.kind == WT_FAULT_DEADLOCK,
                   ended = has_ended(m, held, launch, part);
        if (stuck) /* waves and groups of other parts could have had turns */
            m->fault.kind = WT_FAULT_NONE;
        if (stuck || (ended && !m->fault.kind)) /* nothing of this part is left to run */
            *why = WT_RUN_BUDGET;
        good = *why == WT_RUN_BUDGET && (ended || !stuck) && look(c, 0);
    }
    note_end(c, m->time - begin, groups_of(part));
    while (good && c->left)
        good = look(c, LOOK_MS);
    m->groups.stop = 0;
    return good;
}

/* A launch that is alone on the machine. */
struct lone {
    struct wt_launch_head *head;
    uint32_t slot;          /* its place among the machine's launches */
    uint64_t number, entry; /* the launch's, the kernel's */
    unsigned running;       /* groups */
};

/* Deals out what is left of a launch to so many processes, this one among them. False: the children
 * have had no effect. */
static bool deal_out(struct wt_hosted *gpu, const struct lone *lone, unsigned count,
                     enum wt_run *why)
{
    struct wt_machine *m = gpu->machine;
    struct wt_launch_head *launch = lone->head;
    const struct apart_part own = part_of(launch, lone->running, 0, count);
    struct children c = {.count = count - 1, .left = count - 1, .heard = wt_clock_ns() / 1000000};
    struct held held = {NULL, NULL};
    c.child = mmap(NULL, c.count * sizeof *c.child, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.child == MAP_FAILED)
        return false;
    gpu->apart.count_code(gpu);
    for (unsigned i = 0; i < c.count; i++)
        c.child[i].end = c.child[i].file = -1;
    bool good = true;
    for (unsigned i = 1; good && i < count; i++) {
        const struct apart_part part = part_of(launch, lone->running, i, count);
        c.groups[i - 1] = groups_of(&part);
        good = begin(&c.child[i - 1], (struct child_run){gpu, &c.child[i - 1], launch, part});
    }
    if (good && (good = hold(m, &own, &held)))
        good = run_beside(m, launch, &own, &held, &c, why);
    for (unsigned i = 0; good && i < c.count; i++)
        good = merge(m, c.child[i].file);
    for (unsigned i = 0; good && i < c.count; i++)
        m->time += atomic_load(&c.child[i].issues);
    m->turns.left = 0;
    if (good)
        end_others(m, launch, lone->slot, own.last, &held);
    else if (held.wave) {
        let_go(m, &held);
        wt_groups_pump(m);
    }
    end_all(c.child, c.count);
    munmap(c.child, c.count * sizeof *c.child);
    hold_free(&held);
    return good;
}

static bool was_refused(const struct wt_apart *a, uint64_t entry)
{
    bool found = false;
    for (unsigned i = 0; i < WT_APART_REFUSED; i++)
        found |= a->refused[i] == entry;
    return found;
}

/* Finds the launch that is alone on the machine; false: there is none, or several. */
static bool find_lone(struct wt_machine *m, struct lone *lone)
{
    const struct wt_groups *groups = &m->groups;
    const struct wt_group_head *one = NULL;
    lone->running = 0;
    for (uint32_t i = 0; groups->ops && i < places(m); i++) {
        const struct wt_group_head *g = wt_group_at(groups, i);
        if (!g->used)
            continue;
        if (one && g->launch != one->launch)
            return false;
        one = g;
        lone->running++;
    }
    if (!one)
        return false;
    lone->slot = one->launch;
    lone->number = groups->ops->launch(m, one);
    lone->entry = groups->ops->entry(m, one);
    lone->head = groups->ops->alone(m, one);
    return lone->head != NULL;
}

/* Remembers how dealing out a launch went. */
static void count_launch(struct wt_apart *a, bool good, uint64_t entry)
{
    struct wt_tally_gpu *tally = wt_tally_of(a->family);
    if (!good && wt_interrupt_pending())
        return;
    if (!good)
        a->refused[a->refusals++ % WT_APART_REFUSED] = entry;
    if (tally)
        atomic_fetch_add(good ? &tally->dealt : &tally->undone, 1);
}

enum wt_run wt_apart_run(struct wt_hosted *gpu, uint64_t issues, bool alone)
{
    struct wt_machine *m = gpu->machine;
    struct wt_apart *a = &gpu->apart;
    const unsigned processes = ((const struct wt_device_config *)m->config)->processes;
    struct lone lone;
    if (processes < 2 || !alone || !wt_in_place(m) || m->watch || m->observer || m->judge ||
        m->profile || m->turns.policy.kind != WT_SCHEDULE_RR || m->fault.kind || m->event ||
        !find_lone(m, &lone))
        return m->ops->run(m, issues);
    if (a->launch != lone.number) {
        a->launch = lone.number;
        a->due = m->time + BEGIN;
        a->over = was_refused(a, lone.entry);
    }
    if (!a->over && m->time >= a->due) {
        const uint64_t groups = lone.running + lone.head->total - lone.head->next;
        enum wt_run why = WT_RUN_BUDGET;
        a->over = true;
        if (groups >= processes)
            count_launch(a, deal_out(gpu, &lone, processes, &why), lone.entry);
        if (why != WT_RUN_BUDGET || !m->active)
            return m->active ? why : m->ops->run(m, 0);
    }
    const uint64_t due = a->due > m->time ? a->due - m->time : UINT64_MAX;
    return m->ops->run(m, a->over || due > issues ? issues : due);
}

/* Waves, lanes, threads, and the device: selecting and listing them; time and history. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "debug/core/touches.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

/* Prints the selected frame and its line. */
static void show_frame_of_selected(struct wt_shell *c)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK) {
        wt_words_frame(&c->words, frame, true, true);
        wt_words_line(&c->words, frame, false);
    }
}

static void show_selected(struct wt_shell *c)
{
    wt_words_where(&c->words, c->program->thread);
    show_frame_of_selected(c);
}

enum wt_status do_thread(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t number;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status)
        return status;
    const char *whole = text;
    if (wt_word_length(text) == 5 && strncmp(text, "apply", 5) == 0)
        return apply(c, wt_skip_blanks(text + 5), false, err);
    if (wt_word_length(text) == 4 && strncmp(text, "find", 4) == 0)
        return find_threads(c, wt_skip_blanks(text + 4), err);
    if (wt_word_length(text) == 4 && strncmp(text, "name", 4) == 0)
        return wt_fail(err, WT_UNSUPPORTED,
                       "threads are lanes of waves, which are named by their places");
    if (!*text) {
        char name[WT_THREAD_NAME];
        wt_debugger_thread_name(c->program->debugger, c->program->thread, name, sizeof name);
        fprintf(c->out, "[Current thread is %u (%s)]\n", (unsigned)c->program->thread, name);
        return WT_OK;
    }
    if (!wt_take_number(&text, &number) || *text || number == 0 || number > UINT32_MAX ||
        !wt_debugger_thread_alive(c->program->debugger, (wt_thread)number))
        return wt_fail(err, WT_INVALID, "Unknown thread %s.", whole);
    wt_program_select(c->program, (wt_thread)number);
    show_selected(c);
    return WT_OK;
}

enum wt_status do_lane(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t lane;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status)
        return status;
    if (strncmp(text, "apply ", 6) == 0)
        return apply(c, wt_skip_blanks(text + 6), true, err);
    if (!*text) {
        wt_words_where(&c->words, c->program->thread);
        return WT_OK;
    }
    if (!wt_take_number(&text, &lane) || *text || lane > UINT32_MAX)
        return wt_fail(err, WT_INVALID, "lane takes the number of a lane");
    if ((status = wt_program_select_lane(c->program, (unsigned)lane, err)) == WT_OK)
        show_selected(c);
    return status;
}

enum wt_status do_wave(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t core, slot;
    struct wt_wave own;
    wt_thread thread;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status)
        return status;
    if (!*text) {
        wt_words_where(&c->words, c->program->thread);
        return WT_OK;
    }
    core = wt_debugger_thread_wave(c->program->debugger, c->program->thread, &own) ? own.core : 0;
    bool good = wt_take_number(&text, &slot);
    if (good && *text == '/') {
        text = wt_skip_blanks(text + 1);
        core = slot;
        good = wt_take_number(&text, &slot);
    }
    if (!good)
        return wt_fail(err, WT_INVALID, "%s takes SLOT or CORE/SLOT",
                       c->program->topology->wave_word);
    const wt_wave_id wave =
        core <= UINT32_MAX && slot <= UINT32_MAX
            ? wt_debugger_wave_in(c->program->debugger, (unsigned)core, (unsigned)slot)
            : WT_NO_WAVE;
    if (*text || wave == WT_NO_WAVE || !wt_program_thread_of_wave(c->program, wave, &thread))
        return wt_fail(err, WT_INVALID, "no active %s in slot %" PRIu64 " of core %" PRIu64,
                       c->program->topology->wave_word, slot, core);
    wt_program_select(c->program, thread);
    show_selected(c);
    return WT_OK;
}

/* "group X", "group X,Y,Z": its first wave. */
enum wt_status do_group(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_focus f = {.given = {[WT_BY_GROUP] = true}};
    uint32_t *at = f.value[WT_BY_GROUP];
    struct wt_wave own;
    struct wt_work work;
    wt_thread thread;
    unsigned lane;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status)
        return status;
    if (!wt_debugger_thread_wave(c->program->debugger, c->program->thread, &own) || !own.has_work)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not report work-groups");
    if (!*text) {
        wt_words_where(&c->words, c->program->thread);
        return WT_OK;
    }
    if (!wt_take_triple(&text, at) || *text)
        return wt_fail(err, WT_INVALID, "group takes its coordinates: X, X,Y or X,Y,Z");
    status = wt_program_work(c->program, &work, err);
    const struct wt_wave *found = status ? NULL : wt_find_lane(&work, &f, &own, &lane);
    if (!status && (!found || !wt_program_thread_of_wave(c->program, found->id, &thread)))
        status = wt_fail(err, WT_INVALID,
                         "group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of dispatch %" PRIu64
                         " has no %s now; 'info groups' lists those that have",
                         at[0], at[1], at[2], own.dispatch, c->program->topology->wave_word);
    wt_work_free(&work);
    if (status)
        return status;
    wt_program_select(c->program, thread);
    show_selected(c);
    return WT_OK;
}

/* Selects the first wave for which a number is @p wanted, as rocgdb does. */
static enum wt_status select_by(struct wt_shell *c, const char *text, const char *what,
                                bool (*is)(const struct wt_work *work, size_t wave,
                                           uint64_t wanted),
                                struct wt_error *err)
{
    struct wt_work work;
    wt_thread thread;
    uint64_t wanted;
    bool found = false;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status)
        return status;
    if (!*text) {
        wt_words_where(&c->words, c->program->thread);
        return WT_OK;
    }
    if (!wt_take_number(&text, &wanted) || *text)
        return wt_fail(err, WT_INVALID, "%s takes a number", what);
    if ((status = wt_program_work(c->program, &work, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < work.wave_count && !found; i++)
        found = is(&work, i, wanted) &&
                wt_program_thread_of_wave(c->program, work.wave[i].wave.id, &thread);
    wt_work_free(&work);
    if (!found)
        return wt_fail(err, WT_INVALID, "no %s of %s %" PRIu64 " is active",
                       c->program->topology->wave_word, what, wanted);
    wt_program_select(c->program, thread);
    show_selected(c);
    return WT_OK;
}

static bool is_of_dispatch(const struct wt_work *work, size_t wave, uint64_t wanted)
{
    return work->wave[wave].wave.has_work && work->wave[wave].wave.dispatch == wanted;
}

static bool is_of_device(const struct wt_work *work, size_t wave, uint64_t wanted)
{
    return work->wave[wave].wave.device == wanted;
}

static bool is_of_queue(const struct wt_work *work, size_t wave, uint64_t wanted)
{
    for (size_t i = 0; i < work->dispatch_count; i++)
        for (size_t k = 0; k < work->dispatch[i].wave_count; k++)
            if (work->dispatch[i].wave[k] == &work->wave[wave])
                return work->dispatch[i].queue && work->dispatch[i].queue->number == wanted;
    return false;
}

enum wt_status do_dispatch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return select_by(c, text, "dispatch", is_of_dispatch, err);
}

enum wt_status do_queue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return select_by(c, text, "queue", is_of_queue, err);
}

enum wt_status do_agent(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return select_by(c, text, "device", is_of_device, err);
}

enum wt_status do_maintenance(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return strcmp(text, "print address-spaces") == 0
               ? do_info_spaces(c, "", err)
               : wt_fail(err, WT_UNSUPPORTED,
                         "maintenance takes 'print address-spaces', which 'info spaces' is, too");
}

/* ---- lists ---- */

/* Lists of which nothing can be chosen. */
#define LIST(command, name, print)                                                                 \
    enum wt_status command(struct wt_shell *c, const char *text, struct wt_error *err)             \
    {                                                                                              \
        const enum wt_status status = take_no_arguments(text, name, err);                          \
        return status ? status : print(&c->words, err);                                            \
    }
LIST(do_info_waves, "info warps", wt_words_waves)
LIST(do_info_barriers, "info barriers", wt_words_barriers)
LIST(do_info_dispatches, "info dispatches", wt_words_dispatches)
LIST(do_info_groups, "info groups", wt_words_groups)
LIST(do_info_queues, "info queues", wt_words_queues)
LIST(do_info_divergence, "info divergence", wt_words_divergence)
LIST(do_info_devices, "info devices", wt_words_devices)
LIST(do_info_spaces, "info spaces", wt_words_spaces)
LIST(do_info_modules, "info modules", wt_words_modules)
LIST(do_info_program, "info program", wt_words_program)
LIST(do_info_time, "info time", wt_words_time)

enum wt_status do_info_lanes(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_values values;
    char *whole;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status || !*text)
        return status ? status : wt_words_lanes(&c->words, err);
    const struct wt_view view = wt_program_view(c->program);
    if (asprintf(&whole, "(%s)@*", text) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    status = wt_source_evaluate(&view, whole, &values, err);
    free(whole);
    if (status)
        return status;
    const struct wt_format format = wt_words_format(&c->words, 0, false);
    print_lanes(c, &view, &values, &format);
    wt_values_free(&values);
    return WT_OK;
}

/* Registers of the whole wave are read; the device's family knows which of them describe traps. */
enum wt_status do_info_trap(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum { MOST = 64 };
    const char *name[MOST];
    uint64_t value[MOST];
    size_t count = 0;
    enum wt_status status = take_no_arguments(text, "info trap", err);
    if (!status)
        status = wt_program_need_thread(c->program, err);
    for (unsigned i = 0; i < c->program->topology->register_count && count < MOST && !status; i++) {
        const struct wt_register *r = &c->program->topology->registers[i];
        if (r->scope != WT_SCOPE_WAVE || r->bits > 64 || strcmp(r->set, "sgpr") == 0)
            continue;
        if (wt_debugger_read_numbers(c->program->debugger, c->program->thread, &i, 1, &value[count],
                                     WT_IGNORED) == WT_OK)
            name[count++] = r->name;
    }
    if (!status && (!c->options.explain ||
                    !c->options.explain(c->options.context, c->out, name, value, count)))
        status = wt_fail(err, WT_UNSUPPORTED, "the device has no such registers");
    return status;
}

enum wt_status do_info_fault(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const enum wt_status status = wt_program_need_thread(c->program, err);
    if (!status)
        wt_words_standing(&c->words, NULL);
    return status;
}

/* ---- time ---- */

/* A way to a time of a run, which may have to be repeated. */
struct console_way {
    struct wt_shell *c;
    uint64_t number; /* the finding's; 0: to a time that the user has named */
    bool other;      /* … to the other access of a race */
    uint64_t time;
    struct wt_check_place place[2]; /* the finding's */
};

static enum wt_status find_place(struct console_way *to, struct wt_error *err)
{
    const struct wt_checks *checks = to->c->options.checks;
    enum wt_status status = wt_checks_need(checks, err);
    if (status ||
        (status = checks->print(checks->context, NULL, to->number, false, to->place, err)) != WT_OK)
        return status;
    to->time = to->place[to->other].time;
    if (to->place[to->other].wave)
        return WT_OK;
    return to->other ? wt_fail(err, WT_STATE, "finding %" PRIu64 " has no other access", to->number)
                     : wt_fail(err, WT_STATE, "finding %" PRIu64 " is one of the host's side",
                               to->number);
}

/* Whether what the way leads to lies in the recorded run. */
static bool is_recorded(void *context)
{
    struct console_way *to = context;
    struct wt_debugger_time time;
    return (!to->number || find_place(to, WT_IGNORED) == WT_OK) &&
           wt_debugger_time(to->c->program->debugger, &time, WT_IGNORED) == WT_OK &&
           to->time >= time.start && to->time <= time.end;
}

/* Why no way leads there. */
static enum wt_status refuse(struct console_way *to, struct wt_error *err)
{
    struct wt_program *g = to->c->program;
    struct wt_debugger_time time;
    const enum wt_status status = wt_debugger_time(g->debugger, &time, err);
    if (!g->started)
        return wt_program_need_run(g, err);
    return status ? status : wt_checks_not_recorded(&time, to->time, to->number, err);
}

/* Runs a host program again to where it was, if the user wants that. A time alone may be one at
 * which nothing stops again: where the program is still run, its place is not given up for that. */
static enum wt_status repeat(struct console_way *to, struct wt_error *err)
{
    struct wt_shell *c = to->c;
    struct wt_debugger_time time;
    char question[200], what[60];
    const bool later = c->program->started &&
                       wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK &&
                       to->time > time.end;
    if (!c->options.host || !c->program->was_run || later || (!to->number && c->program->started))
        return refuse(to, err);
    snprintf(what, sizeof what,
             to->number ? "Finding %" PRIu64 " was made" : "Issue time %" PRIu64 " is",
             to->number ? to->number : to->time);
    snprintf(question, sizeof question,
             "%s before what is recorded now.\n"
             "Run the program again from the beginning, and stop there? (y or n) ",
             what);
    if (!ask(c, question))
        return wt_fail(err, WT_STATE, "Program not restarted.");
    return wt_program_repeat(c->program, is_recorded, to, err);
}

static enum wt_status go_to(struct console_way *to, struct wt_error *err)
{
    struct wt_shell *c = to->c;
    struct wt_debugger_time time;
    enum wt_status status = is_recorded(to) ? WT_OK : repeat(to, err);
    const struct wt_check_place *found = to->number ? &to->place[to->other] : NULL;
    if (status || (status = wt_program_goto(c->program, to->time, err)) != WT_OK ||
        (found &&
         (status = wt_program_select_lane_of(c->program, found->wave, found->lane, err)) != WT_OK))
        return status;
    if (wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK)
        fprintf(c->out, "Issue time %" PRIu64 "\n", time.now);
    if (c->program->started && c->program->thread) {
        wt_words_where(&c->words, c->program->thread);
        wt_words_standing(&c->words, "The program is stopped at a fault: ");
        wt_words_stop(&c->words, true);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_goto(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_debugger_time time;
    struct console_way to = {.c = c};
    const bool start = strcmp(text, "start") == 0 || strcmp(text, "begin") == 0;
    if (start || strcmp(text, "end") == 0) {
        const enum wt_status status = wt_debugger_time(c->program->debugger, &time, err);
        if (status)
            return status;
        to.time = start ? time.start : time.end;
    } else if (!wt_take_number(&text, &to.time) || *text) {
        return wt_fail(err, WT_INVALID, "goto takes an issue time, \"start\" or \"end\"");
    }
    return go_to(&to, err);
}

enum wt_status do_check(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct console_way to = {.c = c};
    if (strncmp(text, "goto ", 5) == 0)
        text += 5;
    text += strspn(text, " ");
    const bool good = wt_take_number(&text, &to.number) && to.number;
    text += strspn(text, " ");
    to.other = strcmp(text, "other") == 0;
    if (!good || (*text && !to.other))
        return wt_fail(err, WT_INVALID,
                       "check [goto] NUMBER [other]: 'info checks' has the numbers, from 1 on; "
                       "'other' is the other access of a race");
    const enum wt_status status = find_place(&to, err);
    return status ? status : go_to(&to, err);
}

/* A write of the host's, with its calls where they are kept. */
static void print_host_write(struct wt_shell *c, const struct wt_host_write *w)
{
    const struct wt_checks *checks = c->options.checks;
    fprintf(c->out,
            "time %" PRIu64 ": the host, call %" PRIu64 ": %s wrote %" PRIu64 " bytes at 0x%" PRIx64
            "\n",
            w->time, w->call, w->by, w->size, w->addr);
    if (checks && w->depth)
        checks->print_calls(checks->context, c->out, w->calls, w->depth);
}

/* Accesses of waves, and writes of the host, the latest first, as many as are wanted; an
 * instruction at the time of a write of the host's came behind it. Returns how many there are. */
static size_t print_both(struct wt_shell *c, const struct wt_touch *list, size_t count,
                         const struct wt_host_write *host, size_t writes, size_t most,
                         const struct wt_home *home)
{
    size_t i = 0, k = 0;
    while (i + k < most && (i < count || k < writes))
        if (k == writes || (i < count && list[i].time >= host[k].time))
            wt_words_touch(&c->words, &list[i++], home);
        else
            print_host_write(c, &host[k++]);
    return i + k;
}

static enum wt_status print_touches(struct wt_shell *c, const char *text,
                                    enum wt_watchpoint_kind kind, struct wt_error *err)
{
    enum { MOST_OF_HOST = 64 };
    const bool read = kind == WT_WATCHPOINT_READ;
    struct wt_host_write host[MOST_OF_HOST];
    size_t writes = 0;
    bool earlier = false;
    uint64_t most = 1;
    char *copy = strdup(text);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    /* A number after a blank at the end is the number of results wanted. */
    char *last = strrchr(copy, ' ');
    const char *number = last ? last + 1 : "";
    if (last && wt_take_number(&number, &most) && !*number)
        *last = 0;
    else
        most = 1;
    struct wt_home home;
    enum wt_status status =
        *copy ? wt_program_find_home(c->program, copy, &home, err)
              : wt_fail(err, WT_INVALID, "%s takes an expression", read ? "who-read" : "who-wrote");
    free(copy);
    struct wt_touch *list;
    size_t count;
    bool more;
    if (status)
        return status;
    home.where.kind = kind;
    home.where.changes &= !read;
    status = wt_program_touches(c->program, &home, most ? most : 1, &list, &count, &more, err);
    if (status) {
        wt_home_free(&home);
        return status;
    }
    if (!read)
        writes = wt_debugger_host_writes(c->program->debugger, c->program->thread, home.where.addr,
                                         home.where.size, host, MOST_OF_HOST, &earlier);
    const size_t printed = print_both(c, list, count, host, writes, most ? most : 1, &home);
    more |= earlier || printed < count + writes;
    if (!printed)
        fprintf(c->out, "No instruction of the recorded run before now %s it.\n",
                read ? "read" : "wrote to");
    else if (more && most > 1)
        fputs("There may be others before.\n", c->out);
    free(list);
    wt_home_free(&home);
    return WT_OK;
}

enum wt_status do_who_wrote(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_touches(c, text, WT_WATCHPOINT_WRITE, err);
}

enum wt_status do_who_read(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_touches(c, text, WT_WATCHPOINT_READ, err);
}

/* ---- the focus of cuda-gdb ("CUDA-GDB": 8.2) ---- */

enum wt_status do_info_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return wt_words_cuda(&c->words, text, err);
}

enum wt_status do_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    bool switched;
    const enum wt_status status = wt_words_cuda_switch(&c->words, text, &switched, err);
    if (!status && switched)
        show_frame_of_selected(c);
    return status;
}

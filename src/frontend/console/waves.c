/* Waves, lanes, threads, and the device: selecting and listing them; time and history. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wave_name.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

void show_frame_of_selected(struct wt_shell *c)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK) {
        print_frame(c, frame, true, true);
        print_source_line(c, frame, false);
    }
}

static void show_selected(struct wt_shell *c)
{
    print_where(c, c->program->thread);
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
        print_where(c, c->program->thread);
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
        print_where(c, c->program->thread);
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
        return wt_fail(err, WT_UNSUPPORTED, "the device does not tell of work-groups");
    if (!*text) {
        print_where(c, c->program->thread);
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
        print_where(c, c->program->thread);
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

static enum wt_status for_each_wave(struct wt_shell *c, const char *text, const char *what,
                                    bool (*print)(struct wt_shell *c,
                                                  const struct wt_wave_info *info),
                                    const char *none, struct wt_error *err)
{
    struct wt_work work;
    bool any = false;
    enum wt_status status = take_no_arguments(text, what, err);
    if (status)
        return status;
    status = wt_program_work(c->program, &work, err);
    for (size_t i = 0; i < work.wave_count && !status; i++)
        any |= print(c, &work.wave[i]);
    wt_work_free(&work);
    if (!status && !any)
        fprintf(c->out, "%s\n", none);
    return status;
}

static bool print_wave(struct wt_shell *c, const struct wt_wave_info *info)
{
    char mask[WT_LANES_TEXT], name[WT_WAVE_NAME];
    fprintf(c->out, "%c ", info->wave.id == wt_program_own_wave(c->program) ? '*' : ' ');
    wt_debugger_name_wave(c->program->debugger, &info->wave, name, sizeof name);
    fputs(name, c->out);
    if (info->wave.has_work)
        fprintf(c->out, "  index %" PRIu32, info->wave.index);
    if (info->running) {
        fputs("  running\n", c->out);
        return true;
    }
    wt_lanes_text(info->mask, mask, sizeof mask);
    fprintf(c->out, "  %ss %s  ", c->program->topology->lane_word, mask[0] ? mask : "none");
    put_code_place(c, info->pc);
    if (info->has_wait && info->detail.view.waiting)
        fprintf(c->out, "  (waits: %s)", info->detail.view.wait);
    fputc('\n', c->out);
    return true;
}

enum wt_status do_info_waves(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return for_each_wave(c, text, "info warps", print_wave, "No waves.", err);
}

static bool print_barrier(struct wt_shell *c, const struct wt_wave_info *info)
{
    if (!info->has_wait || !info->detail.view.at_barrier)
        return false;
    const struct wt_wave_view *view = &info->detail.view;
    char wave[WT_WAVE_NAME];
    wt_debugger_name_wave(c->program->debugger, &info->wave, wave, sizeof wave);
    fprintf(c->out, "%s: barrier %u, %u", wave, view->barrier, view->arrived);
    if (view->expected) /* else as many as there are */
        fprintf(c->out, " of %u", view->expected);
    fprintf(c->out, " %s there\n", view->between_cores ? "cores are" : "are");
    return true;
}

enum wt_status do_info_barriers(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return for_each_wave(c, text, "info barriers", print_barrier, "Nothing waits at a barrier.",
                         err);
}

enum wt_status do_info_lanes(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (!status)
        status = wt_program_wave(c->program, c->program->thread, &wave, &place, err);
    if (status)
        return status;
    if (*text) {
        const struct wt_view view = wt_program_view(c->program);
        struct wt_values values;
        char *whole;
        if (asprintf(&whole, "(%s)@*", text) < 0)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        status = wt_source_evaluate(&view, whole, &values, err);
        free(whole);
        if (status)
            return status;
        const struct wt_format format = format_of(c, 0, false);
        print_lanes(c, &view, &values, &format);
        wt_values_free(&values);
        return WT_OK;
    }
    /* Lanes that are at the same place, in one row. */
    const unsigned pc_index = (unsigned)c->program->topology->pc_index;
    const size_t size = wt_register_size(&c->program->topology->registers[pc_index]);
    uint8_t row[WT_MAX_LANES * 8];
    const wt_lanes all = wt_lanes_first(wave.lanes);
    status = wt_debugger_read_rows(c->program->debugger, c->program->thread, all, &pc_index, 1, row,
                                   err);
    if (status)
        return status;
    for (unsigned lane = 0; lane < wave.lanes;) {
        unsigned end = lane + 1;
        while (end < wave.lanes && memcmp(row + end * size, row + lane * size, size) == 0 &&
               wt_has_lane(place.active, end) == wt_has_lane(place.active, lane))
            end++;
        uint64_t pc = 0;
        for (size_t i = 0; i < size && i < 8; i++)
            pc |= (uint64_t)row[lane * size + i] << (8 * i);
        char lanes[32];
        snprintf(lanes, sizeof lanes, end - lane > 1 ? "%u..%u" : "%u", lane, end - 1);
        fprintf(c->out, "%c %-8s %-11s ", place.lane >= lane && place.lane < end ? '*' : ' ', lanes,
                wt_has_lane(place.active, lane) ? "" : "masked off");
        put_code_place(c, pc);
        fputc('\n', c->out);
        lane = end;
    }
    return WT_OK;
}

enum wt_status do_info_divergence(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_wave_info info;
    char lanes[WT_LANES_TEXT];
    enum wt_status status = take_no_arguments(text, "info divergence", err);
    if (!status)
        status = wt_program_need_thread(c->program, err);
    if (!status)
        status = wt_program_wave(c->program, c->program->thread, &wave, &place, err);
    if (!status)
        status = wt_debugger_wave(c->program->debugger, wave.id, &info, err);
    if (status)
        return status;
    wt_lanes_text(info.mask, lanes, sizeof lanes);
    fprintf(c->out, "%ss %s are enabled, at ", c->program->topology->lane_word,
            lanes[0] ? lanes : "none");
    put_code_place(c, info.pc);
    fputc('\n', c->out);
    for (unsigned i = 0; info.has_detail && i < info.detail.waiter_count; i++) {
        wt_lanes_text(info.detail.waiter[i].lanes, lanes, sizeof lanes);
        fprintf(c->out, "%ss %s wait, and go on at ", c->program->topology->lane_word,
                lanes[0] ? lanes : "none");
        put_code_place(c, info.detail.waiter[i].pc);
        fputc('\n', c->out);
    }
    return WT_OK;
}

enum wt_status do_info_devices(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_topology *t = c->program->topology;
    enum wt_status status = take_no_arguments(text, "info devices", err);
    if (status)
        return status;
    struct wt_device device;
    wt_debugger_device(c->program->debugger, 0, &device);
    struct wt_wave own = {.device = device.number};
    wt_debugger_thread_wave(c->program->debugger, c->program->thread, &own);
    for (unsigned i = 0; wt_debugger_device(c->program->debugger, i, &device); i++)
        fprintf(c->out, "%c %u  %s (%s): %u cores of %u %ss, up to %u %ss each\n",
                device.number == own.device ? '*' : ' ', device.number, t->family, t->arch,
                device.cores, t->waves_per_core, t->wave_word, t->lanes, t->lane_word);
    return WT_OK;
}

enum wt_status do_info_spaces(struct wt_shell *c, const char *text, struct wt_error *err)
{
    static const char *const scopes[] = {[WT_SCOPE_LANE] = "each lane",
                                         [WT_SCOPE_WAVE] = "each wave",
                                         [WT_SCOPE_GROUP] = "each group",
                                         [WT_SCOPE_CORE] = "each core",
                                         [WT_SCOPE_DEVICE] = "the device"};
    enum wt_status status = take_no_arguments(text, "info spaces", err);
    if (status)
        return status;
    for (size_t i = 0; i < c->program->topology->space_count; i++) {
        const struct wt_space *s = &c->program->topology->spaces[i];
        fprintf(c->out, "%zu  %-10s %u bits, of %s", i, s->name, s->address_bits, scopes[s->scope]);
        if (s->aperture)
            fprintf(c->out, "; at 0x%" PRIx64 " of space 0", s->aperture);
        fputc('\n', c->out);
    }
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

enum wt_status do_info_modules(struct wt_shell *c, const char *text, struct wt_error *err)
{
    size_t count;
    enum wt_status status = take_no_arguments(text, "info modules", err);
    if (status)
        return status;
    const struct wt_module *m = wt_modules_list(c->program->modules, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(c->out, "0x%0*" PRIx64 "  0x%0*" PRIx64 "  %s\n",
                (int)c->program->topology->address_bits / 4, m[i].start,
                (int)c->program->topology->address_bits / 4, m[i].end, m[i].name);
    if (!count)
        fputs("No code is loaded.\n", c->out);
    return WT_OK;
}

enum wt_status do_info_program(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "info program", err);
    if (status)
        return status;
    if (c->program->started) {
        print_where(c, c->program->thread);
        fputs("The program is stopped.\n", c->out);
    } else if (c->program->ended) {
        fprintf(c->out, "The program has ended with code %" PRIu32 ".\n", c->program->exit_word);
    } else {
        fputs("The program being debugged is not being run.\n", c->out);
    }
    return WT_OK;
}

/* ---- time ---- */

enum wt_status do_info_time(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_debugger_time time;
    enum wt_status status = take_no_arguments(text, "info time", err);
    if (!status)
        status = wt_debugger_time(c->program->debugger, &time, err);
    if (status)
        return status;
    const char *unrecorded = wt_debugger_unrecorded(c->program->debugger);
    if (unrecorded)
        fprintf(c->out, "Issue time %" PRIu64 "; %s.\n", time.now, unrecorded);
    else
        fprintf(c->out, "Issue time %" PRIu64 "%s; recorded from %" PRIu64 " to %" PRIu64 ".\n",
                time.now, time.in_past ? ", in the past" : "", time.start, time.end);
    return WT_OK;
}

/* Goes to a time, where the lane of a finding (NULL: none) is selected. */
static enum wt_status go_to(struct wt_shell *c, uint64_t to, const struct wt_check_place *found,
                            struct wt_error *err)
{
    struct wt_debugger_time time;
    enum wt_status status = wt_debugger_time(c->program->debugger, &time, err);
    if (status)
        return c->program->started ? status : wt_program_need_run(c->program, err);
    if (to < time.start || to > time.end)
        return wt_checks_not_recorded(&time, to, found != NULL, err);
    if ((status = wt_program_goto(c->program, to, err)) != WT_OK ||
        (found &&
         (status = wt_program_select_lane_of(c->program, found->wave, found->lane, err)) != WT_OK))
        return status;
    if (wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK)
        fprintf(c->out, "Issue time %" PRIu64 "\n", time.now);
    if (c->program->started && c->program->thread) {
        print_where(c, c->program->thread);
        remind_of_fault(c);
        show_stop(c, true);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_goto(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_debugger_time time;
    uint64_t to;
    enum wt_status status = wt_debugger_time(c->program->debugger, &time, err);
    if (status)
        return status;
    if (strcmp(text, "start") == 0 || strcmp(text, "begin") == 0)
        to = time.start;
    else if (strcmp(text, "end") == 0)
        to = time.end;
    else if (!wt_take_number(&text, &to) || *text)
        return wt_fail(err, WT_INVALID, "goto takes an issue time, \"start\" or \"end\"");
    return go_to(c, to, NULL, err);
}

enum wt_status do_check(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_check_place found[2] = {{.time = 0}};
    uint64_t number;
    if (strncmp(text, "goto ", 5) != 0)
        return wt_fail(err, WT_INVALID, "check goto NUMBER [other]: 'info checks' has the numbers");
    text += 5;
    text += strspn(text, " ");
    const bool good = wt_take_number(&text, &number) && number;
    text += strspn(text, " ");
    const bool other = strcmp(text, "other") == 0;
    if (!good || (*text && !other))
        return wt_fail(err, WT_INVALID,
                       "check goto takes the number of a finding, from 1 on, and 'other' for the "
                       "other access of a race");
    const struct wt_checks *checks = c->options.checks;
    enum wt_status status = wt_checks_need(checks, err);
    if (status || (status = checks->print(checks->context, NULL, number, found, err)) != WT_OK)
        return status;
    if (other && !found[1].wave)
        return wt_fail(err, WT_STATE, "finding %" PRIu64 " has no other access", number);
    return found[other].wave
               ? go_to(c, found[other].time, &found[other], err)
               : wt_fail(err, WT_STATE, "finding %" PRIu64 " is one of the host's side", number);
}

/* Prints the value of a variable of @p type at @p where that an access has read, or what a write
 * has made of it, if it concerned all of it. */
static void print_touched(struct wt_shell *c, const struct wt_touch *t, const struct wt_type *type,
                          const struct wt_watchpoint_request *where)
{
    const struct wt_watchpoint_hit *hit = &t->last;
    const uint64_t at = where->addr.offset - hit->addr.offset;
    if (hit->addr.space != where->addr.space || where->addr.offset < hit->addr.offset ||
        hit->size > sizeof hit->after || at > hit->size || where->size > hit->size - at)
        return;
    const struct wt_view view = wt_program_view(c->program);
    const struct wt_format format = {.top = true};
    const bool read = where->kind == WT_WATCHPOINT_READ;
    fputs(read ? "  value " : "  was ", c->out);
    wt_value_print_bytes(c->out, &view, type, t->before + at, &format);
    if (!read) {
        fputs(", is ", c->out);
        wt_value_print_bytes(c->out, &view, type, hit->after + at, &format);
    }
    fputc('\n', c->out);
}

static void print_touch(struct wt_shell *c, const struct wt_touch *t, const struct wt_type *type,
                        const struct wt_watchpoint_request *where)
{
    char lanes[WT_LANES_TEXT], place[300], wave[WT_WAVE_NAME];
    const bool one = wt_lanes_count(t->lanes) == 1;
    wt_lanes_text(t->lanes, lanes, sizeof lanes);
    wt_modules_describe(c->program->modules, 0, t->pc, place, sizeof place);
    wt_debugger_name_wave(c->program->debugger, &t->by, wave, sizeof wave);
    fprintf(c->out, "time %" PRIu64 ": %s, %s%s %s", t->time, wave, c->program->topology->lane_word,
            one ? "" : "s", lanes);
    if (t->has_item && one)
        fprintf(c->out, ", work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", t->item[0], t->item[1],
                t->item[2]);
    fprintf(c->out, " at %s\n", place);
    print_touched(c, t, type, where);
}

static enum wt_status print_touches(struct wt_shell *c, const char *text,
                                    enum wt_watchpoint_kind kind, struct wt_error *err)
{
    const bool read = kind == WT_WATCHPOINT_READ;
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
    struct wt_watchpoint_request where;
    const struct wt_type *type;
    enum wt_status status =
        *copy ? wt_program_find_home(c->program, copy, &where, &type, err)
              : wt_fail(err, WT_INVALID, "%s takes an expression", read ? "who-read" : "who-wrote");
    free(copy);
    struct wt_touch *list;
    size_t count;
    bool more;
    where.kind = kind;
    if (!status)
        status = wt_program_touches(c->program, &where, most ? most : 1, &list, &count, &more, err);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        print_touch(c, &list[i], type, &where);
    if (!count)
        fprintf(c->out, "No instruction of the recorded run before now %s it.\n",
                read ? "read" : "wrote to");
    else if (more && most > 1)
        fputs("There may be others before.\n", c->out);
    free(list);
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

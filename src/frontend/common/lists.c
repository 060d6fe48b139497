/* Lists in words: waves, lanes, work, code, the device; accesses to memory. See words.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/bits.h"
#include "base/wave_name.h"
#include "debug/core/touches.h"
#include "debug/source/described.h"
#include "frontend/common/words.h"

/* ---- the work that runs now ---- */

static void print_device(const struct wt_words *w, unsigned device)
{
    if (w->program->topology->devices > 1)
        fprintf(w->out, "device %u ", device);
}

static bool print_dispatches(const struct wt_words *w, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->dispatch_count; i++) {
        const struct wt_dispatch *d = &work->dispatch[i];
        char name[200];
        bool selected = false;
        for (size_t k = 0; k < d->wave_count; k++)
            selected |= d->wave[k]->wave.id == own;
        fprintf(w->out, "%c ", selected ? '*' : ' ');
        print_device(w, d->device);
        fprintf(w->out, "dispatch %" PRIu64 "  %s", d->number,
                wt_program_kernel(w->program, d, name, sizeof name));
        if (d->groups[0])
            fprintf(w->out,
                    "  grid of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") groups of (%" PRIu32
                    ",%" PRIu32 ",%" PRIu32 ")",
                    d->groups[0], d->groups[1], d->groups[2], d->block[0], d->block[1],
                    d->block[2]);
        fprintf(w->out, "  %zu %s%s of %zu group%s active\n", d->wave_count,
                w->program->topology->wave_word, d->wave_count == 1 ? "" : "s", d->group_count,
                d->group_count == 1 ? "" : "s");
    }
    return work->dispatch_count;
}

/* Where a group's place in its core is. */
static void print_place(const struct wt_words *w, const struct wt_wave *wave)
{
    if (wave->has_place)
        fprintf(w->out, ", place %" PRIu32, wave->place);
    if (wave->has_place && wave->local_size)
        fprintf(w->out, ", local memory 0x%" PRIx64 "..0x%" PRIx64, wave->local,
                wave->local + wave->local_size - 1);
    fputc('\n', w->out);
}

static bool print_groups(const struct wt_words *w, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->group_count; i++) {
        const struct wt_group *g = &work->group[i];
        print_device(w, g->of->device);
        fprintf(w->out,
                "dispatch %" PRIu64 " group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") on core %u",
                g->of->number, g->at[0], g->at[1], g->at[2], g->wave[0]->wave.core);
        print_place(w, &g->wave[0]->wave);
    }
    return work->group_count;
}

static bool print_queues(const struct wt_words *w, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->queue_count; i++) {
        const struct wt_queue *q = &work->queue[i];
        print_device(w, q->device);
        fprintf(w->out, "queue %" PRIu32 ": ", q->number);
        const char *before = "dispatch ";
        for (size_t k = 0; k < work->dispatch_count; k++) {
            if (work->dispatch[k].queue != q)
                continue;
            fprintf(w->out, "%s%" PRIu64, before, work->dispatch[k].number);
            before = ", ";
        }
        fputc('\n', w->out);
    }
    return work->queue_count;
}

static void print_wave(const struct wt_words *w, const struct wt_wave_info *info, wt_wave_id own)
{
    char mask[WT_LANES_TEXT], name[WT_WAVE_NAME];
    fprintf(w->out, "%c ", info->wave.id == own ? '*' : ' ');
    wt_debugger_name_wave(w->program->debugger, &info->wave, name, sizeof name);
    fputs(name, w->out);
    if (info->wave.has_work)
        fprintf(w->out, "  index %" PRIu32, info->wave.index);
    if (info->running) {
        fputs("  running\n", w->out);
        return;
    }
    wt_lanes_text(info->mask, mask, sizeof mask);
    fprintf(w->out, "  %ss %s  ", w->program->topology->lane_word, mask[0] ? mask : "none");
    wt_words_place(w, info->pc);
    if (info->has_wait && info->detail.view.waiting)
        fprintf(w->out, "  (waits: %s)", info->detail.view.wait);
    fputc('\n', w->out);
}

static bool print_waves(const struct wt_words *w, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->wave_count; i++)
        print_wave(w, &work->wave[i], own);
    return work->wave_count;
}

static bool print_barrier(const struct wt_words *w, const struct wt_wave_info *info)
{
    if (!info->has_wait || !info->detail.view.at_barrier)
        return false;
    const struct wt_wave_view *view = &info->detail.view;
    char wave[WT_WAVE_NAME];
    wt_debugger_name_wave(w->program->debugger, &info->wave, wave, sizeof wave);
    fprintf(w->out, "%s: barrier %u, %u", wave, view->barrier, view->arrived);
    if (view->expected) /* else as many as there are */
        fprintf(w->out, " of %u", view->expected);
    fprintf(w->out, " %s there\n", view->between_cores ? "cores are" : "are");
    return true;
}

static bool print_barriers(const struct wt_words *w, const struct wt_work *work, wt_wave_id own)
{
    bool any = false;
    for (size_t i = 0; i < work->wave_count; i++)
        any |= print_barrier(w, &work->wave[i]);
    return any;
}

/* Prints the work that runs now, or that there is none. */
static enum wt_status list(const struct wt_words *w,
                           bool (*print)(const struct wt_words *w, const struct wt_work *work,
                                         wt_wave_id own),
                           const char *none, struct wt_error *err)
{
    struct wt_work work;
    const enum wt_status status = wt_program_work(w->program, &work, err);
    if (!status && !print(w, &work, wt_program_own_wave(w->program)))
        fprintf(w->out, "%s\n", none);
    wt_work_free(&work);
    return status;
}

enum wt_status wt_words_dispatches(const struct wt_words *w, struct wt_error *err)
{
    const enum wt_status status = list(w, print_dispatches, "No dispatch has waves now.", err);
    if (!status)
        wt_debugger_host_queues(w->program->debugger, true, w->out);
    return status;
}

enum wt_status wt_words_groups(const struct wt_words *w, struct wt_error *err)
{
    return list(w, print_groups, "No work-groups.", err);
}

enum wt_status wt_words_queues(const struct wt_words *w, struct wt_error *err)
{
    struct wt_work work;
    const enum wt_status status = wt_program_work(w->program, &work, err);
    bool any = !status && print_queues(w, &work, wt_program_own_wave(w->program));
    any |= wt_debugger_host_queues(w->program->debugger, false, w->out);
    if (!status && !any)
        fputs("No queue has a dispatch now.\n", w->out);
    wt_work_free(&work);
    return any ? WT_OK : status;
}

enum wt_status wt_words_waves(const struct wt_words *w, struct wt_error *err)
{
    return list(w, print_waves, "No waves.", err);
}

enum wt_status wt_words_barriers(const struct wt_words *w, struct wt_error *err)
{
    return list(w, print_barriers, "Nothing waits at a barrier.", err);
}

/* ---- a wave's lanes ---- */

enum wt_status wt_words_lanes(const struct wt_words *w, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    enum wt_status status = wt_program_need_thread(w->program, err);
    if (!status)
        status = wt_program_wave(w->program, w->program->thread, &wave, &place, err);
    if (status)
        return status;
    /* Lanes that are at the same place, in one row. */
    const unsigned pc_index = (unsigned)w->program->topology->pc_index;
    const size_t size = wt_register_size(&w->program->topology->registers[pc_index]);
    uint8_t row[WT_MAX_LANES * 8];
    const wt_lanes all = wt_lanes_first(wave.lanes);
    status = wt_debugger_read_rows(w->program->debugger, w->program->thread, all, &pc_index, 1, row,
                                   err);
    if (status)
        return status;
    for (unsigned lane = 0; lane < wave.lanes;) {
        unsigned end = lane + 1;
        while (end < wave.lanes && memcmp(row + end * size, row + lane * size, size) == 0 &&
               wt_has_lane(place.active, end) == wt_has_lane(place.active, lane))
            end++;
        const uint64_t pc = wt_load_le(row + lane * size, (unsigned)size);
        char lanes[32];
        snprintf(lanes, sizeof lanes, end - lane > 1 ? "%u..%u" : "%u", lane, end - 1);
        fprintf(w->out, "%c %-8s %-11s ", place.lane >= lane && place.lane < end ? '*' : ' ', lanes,
                wt_has_lane(place.active, lane) ? "" : "masked off");
        wt_words_place(w, pc);
        fputc('\n', w->out);
        lane = end;
    }
    return WT_OK;
}

/* "lane 3 is enabled", "lanes 0-2,7 wait"; nothing of no lanes. */
static void put_lanes(const struct wt_words *w, wt_lanes lanes, const char *one,
                      const char *several)
{
    char text[WT_LANES_TEXT];
    const bool single = wt_lanes_count(lanes) == 1;
    wt_lanes_text(lanes, text, sizeof text);
    fprintf(w->out, "%s%s %s %s", w->program->topology->lane_word, single ? "" : "s", text,
            single ? one : several);
}

enum wt_status wt_words_divergence(const struct wt_words *w, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_wave_info info;
    uint32_t first;
    enum wt_status status = wt_program_need_thread(w->program, err);
    if (!status)
        status = wt_program_wave(w->program, w->program->thread, &wave, &place, err);
    if (!status)
        status = wt_debugger_wave(w->program->debugger, wave.id, &info, err);
    if (status)
        return status;
    wt_lanes off = wt_lanes_first(wt_wave_items(&info.wave, &first)) & ~info.mask;
    if (info.mask)
        put_lanes(w, info.mask, "is enabled, at ", "are enabled, at ");
    else
        fprintf(w->out, "no %s is enabled, at ", w->program->topology->lane_word);
    wt_words_place(w, info.pc);
    fputc('\n', w->out);
    if (info.has_detail && info.detail.view.parts)
        fputs("(divergence=auto: lanes part at any branch, as on no Vortex)\n", w->out);
    for (unsigned i = 0; info.has_detail && i < info.detail.waiter_count; i++) {
        const struct wt_wave_waiters *waiter = &info.detail.waiter[i];
        if (!waiter->lanes)
            continue;
        put_lanes(w, waiter->lanes, "waits, and continues at ", "wait, and continue at ");
        wt_words_place(w, waiter->pc);
        fputc('\n', w->out);
        off &= ~waiter->lanes;
    }
    if (off) {
        put_lanes(w, off, "is masked off", "are masked off");
        fputc('\n', w->out);
    }
    return WT_OK;
}

/* ---- the device, and the program ---- */

enum wt_status wt_words_devices(const struct wt_words *w, struct wt_error *err)
{
    const struct wt_topology *t = w->program->topology;
    struct wt_device device;
    wt_debugger_device(w->program->debugger, 0, &device);
    struct wt_wave own = {.device = device.number};
    wt_debugger_thread_wave(w->program->debugger, w->program->thread, &own);
    for (unsigned i = 0; wt_debugger_device(w->program->debugger, i, &device); i++)
        fprintf(w->out, "%c %u  %s (%s): %u cores of %u %ss, up to %u %ss each\n",
                device.number == own.device ? '*' : ' ', device.number, t->family, t->arch,
                device.cores, t->waves_per_core, t->wave_word, t->lanes, t->lane_word);
    return WT_OK;
}

enum wt_status wt_words_spaces(const struct wt_words *w, struct wt_error *err)
{
    static const char *const scopes[] = {[WT_SCOPE_LANE] = "each lane",
                                         [WT_SCOPE_WAVE] = "each wave",
                                         [WT_SCOPE_GROUP] = "each group",
                                         [WT_SCOPE_CORE] = "each core",
                                         [WT_SCOPE_DEVICE] = "the device"};
    for (size_t i = 0; i < w->program->topology->space_count; i++) {
        const struct wt_space *s = &w->program->topology->spaces[i];
        fprintf(w->out, "%zu  %-10s %u bits, of %s", i, s->name, s->address_bits, scopes[s->scope]);
        if (s->aperture)
            fprintf(w->out, "; at 0x%" PRIx64 " of space 0", s->aperture);
        fputc('\n', w->out);
    }
    return WT_OK;
}

enum wt_status wt_words_modules(const struct wt_words *w, struct wt_error *err)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(w->program->modules, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(w->out, "0x%0*" PRIx64 "  0x%0*" PRIx64 "  %s\n",
                (int)w->program->topology->address_bits / 4, m[i].start,
                (int)w->program->topology->address_bits / 4, m[i].end, m[i].name);
    if (!count)
        fputs("No code is loaded.\n", w->out);
    return WT_OK;
}

enum wt_status wt_words_program(const struct wt_words *w, struct wt_error *err)
{
    if (w->program->started) {
        wt_words_where(w, w->program->thread);
        fputs("The program is stopped.\n", w->out);
    } else if (w->program->ended) {
        fprintf(w->out, "The program has ended with code %" PRIu32 ".\n", w->program->exit_word);
    } else {
        fputs("The program being debugged is not being run.\n", w->out);
    }
    return WT_OK;
}

enum wt_status wt_words_time(const struct wt_words *w, struct wt_error *err)
{
    struct wt_debugger_time time;
    const enum wt_status status = wt_debugger_time(w->program->debugger, &time, err);
    if (status)
        return status;
    const char *unrecorded = wt_debugger_unrecorded(w->program->debugger);
    if (unrecorded)
        fprintf(w->out, "Issue time %" PRIu64 "; %s.\n", time.now, unrecorded);
    else
        fprintf(w->out, "Issue time %" PRIu64 "%s; recorded from %" PRIu64 " to %" PRIu64 ".\n",
                time.now, time.in_past ? ", in the past" : "", time.start, time.end);
    return WT_OK;
}

/* ---- accesses ---- */

/* Prints the value that an access has read, or what a write has made of it, if it concerned all of
 * it. */
static void print_touched(const struct wt_words *w, const struct wt_touch *t,
                          const struct wt_home *home)
{
    const struct wt_view view = wt_program_view(w->program);
    const struct wt_format format = {.top = true};
    const bool read = home->where.kind == WT_WATCHPOINT_READ;
    const uint64_t size = home->value.size;
    uint8_t *bytes = malloc(2 * size);
    if (bytes && wt_home_touched(home, t, bytes, bytes + size)) {
        fputs(read ? "  value " : "  was ", w->out);
        wt_values_print_bytes(w->out, &view, &home->value, bytes, &format);
        if (!read) {
            fputs(", is ", w->out);
            wt_values_print_bytes(w->out, &view, &home->value, bytes + size, &format);
        }
        fputc('\n', w->out);
    }
    free(bytes);
}

void wt_words_touch(const struct wt_words *w, const struct wt_touch *t, const struct wt_home *home)
{
    char lanes[WT_LANES_TEXT], place[300], wave[WT_WAVE_NAME];
    const bool one = wt_lanes_count(t->lanes) == 1;
    wt_lanes_text(t->lanes, lanes, sizeof lanes);
    const struct wt_called_place at = wt_place_in_calls(t->pc, &t->calls);
    wt_described_place(w->program->modules, &at, place, sizeof place);
    wt_debugger_name_wave(w->program->debugger, &t->by, wave, sizeof wave);
    fprintf(w->out, "time %" PRIu64 ": %s, %s%s %s", t->time, wave, w->program->topology->lane_word,
            one ? "" : "s", lanes);
    if (t->has_item && one)
        fprintf(w->out, ", work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", t->item[0], t->item[1],
                t->item[2]);
    fprintf(w->out, " at %s\n", place);
    print_touched(w, t, home);
}

/*
 * cuda-gdb's view of a program: kernels, blocks, threads, SMs, warps, lanes, as `info cuda` lists
 * them and `cuda` selects them ("CUDA-GDB": 8.2 Focus, 10.2 Displaying the CUDA state).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/places.h"
#include "frontend/console/internal.h"

/* All that `info cuda` lists, with the selected lane. */
struct view {
    struct wt_work work;
    const struct wt_wave_info *own; /* the selected warp; NULL: none works */
    unsigned lane;                  /* … and lane */
};

static enum wt_status look(struct wt_shell *c, struct view *view, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place = {.lane = 0};
    const enum wt_status status = wt_program_work(c->program, &view->work, err);
    const bool selected =
        !status && c->program->thread &&
        wt_program_wave(c->program, c->program->thread, &wave, &place, WT_IGNORED) == WT_OK;
    view->own = NULL;
    view->lane = place.lane;
    for (size_t i = 0; selected && i < view->work.worker_count; i++)
        if (view->work.worker[i]->wave.id == wave.id)
            view->own = view->work.worker[i];
    if (status)
        wt_work_free(&view->work);
    return status;
}

static char mark(const struct view *view, const struct wt_wave_info *warp)
{
    return view->own == warp ? '*' : ' ';
}

/* … of a kernel or block: a list of warps. */
static char mark_any(const struct view *view, const struct wt_wave_info **warp, size_t count)
{
    while (count-- > 0)
        if (view->own == warp[count])
            return '*';
    return ' ';
}

/* ThreadIdx of a lane. */
static void thread_index(const struct wt_wave *w, unsigned lane, uint32_t index[3])
{
    for (unsigned i = 0; i < 3; i++)
        index[i] = (uint32_t)wt_wave_item(w, lane, i);
}

static const char *triple(const uint32_t v[3], char text[40])
{
    snprintf(text, 40, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", v[0], v[1], v[2]);
    return text;
}

/* ---- info cuda ---- */

static void list_kernels(struct wt_shell *c, const struct view *view)
{
    fputs("  Kernel Dev Status       SMs Mask     GridDim    BlockDim Name\n", c->out);
    for (size_t i = 0; i < view->work.dispatch_count; i++) {
        const struct wt_dispatch *d = &view->work.dispatch[i];
        uint32_t mask = 0;
        char dim[40], block[40], name[200];
        for (size_t k = 0; k < d->wave_count; k++)
            mask |= d->wave[k]->wave.core < 32 ? 1u << d->wave[k]->wave.core : 0;
        fprintf(c->out, "%c %6" PRIu64 " %3u Active 0x%08" PRIx32 " %11s %11s %s\n",
                mark_any(view, d->wave, d->wave_count), d->number, d->device, mask,
                triple(d->groups, dim), triple(d->block, block),
                wt_program_kernel(c->program, d, name, sizeof name));
    }
    if (!view->work.dispatch_count)
        fputs("No CUDA kernels.\n", c->out);
}

/* The number of a kernel, above its first block or warp. */
static void put_kernel(struct wt_shell *c, const struct wt_wave *of, const struct wt_wave *before)
{
    if (!before || before->dispatch != of->dispatch)
        fprintf(c->out, "Kernel %" PRIu64 "\n", of->dispatch);
}

static void list_blocks(struct wt_shell *c, const struct view *view)
{
    fputs("     BlockIdx Dev  SM Warps State\n", c->out);
    for (size_t i = 0; i < view->work.group_count; i++) {
        const struct wt_group *g = &view->work.group[i];
        const struct wt_wave *v = &g->wave[0]->wave;
        bool running = false;
        char text[40];
        for (size_t k = 0; k < g->wave_count; k++)
            running |= g->wave[k]->running;
        put_kernel(c, v, i ? &g[-1].wave[0]->wave : NULL);
        fprintf(c->out, "%c %11s %3u %3u %5zu %s\n", mark_any(view, g->wave, g->wave_count),
                triple(g->at, text), v->device, v->core, g->wave_count,
                running ? "running" : "stopped");
    }
}

static void put_line(struct wt_shell *c, uint64_t pc)
{
    const char *file;
    unsigned line;
    if (!wt_modules_line(c->program->modules, 0, pc, &file, &line))
        return;
    const char *slash = strrchr(file, '/');
    fprintf(c->out, " %s %u", slash ? slash + 1 : file, line);
}

/* Consecutive threads of a block that are at one place. */
static void list_threads(struct wt_shell *c, const struct view *view)
{
    fputs("     BlockIdx  ThreadIdx To ThreadIdx Count         Virtual PC Filename Line\n", c->out);
    for (size_t i = 0; i < view->work.worker_count; i++) {
        const struct wt_wave_info *w = view->work.worker[i];
        uint32_t from[3], to[3];
        const unsigned threads = wt_wave_items(&w->wave, from);
        put_kernel(c, &w->wave, i ? &view->work.worker[i - 1]->wave : NULL);
        for (unsigned lane = 0, end; lane < threads && !w->running; lane = end) {
            const uint64_t pc = wt_place_of_lane(w, lane);
            char block[40], first[40], last[40];
            for (end = lane + 1; end < threads && wt_place_of_lane(w, end) == pc;)
                end++;
            thread_index(&w->wave, lane, from);
            thread_index(&w->wave, end - 1, to);
            const bool here = view->lane >= lane && view->lane < end;
            fprintf(c->out, "%c %11s %10s %12s %5u 0x%016" PRIx64, here ? mark(view, w) : ' ',
                    triple(w->wave.group, block), triple(from, first), triple(to, last), end - lane,
                    pc);
            put_line(c, pc);
            fputc('\n', c->out);
        }
    }
}

/* The warps of the selected SM. */
static void list_warps_of_sm(struct wt_shell *c, const struct view *view)
{
    const unsigned core = view->own ? view->own->wave.core : 0;
    const int digits = (int)(c->program->topology->lanes + 3) / 4; /* of a mask: 64 lanes at most */
    fputs("  Wp Active Lanes Mask Divergent Lanes Mask          Active PC Kernel   BlockIdx\n",
          c->out);
    fprintf(c->out, "Device %u SM %u\n", view->own ? view->own->wave.device : 0, core);
    for (size_t i = 0; i < view->work.wave_count; i++) { /* by SM and slot */
        const struct wt_wave_info *w = &view->work.wave[i];
        uint32_t first;
        char block[40];
        if (w->wave.core != core || !w->wave.has_work)
            continue;
        if (w->running) {
            fprintf(c->out, "  %2u running\n", w->wave.slot);
            continue;
        }
        const wt_lanes all = wt_lanes_first(wt_wave_items(&w->wave, &first));
        fprintf(c->out,
                "%c %2u        0x%0*" PRIx64 "           0x%0*" PRIx64 " 0x%016" PRIx64 " %6" PRIu64
                " %10s\n",
                mark(view, w), w->wave.slot, digits, (uint64_t)w->mask, digits,
                (uint64_t)(all & ~w->mask), w->pc, w->wave.dispatch, triple(w->wave.group, block));
    }
}

/* The lanes of the selected warp. */
static void list_lanes(struct wt_shell *c, const struct view *view)
{
    const struct wt_wave_info *w = view->own;
    if (!w || w->running) {
        fputs("Focus not set on any active CUDA kernel.\n", c->out);
        return;
    }
    fputs("  Ln     State        Physical PC  ThreadIdx\n", c->out);
    fprintf(c->out, "Device %u SM %u Warp %u\n", w->wave.device, w->wave.core, w->wave.slot);
    uint32_t index[3];
    const unsigned threads = wt_wave_items(&w->wave, index);
    for (unsigned lane = 0; lane < w->wave.lanes; lane++) {
        char text[40];
        if (lane >= threads) {
            fprintf(c->out, "  %2u  inactive\n", lane);
            continue;
        }
        thread_index(&w->wave, lane, index);
        fprintf(c->out, "%c %2u %9s 0x%016" PRIx64 " %10s\n", lane == view->lane ? '*' : ' ', lane,
                wt_has_lane(w->mask, lane) ? "active" : "divergent", wt_place_of_lane(w, lane),
                triple(index, text));
    }
}

static void list_sms(struct wt_shell *c, const struct view *view)
{
    struct wt_device device;
    fputs("  SM  Active Warps Mask\n", c->out);
    for (unsigned d = 0; wt_debugger_device(c->program->debugger, d, &device); d++)
        for (unsigned i = 0; i < device.cores; i++) {
            const unsigned core = device.first_core + i;
            uint64_t mask = 0;
            for (size_t k = 0; k < view->work.worker_count; k++) {
                const struct wt_wave *v = &view->work.worker[k]->wave;
                mask |= v->core == core && v->slot < 64 ? UINT64_C(1) << v->slot : 0;
            }
            fprintf(c->out, "%c %2u 0x%016" PRIx64 "\n",
                    view->own && view->own->wave.core == core ? '*' : ' ', core, mask);
        }
}

static void list_devices(struct wt_shell *c, const struct view *view)
{
    struct wt_device device;
    wt_debugger_device(c->program->debugger, 0, &device);
    const unsigned own = view->own ? view->own->wave.device : device.number;
    fputs("  Dev Name SMs Warps/SM Lanes/Warp\n", c->out);
    for (unsigned i = 0; wt_debugger_device(c->program->debugger, i, &device); i++)
        fprintf(c->out, "%c %3u %4s %3u %8u %10u\n", device.number == own ? '*' : ' ',
                device.number, c->program->topology->family, device.cores,
                c->program->topology->waves_per_core, c->program->topology->lanes);
}

static const struct {
    const char *name;
    void (*list)(struct wt_shell *c, const struct view *view);
} lists[] = {
    {"kernels", list_kernels},   {"blocks", list_blocks}, {"threads", list_threads},
    {"warps", list_warps_of_sm}, {"lanes", list_lanes},   {"sms", list_sms},
    {"devices", list_devices},
};

enum wt_status do_info_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct view view;
    enum wt_status status;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(text, lists[i].name) != 0)
            continue;
        if ((status = look(c, &view, err)) != WT_OK)
            return status;
        lists[i].list(c, &view);
        wt_work_free(&view.work);
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID,
                   "info cuda takes kernels, blocks, threads, warps, lanes, sms or devices");
}

/* ---- cuda: the focus ---- */

static const char *const coordinates[WT_COORDINATES] = {
    [WT_BY_DISPATCH] = "kernel", [WT_BY_GROUP] = "block", [WT_BY_ITEM] = "thread",
    [WT_BY_DEVICE] = "device",   [WT_BY_CORE] = "sm",     [WT_BY_SLOT] = "warp",
    [WT_BY_LANE] = "lane"};

static enum wt_status parse_focus(const char *text, struct wt_focus *f, bool *asks,
                                  struct wt_error *err)
{
    *asks = true;
    while (*text) {
        unsigned i = 0;
        const size_t length = strcspn(text, " \t(,0123456789");
        while (i < WT_COORDINATES &&
               (strncmp(text, coordinates[i], length) != 0 || strlen(coordinates[i]) != length))
            i++;
        if (i == WT_COORDINATES)
            return wt_fail(err, WT_INVALID,
                           "cuda takes kernel N, block X,Y,Z, thread X,Y,Z, device N, sm N, warp N "
                           "and lane N");
        text = wt_skip_blanks(text + length);
        if (*text != '(' && (*text < '0' || *text > '9'))
            continue;
        if (!wt_take_triple(&text, f->value[i]))
            return wt_fail(err, WT_INVALID, "cuda %s takes a number, or (X,Y,Z)", coordinates[i]);
        f->given[i] = true;
        *asks = false;
    }
    return WT_OK;
}

static void put_focus(struct wt_shell *c, const struct wt_wave *w, unsigned lane,
                      const char *before, const char *after)
{
    uint32_t index[3];
    char block[40], thread[40];
    thread_index(w, lane, index);
    fprintf(c->out,
            "%skernel %" PRIu64 ", block %s, thread %s, device %u, sm %u, warp %u, lane %u%s\n",
            before, w->dispatch, triple(w->group, block), triple(index, thread), w->device, w->core,
            w->slot, lane, after);
}

enum wt_status do_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_focus f = {.given = {false}};
    struct view view;
    unsigned lane;
    bool asks;
    enum wt_status status = parse_focus(text, &f, &asks, err);
    if (status || (status = look(c, &view, err)) != WT_OK)
        return status;
    const struct wt_wave *found =
        view.own && !asks ? wt_find_lane(&view.work, &f, &view.own->wave, &lane) : NULL;
    if (!view.own) {
        status = wt_fail(err, WT_STATE, "Focus not set on any active CUDA kernel.");
    } else if (asks) {
        put_focus(c, &view.own->wave, view.lane, "", "");
    } else if (!found) {
        status = wt_fail(
            err, WT_INVALID,
            "Request cannot be satisfied. CUDA focus unchanged: no thread there is active.");
    } else {
        status = wt_program_select_lane_of(c->program, found->id, lane, err);
        if (!status)
            put_focus(c, found, lane, "[Switching focus to CUDA ", "]");
    }
    wt_work_free(&view.work);
    if (!status && !asks)
        show_frame_of_selected(c);
    return status;
}

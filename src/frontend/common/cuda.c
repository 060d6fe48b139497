/*
 * cuda-gdb's view of a program in words: kernels, blocks, threads, SMs, warps, lanes, as `info
 * cuda` lists them ("CUDA-GDB": 10.2 Displaying the CUDA state). See words.h.
 */
#include <inttypes.h>
#include <string.h>

#include "debug/source/places.h"
#include "frontend/common/words.h"

/* Waves that work now, with the selected lane. */
struct wt_work_view {
    struct wt_work work;
    const struct wt_wave_info *own; /* the selected wave; NULL: none works */
    unsigned lane;                  /* … and lane */
};

/* Fills it in; the caller frees view->work (wt_work_free). */
static enum wt_status get_work(const struct wt_words *w, struct wt_work_view *view,
                               struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place = {.lane = 0};
    const enum wt_status status = wt_program_work(w->program, &view->work, err);
    const bool selected =
        !status && w->program->thread &&
        wt_program_wave(w->program, w->program->thread, &wave, &place, WT_IGNORED) == WT_OK;
    view->own = NULL;
    view->lane = place.lane;
    for (size_t i = 0; selected && i < view->work.worker_count; i++)
        if (view->work.worker[i]->wave.id == wave.id)
            view->own = view->work.worker[i];
    if (status)
        wt_work_free(&view->work);
    return status;
}

static char mark(const struct wt_work_view *view, const struct wt_wave_info *warp)
{
    return view->own == warp ? '*' : ' ';
}

/* … of a kernel or block: a list of warps. */
static char mark_any(const struct wt_work_view *view, const struct wt_wave_info **warp,
                     size_t count)
{
    while (count-- > 0)
        if (view->own == warp[count])
            return '*';
    return ' ';
}

/* ThreadIdx of a lane. */
static void thread_index(const struct wt_wave *warp, unsigned lane, uint32_t index[3])
{
    for (unsigned i = 0; i < 3; i++)
        index[i] = (uint32_t)wt_wave_item(warp, lane, i);
}

static const char *triple(const uint32_t v[3], char text[40])
{
    snprintf(text, 40, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", v[0], v[1], v[2]);
    return text;
}

static void list_kernels(const struct wt_words *w, const struct wt_work_view *view)
{
    fputs("  Kernel Dev Status       SMs Mask     GridDim    BlockDim Name\n", w->out);
    for (size_t i = 0; i < view->work.dispatch_count; i++) {
        const struct wt_dispatch *d = &view->work.dispatch[i];
        uint32_t mask = 0;
        char dim[40], block[40], name[200];
        for (size_t k = 0; k < d->wave_count; k++)
            mask |= d->wave[k]->wave.core < 32 ? 1u << d->wave[k]->wave.core : 0;
        fprintf(w->out, "%c %6" PRIu64 " %3u Active 0x%08" PRIx32 " %11s %11s %s\n",
                mark_any(view, d->wave, d->wave_count), d->number, d->device, mask,
                triple(d->groups, dim), triple(d->block, block),
                wt_program_kernel(w->program, d, name, sizeof name));
    }
    if (!view->work.dispatch_count)
        fputs("No CUDA kernels.\n", w->out);
}

/* The number of a kernel, above its first block or warp. */
static void put_kernel(const struct wt_words *w, const struct wt_wave *of,
                       const struct wt_wave *before)
{
    if (!before || before->dispatch != of->dispatch)
        fprintf(w->out, "Kernel %" PRIu64 "\n", of->dispatch);
}

static void list_blocks(const struct wt_words *w, const struct wt_work_view *view)
{
    fputs("     BlockIdx Dev  SM Warps State\n", w->out);
    for (size_t i = 0; i < view->work.group_count; i++) {
        const struct wt_group *g = &view->work.group[i];
        const struct wt_wave *v = &g->wave[0]->wave;
        bool running = false;
        char text[40];
        for (size_t k = 0; k < g->wave_count; k++)
            running |= g->wave[k]->running;
        put_kernel(w, v, i ? &g[-1].wave[0]->wave : NULL);
        fprintf(w->out, "%c %11s %3u %3u %5zu %s\n", mark_any(view, g->wave, g->wave_count),
                triple(g->at, text), v->device, v->core, g->wave_count,
                running ? "running" : "stopped");
    }
}

static void put_line(const struct wt_words *w, uint64_t pc)
{
    const char *file;
    unsigned line;
    if (!wt_modules_user_line(w->program->modules, 0, pc, &file, &line))
        return;
    const char *slash = strrchr(file, '/');
    fprintf(w->out, " %s %u", slash ? slash + 1 : file, line);
}

/* Consecutive threads of a block that are at one place. */
static void list_threads(const struct wt_words *w, const struct wt_work_view *view)
{
    fputs("     BlockIdx  ThreadIdx To ThreadIdx Count         Virtual PC Filename Line\n", w->out);
    for (size_t i = 0; i < view->work.worker_count; i++) {
        const struct wt_wave_info *warp = view->work.worker[i];
        uint32_t from[3], to[3];
        const unsigned threads = wt_wave_items(&warp->wave, from);
        put_kernel(w, &warp->wave, i ? &view->work.worker[i - 1]->wave : NULL);
        for (unsigned lane = 0, end; lane < threads && !warp->running; lane = end) {
            const uint64_t pc = wt_place_of_lane(warp, lane);
            char block[40], first[40], last[40];
            for (end = lane + 1; end < threads && wt_place_of_lane(warp, end) == pc;)
                end++;
            thread_index(&warp->wave, lane, from);
            thread_index(&warp->wave, end - 1, to);
            const bool here = view->lane >= lane && view->lane < end;
            fprintf(w->out, "%c %11s %10s %12s %5u 0x%016" PRIx64, here ? mark(view, warp) : ' ',
                    triple(warp->wave.group, block), triple(from, first), triple(to, last),
                    end - lane, pc);
            put_line(w, pc);
            fputc('\n', w->out);
        }
    }
}

/* The warps of the selected SM. */
static void list_warps_of_sm(const struct wt_words *w, const struct wt_work_view *view)
{
    const unsigned core = view->own ? view->own->wave.core : 0;
    const int digits = (int)(w->program->topology->lanes + 3) / 4; /* a mask has 64 lanes at most */
    fputs("  Wp Active Lanes Mask Divergent Lanes Mask          Active PC Kernel   BlockIdx\n",
          w->out);
    fprintf(w->out, "Device %u SM %u\n", view->own ? view->own->wave.device : 0, core);
    for (size_t i = 0; i < view->work.wave_count; i++) { /* by SM and slot */
        const struct wt_wave_info *warp = &view->work.wave[i];
        uint32_t first;
        char block[40];
        if (warp->wave.core != core || !warp->wave.has_work)
            continue;
        if (warp->running) {
            fprintf(w->out, "  %2u running\n", warp->wave.slot);
            continue;
        }
        const wt_lanes all = wt_lanes_first(wt_wave_items(&warp->wave, &first));
        fprintf(w->out,
                "%c %2u        0x%0*" PRIx64 "           0x%0*" PRIx64 " 0x%016" PRIx64 " %6" PRIu64
                " %10s\n",
                mark(view, warp), warp->wave.slot, digits, (uint64_t)warp->mask, digits,
                (uint64_t)(all & ~warp->mask), warp->pc, warp->wave.dispatch,
                triple(warp->wave.group, block));
    }
}

/* The lanes of the selected warp. */
static void list_lanes(const struct wt_words *w, const struct wt_work_view *view)
{
    const struct wt_wave_info *warp = view->own;
    if (!warp || warp->running) {
        fputs("Focus not set on any active CUDA kernel.\n", w->out);
        return;
    }
    fputs("  Ln     State        Physical PC  ThreadIdx\n", w->out);
    fprintf(w->out, "Device %u SM %u Warp %u\n", warp->wave.device, warp->wave.core,
            warp->wave.slot);
    uint32_t index[3];
    const unsigned threads = wt_wave_items(&warp->wave, index);
    for (unsigned lane = 0; lane < warp->wave.lanes; lane++) {
        char text[40];
        if (lane >= threads) {
            fprintf(w->out, "  %2u  inactive\n", lane);
            continue;
        }
        thread_index(&warp->wave, lane, index);
        fprintf(w->out, "%c %2u %9s 0x%016" PRIx64 " %10s\n", lane == view->lane ? '*' : ' ', lane,
                wt_has_lane(warp->mask, lane) ? "active" : "divergent",
                wt_place_of_lane(warp, lane), triple(index, text));
    }
}

static void list_sms(const struct wt_words *w, const struct wt_work_view *view)
{
    struct wt_device device;
    fputs("  SM  Active Warps Mask\n", w->out);
    for (unsigned d = 0; wt_debugger_device(w->program->debugger, d, &device); d++)
        for (unsigned i = 0; i < device.cores; i++) {
            const unsigned core = device.first_core + i;
            uint64_t mask = 0;
            for (size_t k = 0; k < view->work.worker_count; k++) {
                const struct wt_wave *v = &view->work.worker[k]->wave;
                mask |= v->core == core && v->slot < 64 ? UINT64_C(1) << v->slot : 0;
            }
            fprintf(w->out, "%c %2u 0x%016" PRIx64 "\n",
                    view->own && view->own->wave.core == core ? '*' : ' ', core, mask);
        }
}

static void list_devices(const struct wt_words *w, const struct wt_work_view *view)
{
    struct wt_device device;
    wt_debugger_device(w->program->debugger, 0, &device);
    const unsigned own = view->own ? view->own->wave.device : device.number;
    fputs("  Dev Name SMs Warps/SM Lanes/Warp\n", w->out);
    for (unsigned i = 0; wt_debugger_device(w->program->debugger, i, &device); i++)
        fprintf(w->out, "%c %3u %4s %3u %8u %10u\n", device.number == own ? '*' : ' ',
                device.number, w->program->topology->family, device.cores,
                w->program->topology->waves_per_core, w->program->topology->lanes);
}

/* Prints a lane's coordinates between `before` and `after`. */
static void print_focus(const struct wt_words *w, const struct wt_wave *warp, unsigned lane,
                        const char *before, const char *after)
{
    uint32_t index[3];
    char block[40], thread[40];
    thread_index(warp, lane, index);
    fprintf(w->out,
            "%skernel %" PRIu64 ", block %s, thread %s, device %u, sm %u, warp %u, lane %u%s\n",
            before, warp->dispatch, triple(warp->group, block), triple(index, thread), warp->device,
            warp->core, warp->slot, lane, after);
}

static const struct {
    const char *name;
    void (*list)(const struct wt_words *w, const struct wt_work_view *view);
} lists[] = {
    {"kernels", list_kernels},   {"blocks", list_blocks}, {"threads", list_threads},
    {"warps", list_warps_of_sm}, {"lanes", list_lanes},   {"sms", list_sms},
    {"devices", list_devices},
};

enum wt_status wt_words_cuda(const struct wt_words *w, const char *text, struct wt_error *err)
{
    struct wt_work_view view;
    enum wt_status status;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(text, lists[i].name) != 0)
            continue;
        if ((status = get_work(w, &view, err)) != WT_OK)
            return status;
        lists[i].list(w, &view);
        wt_work_free(&view.work);
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID,
                   "info cuda takes kernels, blocks, threads, warps, lanes, sms or devices");
}

/* ---- the focus ---- */

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

enum wt_status wt_words_cuda_switch(const struct wt_words *w, const char *text, bool *switched,
                                    struct wt_error *err)
{
    struct wt_focus f = {.given = {false}};
    struct wt_work_view view;
    unsigned lane;
    bool asks;
    *switched = false;
    enum wt_status status = parse_focus(text, &f, &asks, err);
    if (status || (status = get_work(w, &view, err)) != WT_OK)
        return status;
    const struct wt_wave *found =
        view.own && !asks ? wt_find_lane(&view.work, &f, &view.own->wave, &lane) : NULL;
    if (!view.own) {
        status = wt_fail(err, WT_STATE, "Focus not set on any active CUDA kernel.");
    } else if (asks) {
        print_focus(w, &view.own->wave, view.lane, "", "");
    } else if (!found) {
        status = wt_fail(
            err, WT_INVALID,
            "Request cannot be satisfied. CUDA focus unchanged: no thread there is active.");
    } else {
        status = wt_program_select_lane_of(w->program, found->id, lane, err);
        if (!status)
            print_focus(w, found, lane, "[Switching focus to CUDA ", "]");
    }
    wt_work_free(&view.work);
    *switched = !status && !asks;
    return status;
}

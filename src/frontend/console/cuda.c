/*
 * cuda-gdb's view of a program: kernels, blocks, threads, SMs, warps, lanes, as `info cuda` lists
 * them and `cuda` selects them ("CUDA-GDB": 8.2 Focus, 10.2 Displaying the CUDA state).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"
#include "frontend/console/internal.h"

/* ThreadIdx of a lane. */
static void thread_index(const struct wt_working_wave *w, unsigned lane, uint32_t index[3])
{
    uint32_t n = w->first + lane;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t size = w->info.wave.block[i] ? w->info.wave.block[i] : 1;
        index[i] = i < 2 ? n % size : n;
        n /= size;
    }
}

static const char *triple(const uint32_t v[3], char text[40])
{
    snprintf(text, 40, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", v[0], v[1], v[2]);
    return text;
}

/* ---- info cuda ---- */

static void list_kernels(struct wt_shell *c, const struct wt_working_waves *warps)
{
    fputs("  Kernel Dev Status       SMs Mask     GridDim    BlockDim Name\n", c->out);
    for (size_t i = 0; i < warps->count;) {
        const struct wt_wave *v = &warps->list[i].info.wave;
        uint32_t mask = 0, grid[3];
        bool selected = false;
        char dim[40], block[40], name[200];
        size_t end = i;
        for (; end < warps->count && wt_work_is_same_dispatch(&warps->list[end].info.wave, v);
             end++) {
            const unsigned core = warps->list[end].info.wave.core;
            mask |= core < 32 ? 1u << core : 0;
            selected |= warps->list[end].is_selected;
        }
        wt_work_grid(v, grid);
        fprintf(c->out, "%c %6" PRIu64 " %3u Active 0x%08" PRIx32 " %11s %11s %s\n",
                selected ? '*' : ' ', v->dispatch, v->device, mask, triple(grid, dim),
                triple(v->block, block),
                wt_program_kernel(c->program, warps, v, name, sizeof name));
        i = end;
    }
    if (!warps->count)
        fputs("No CUDA kernels.\n", c->out);
}

static void list_blocks(struct wt_shell *c, const struct wt_working_waves *warps)
{
    fputs("     BlockIdx Dev  SM Warps State\n", c->out);
    for (size_t i = 0, end; i < warps->count; i = end) {
        const struct wt_wave *v = &warps->list[i].info.wave;
        bool selected = false, running = false;
        char text[40];
        for (end = i; end < warps->count && wt_work_is_same_group(&warps->list[end].info.wave, v);
             end++) {
            selected |= warps->list[end].is_selected;
            running |= warps->list[end].info.running;
        }
        if (!i || warps->list[i - 1].info.wave.dispatch != v->dispatch)
            fprintf(c->out, "Kernel %" PRIu64 "\n", v->dispatch);
        fprintf(c->out, "%c %11s %3u %3u %5zu %s\n", selected ? '*' : ' ', triple(v->group, text),
                v->device, v->core, end - i, running ? "running" : "stopped");
    }
}

/* The pc of a lane: the warp's or, for a lane that waits, the address where it waits. */
static uint64_t pc_of_lane(const struct wt_wave_info *info, unsigned lane)
{
    if (wt_has_lane(info->mask, lane) || !info->has_detail)
        return info->pc;
    for (unsigned i = 0; i < info->detail.waiter_count; i++)
        if (wt_has_lane(info->detail.waiter[i].lanes, lane))
            return info->detail.waiter[i].pc;
    return info->pc;
}

static void put_line(struct wt_shell *c, const struct wt_wave *v, uint64_t pc)
{
    const char *file;
    unsigned line;
    if (!wt_modules_line(c->program->modules, 0, pc, &file, &line))
        return;
    const char *slash = strrchr(file, '/');
    fprintf(c->out, " %s %u", slash ? slash + 1 : file, line);
}

/* Consecutive threads of a block that are at one place. */
static void list_threads(struct wt_shell *c, const struct wt_working_waves *warps)
{
    fputs("     BlockIdx  ThreadIdx To ThreadIdx Count         Virtual PC Filename Line\n", c->out);
    for (size_t i = 0; i < warps->count; i++) {
        const struct wt_working_wave *w = &warps->list[i];
        const struct wt_wave *v = &w->info.wave;
        if (!i || warps->list[i - 1].info.wave.dispatch != v->dispatch)
            fprintf(c->out, "Kernel %" PRIu64 "\n", v->dispatch);
        for (unsigned lane = 0, end; lane < w->threads && !w->info.running; lane = end) {
            const uint64_t pc = pc_of_lane(&w->info, lane);
            uint32_t from[3], to[3];
            char block[40], first[40], last[40];
            for (end = lane + 1; end < w->threads && pc_of_lane(&w->info, end) == pc;)
                end++;
            thread_index(w, lane, from);
            thread_index(w, end - 1, to);
            const bool selected = w->is_selected && warps->lane >= lane && warps->lane < end;
            fprintf(c->out, "%c %11s %10s %12s %5u 0x%016" PRIx64, selected ? '*' : ' ',
                    triple(v->group, block), triple(from, first), triple(to, last), end - lane, pc);
            put_line(c, v, pc);
            fputc('\n', c->out);
        }
    }
}

static const struct wt_working_wave *selected_warp(const struct wt_working_waves *warps)
{
    for (size_t i = 0; i < warps->count; i++)
        if (warps->list[i].is_selected)
            return &warps->list[i];
    return NULL;
}

/* The warps of the selected SM. */
static void list_warps_of_sm(struct wt_shell *c, const struct wt_working_waves *warps)
{
    const struct wt_working_wave *own = selected_warp(warps);
    const unsigned core = own ? own->info.wave.core : 0;
    const int digits = (int)(c->program->topology->lanes + 3) / 4; /* of a mask: 64 lanes at most */
    fputs("  Wp Active Lanes Mask Divergent Lanes Mask          Active PC Kernel   BlockIdx\n",
          c->out);
    fprintf(c->out, "Device %u SM %u\n", own ? own->info.wave.device : 0, core);
    for (unsigned slot = 0; slot < c->program->topology->waves_per_core; slot++) {
        for (size_t i = 0; i < warps->count; i++) {
            const struct wt_working_wave *w = &warps->list[i];
            const struct wt_wave *v = &w->info.wave;
            const wt_lanes all = wt_lanes_first(w->threads);
            char block[40];
            if (v->core != core || v->slot != slot)
                continue;
            if (w->info.running) {
                fprintf(c->out, "  %2u running\n", slot);
                continue;
            }
            fprintf(c->out,
                    "%c %2u        0x%0*" PRIx64 "           0x%0*" PRIx64 " 0x%016" PRIx64
                    " %6" PRIu64 " %10s\n",
                    w->is_selected ? '*' : ' ', slot, digits, (uint64_t)w->info.mask, digits,
                    (uint64_t)(all & ~w->info.mask), w->info.pc, v->dispatch,
                    triple(v->group, block));
        }
    }
}

/* The lanes of the selected warp. */
static void list_lanes(struct wt_shell *c, const struct wt_working_waves *warps)
{
    const struct wt_working_wave *w = selected_warp(warps);
    if (!w || w->info.running) {
        fputs("Focus not set on any active CUDA kernel.\n", c->out);
        return;
    }
    fputs("  Ln     State        Physical PC  ThreadIdx\n", c->out);
    fprintf(c->out, "Device %u SM %u Warp %u\n", w->info.wave.device, w->info.wave.core,
            w->info.wave.slot);
    for (unsigned lane = 0; lane < w->info.wave.lanes; lane++) {
        uint32_t index[3];
        char text[40];
        if (lane >= w->threads) {
            fprintf(c->out, "  %2u  inactive\n", lane);
            continue;
        }
        thread_index(w, lane, index);
        fprintf(c->out, "%c %2u %9s 0x%016" PRIx64 " %10s\n", lane == warps->lane ? '*' : ' ', lane,
                wt_has_lane(w->info.mask, lane) ? "active" : "divergent",
                pc_of_lane(&w->info, lane), triple(index, text));
    }
}

static void list_sms(struct wt_shell *c, const struct wt_working_waves *warps)
{
    const struct wt_working_wave *own = selected_warp(warps);
    uint32_t device, first;
    wt_debugger_first(c->program->debugger, &device, &first);
    fputs("  SM  Active Warps Mask\n", c->out);
    for (uint32_t core = first; core < first + c->program->topology->cores; core++) {
        uint64_t mask = 0;
        for (size_t i = 0; i < warps->count; i++) {
            const struct wt_wave *v = &warps->list[i].info.wave;
            if (v->core == core && v->slot < 64)
                mask |= UINT64_C(1) << v->slot;
        }
        fprintf(c->out, "%c %2u 0x%016" PRIx64 "\n", own && own->info.wave.core == core ? '*' : ' ',
                core, mask);
    }
}

static void list_devices(struct wt_shell *c, const struct wt_working_waves *warps)
{
    const struct wt_working_wave *own = selected_warp(warps);
    const unsigned device = own ? own->info.wave.device : 0;
    fputs("  Dev Name SMs Warps/SM Lanes/Warp\n", c->out);
    for (unsigned i = 0; i < (c->program->topology->devices ? c->program->topology->devices : 1);
         i++)
        fprintf(c->out, "%c %3u %4s %3u %8u %10u\n", i == device ? '*' : ' ', i,
                c->program->topology->family,
                c->program->topology->device_cores ? c->program->topology->device_cores[i]
                                                   : c->program->topology->cores,
                c->program->topology->waves_per_core, c->program->topology->lanes);
}

static const struct {
    const char *name;
    void (*list)(struct wt_shell *c, const struct wt_working_waves *warps);
} lists[] = {
    {"kernels", list_kernels},   {"blocks", list_blocks}, {"threads", list_threads},
    {"warps", list_warps_of_sm}, {"lanes", list_lanes},   {"sms", list_sms},
    {"devices", list_devices},
};

enum wt_status do_info_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_working_waves warps;
    enum wt_status status;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(text, lists[i].name) != 0)
            continue;
        if ((status = wt_program_work(c->program, &warps, err)) != WT_OK)
            return status;
        lists[i].list(c, &warps);
        free(warps.list);
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID,
                   "info cuda takes kernels, blocks, threads, warps, lanes, sms or devices");
}

/* ---- cuda: the focus ---- */

enum part { KERNEL, BLOCK, THREAD, DEVICE, SM, WARP, LANE, PARTS };

static const char *const part_names[PARTS] = {"kernel", "block", "thread", "device",
                                              "sm",     "warp",  "lane"};

struct focus {
    bool given[PARTS];
    uint32_t value[PARTS][3];
};

/* "N", "N,N", "N,N,N", with or without brackets. */
static bool take_triple(const char **text, uint32_t value[3])
{
    const bool brackets = **text == '(';
    const char *at = *text + brackets;
    value[0] = value[1] = value[2] = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number;
        at = wt_skip_blanks(at);
        if (!take_number(&at, &number) || number > UINT32_MAX)
            return false;
        value[i] = (uint32_t)number;
        if (*at != ',')
            break;
        at++;
    }
    if (brackets && *at++ != ')')
        return false;
    *text = wt_skip_blanks(at);
    return true;
}

static enum wt_status parse_focus(const char *text, struct focus *f, bool *asks,
                                  struct wt_error *err)
{
    *asks = true;
    while (*text) {
        unsigned part = 0;
        size_t length = strcspn(text, " \t(,0123456789");
        while (part < PARTS &&
               (strncmp(text, part_names[part], length) != 0 || strlen(part_names[part]) != length))
            part++;
        if (part == PARTS)
            return wt_fail(err, WT_INVALID,
                           "cuda takes kernel N, block X,Y,Z, thread X,Y,Z, device N, sm N, warp N "
                           "and lane N");
        text = wt_skip_blanks(text + length);
        if (*text != '(' && (*text < '0' || *text > '9'))
            continue;
        if (!take_triple(&text, f->value[part]))
            return wt_fail(err, WT_INVALID, "cuda %s takes a number, or (X,Y,Z)", part_names[part]);
        f->given[part] = true;
        *asks = false;
    }
    return WT_OK;
}

static void put_focus(struct wt_shell *c, const struct wt_working_wave *w, unsigned lane,
                      const char *before, const char *after)
{
    uint32_t index[3];
    char block[40], thread[40];
    thread_index(w, lane, index);
    fprintf(c->out,
            "%skernel %" PRIu64 ", block %s, thread %s, device %u, sm %u, warp %u, lane %u%s\n",
            before, w->info.wave.dispatch, triple(w->info.wave.group, block), triple(index, thread),
            w->info.wave.device, w->info.wave.core, w->info.wave.slot, lane, after);
}

/* Whether a lane is one of those asked for. Coordinates that were not named keep their selected
 * values: either those of hardware (device, SM, warp, lane), or those of the program (kernel,
 * block, thread). */
static bool fits(const struct focus *f, const struct wt_working_wave *w, unsigned lane)
{
    const struct wt_wave *v = &w->info.wave;
    uint32_t index[3];
    thread_index(w, lane, index);
    return (!f->given[KERNEL] || f->value[KERNEL][0] == v->dispatch) &&
           (!f->given[BLOCK] || memcmp(f->value[BLOCK], v->group, sizeof v->group) == 0) &&
           (!f->given[THREAD] || memcmp(f->value[THREAD], index, sizeof index) == 0) &&
           (!f->given[DEVICE] || f->value[DEVICE][0] == v->device) &&
           (!f->given[SM] || f->value[SM][0] == v->core) &&
           (!f->given[WARP] || f->value[WARP][0] == v->slot) &&
           (!f->given[LANE] || f->value[LANE][0] == lane);
}

static void keep(struct focus *f, enum part part, uint32_t x, uint32_t y, uint32_t z)
{
    if (f->given[part])
        return;
    f->given[part] = true;
    f->value[part][0] = x;
    f->value[part][1] = y;
    f->value[part][2] = z;
}

/* Coordinates above a named one that are not named keep their values. */
static void keep_rest(struct focus *f, const struct wt_working_wave *own)
{
    const struct wt_wave *v = &own->info.wave;
    if (f->given[THREAD] && !f->given[BLOCK] && !f->given[SM] && !f->given[WARP])
        keep(f, BLOCK, v->group[0], v->group[1], v->group[2]);
    if ((f->given[BLOCK] || f->given[THREAD]) && !f->given[SM] && !f->given[WARP])
        keep(f, KERNEL, (uint32_t)v->dispatch, 0, 0);
    if (f->given[LANE] && !f->given[WARP] && !f->given[BLOCK] && !f->given[THREAD])
        keep(f, WARP, v->slot, 0, 0);
    if ((f->given[LANE] || f->given[WARP]) && !f->given[BLOCK])
        keep(f, SM, v->core, 0, 0);
}

enum wt_status do_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct focus f = {.given = {false}};
    struct wt_working_waves warps;
    bool asks;
    enum wt_status status = parse_focus(text, &f, &asks, err);
    if (status || (status = wt_program_work(c->program, &warps, err)) != WT_OK)
        return status;
    const struct wt_working_wave *own = selected_warp(&warps);
    if (!own) {
        free(warps.list);
        return wt_fail(err, WT_STATE, "Focus not set on any active CUDA kernel.");
    }
    if (asks) {
        put_focus(c, own, warps.lane, "", "");
        free(warps.list);
        return WT_OK;
    }
    keep_rest(&f, own);
    status =
        wt_fail(err, WT_INVALID,
                "Request cannot be satisfied. CUDA focus unchanged: no thread there is active.");
    for (size_t i = 0; i < warps.count && status; i++)
        for (unsigned lane = 0; lane < warps.list[i].threads && status; lane++) {
            const struct wt_working_wave *w = &warps.list[i];
            if (!fits(&f, w, lane))
                continue;
            status = wt_program_select_lane_of(c->program, w->info.wave.id, lane, err);
            if (!status)
                put_focus(c, w, lane, "[Switching focus to CUDA ", "]");
        }
    free(warps.list);
    if (!status)
        show_frame_of_selected(c);
    return status;
}

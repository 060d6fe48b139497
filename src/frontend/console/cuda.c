/* The focus of cuda-gdb: `cuda` selects kernels, blocks, threads, SMs, warps, lanes
 * ("CUDA-GDB": 8.2). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/places.h"
#include "frontend/console/internal.h"

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

enum wt_status do_info_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return wt_words_cuda(&c->words, text, err);
}

enum wt_status do_cuda(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_focus f = {.given = {false}};
    struct wt_work_view view;
    unsigned lane;
    bool asks;
    enum wt_status status = parse_focus(text, &f, &asks, err);
    if (status || (status = wt_words_cuda_work(&c->words, &view, err)) != WT_OK)
        return status;
    const struct wt_wave *found =
        view.own && !asks ? wt_find_lane(&view.work, &f, &view.own->wave, &lane) : NULL;
    if (!view.own) {
        status = wt_fail(err, WT_STATE, "Focus not set on any active CUDA kernel.");
    } else if (asks) {
        wt_words_cuda_focus(&c->words, &view.own->wave, view.lane, "", "");
    } else if (!found) {
        status = wt_fail(
            err, WT_INVALID,
            "Request cannot be satisfied. CUDA focus unchanged: no thread there is active.");
    } else {
        status = wt_program_select_lane_of(c->program, found->id, lane, err);
        if (!status)
            wt_words_cuda_focus(&c->words, found, lane, "[Switching focus to CUDA ", "]");
    }
    wt_work_free(&view.work);
    if (!status && !asks)
        show_frame_of_selected(c);
    return status;
}

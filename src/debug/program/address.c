/* Whether an instruction begins at an address that the user names. */
#include <inttypes.h>

#include "debug/program/internal.h"

/* Fails where no instruction can begin: within a granule of code, at a control word of NVIDIA's. */
static enum wt_status check_aligned(struct wt_program *g, uint64_t addr, struct wt_error *err)
{
    const uint64_t first = wt_modules_first_instruction(g->modules, addr);
    if (first != addr && wt_modules_at(g->modules, 0, addr))
        return wt_fail(err, WT_INVALID,
                       "No instruction begins at 0x%" PRIx64 ", a control word: the next one is at "
                       "0x%" PRIx64 ".",
                       addr, first);
    if (g->topology->code_granule && addr % g->topology->code_granule)
        return wt_fail(err, WT_INVALID,
                       "No instruction begins at 0x%" PRIx64 ", which is not a multiple of %u.",
                       addr, g->topology->code_granule);
    return WT_OK;
}

enum wt_status wt_program_check_begins(struct wt_program *g, uint64_t addr, struct wt_error *err)
{
    enum { MOST = 1 << 16 }; /* bytes of code that are gone through */
    const struct wt_view view = wt_program_view(g);
    const struct wt_frame *frame;
    const char *name;
    uint64_t offset;
    const enum wt_status status = check_aligned(g, addr, err);
    if (status)
        return status;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK && frame->pc == addr)
        return WT_OK;
    if (!wt_modules_function(g->modules, 0, addr, &name, &offset) || offset > MOST)
        return WT_OK;
    for (uint64_t at = addr - offset; at < addr;) {
        struct wt_instruction one = {0};
        at = wt_modules_first_instruction(g->modules, at);
        if (wt_debugger_instruction(g->debugger, view.thread, at, &one, WT_IGNORED) != WT_OK ||
            !one.length)
            return WT_OK;
        if (at < addr && at + one.length > addr)
            return wt_fail(err, WT_INVALID,
                           "No instruction begins at 0x%" PRIx64
                           ": one of %u bytes begins at 0x%" PRIx64 ".",
                           addr, one.length, at);
        at += one.length;
    }
    return WT_OK;
}

/* A check's records of instructions, by their addresses. */
#ifndef WT_CHECK_CODE_H
#define WT_CHECK_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

/** Zeros: nothing is known. */
struct wt_check_code {
    struct wt_map map; /**< pc + 1 -> what is known, of the check's own type; the check may have
                            more in a pc's upper bits */
    struct {
        uint64_t pc;
        void *known; /**< NULL: the entry is empty */
    } last[1024];    /**< found last, by part of the address */
};

/** The record of the instruction at @p pc; NULL: nothing. */
static inline void *wt_check_code_find(struct wt_check_code *code, uint64_t pc)
{
    const unsigned at = pc / 4 % (sizeof code->last / sizeof *code->last);
    if (code->last[at].known && code->last[at].pc == pc)
        return code->last[at].known;
    const uint64_t *there = wt_map_find(&code->map, pc + 1);
    if (!there)
        return NULL;
    code->last[at].pc = pc;
    return code->last[at].known = (void *)(uintptr_t)*there;
}

/** Adds what is known of an instruction of which nothing was. False without host memory. */
bool wt_check_code_add(struct wt_check_code *code, uint64_t pc, void *known);
/** Forgets all of it, and hands it to @p end, which frees it. */
void wt_check_code_forget(struct wt_check_code *code, void (*end)(void *known));

#endif

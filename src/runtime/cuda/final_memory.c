/* See final_memory.h. */
#include "runtime/cuda/final_memory.h"

#include "runtime/common/own_memory.h"

static struct wt_final_memory final = WT_FINAL_MEMORY_NONE;
static struct wt_planted_list planted = WT_PLANTED_NONE;

struct wt_final_memory *cuda_final_memory(void)
{
    return &final;
}

struct wt_planted_list *cuda_planted(void)
{
    return &planted;
}

/* Reads the process's memory without breakpoints: a wt_final_read_fn, whose context is not used. */
static bool read_plain(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    if (!wt_own_memory_read(addr, bytes, size))
        return false;
    wt_planted_lift(&planted, addr, bytes, size);
    return true;
}

void cuda_final_unmap(uint64_t addr, uint64_t size)
{
    wt_final_unmap(&final, addr, size, read_plain, NULL);
}

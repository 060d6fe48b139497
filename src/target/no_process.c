/* See no_process.h. */
#include "target/no_process.h"

enum wt_status wt_process_read_image(const struct wt_process *p, uint64_t addr, void *out,
                                     size_t size, struct wt_error *err)
{
    return wt_memory_image_read(&p->image, addr, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory is at 0x%llx: the program is not being run",
                         (unsigned long long)addr);
}

enum wt_status wt_process_refuse_write(struct wt_error *err)
{
    return wt_fail(err, WT_STATE, "the program is not being run: its memory cannot be changed");
}

bool wt_process_never_ended(void *context, uint32_t *status, char *text, size_t size)
{
    (void)context, (void)status, (void)text, (void)size;
    return false;
}

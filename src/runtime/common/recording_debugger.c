/* A debugger's operations on a recorded GPU: inputs, memory, core files. See recording.h. */
#include "emulator/machine/copy.h"
#include "runtime/common/recording_state.h"

#include <stdlib.h>

uint32_t wt_recording_input(struct wt_recording *r, const struct wt_input *input)
{
    if (!wt_recording_on(r))
        return wt_input_apply(r->machine, input);
    /* An input in the past is undone, or done again in a new future. */
    r->live = wt_timeline_at_end(r->timeline);
    const uint32_t result = wt_timeline_input(r->timeline, input);
    if (r->live) {
        recording_show_stores(r); /* waves do no atomics here */
        recording_show(r);
        recording_find_ended(r);
    }
    r->live = false;
    return result;
}

bool wt_hosted_read(struct wt_hosted *gpu, uint32_t wave, unsigned lane, uint64_t addr, void *out,
                    size_t size)
{
    return gpu->machine->ops->read_memory(gpu->machine, wave, lane, addr, out, size);
}

uint32_t wt_hosted_input(struct wt_hosted *gpu, const struct wt_input *input)
{
    return gpu->recording ? wt_recording_input(gpu->recording, input)
                          : wt_input_apply(gpu->machine, input);
}

/* ---- memory ---- */

/* Whether the copy has that memory; *size becomes the part in one page. */
static bool has(const struct wt_recording *r, uint64_t addr, size_t *size)
{
    const uint64_t room = RECORDING_PAGE - addr % RECORDING_PAGE;
    if (*size > room)
        *size = (size_t)room;
    return wt_recording_on(r) && r->machine->process.hosted && recording_maps(r, addr);
}

bool wt_recording_read(struct wt_recording *r, uint64_t addr, void *out, size_t *size)
{
    return has(r, addr, size) && r->machine->ops->read_memory(r->machine, 0, 0, addr, out, *size);
}

bool wt_recording_write(struct wt_recording *r, uint64_t addr, const void *bytes, size_t *size)
{
    if (!has(r, addr, size))
        return false;
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .addr = addr, .bytes = bytes, .size = *size};
    if (!wt_recording_input(r, &input))
        return false;
    const uint64_t at = addr - addr % RECORDING_PAGE;
    struct page *page = recording_page(r, at, wt_in_process_page(r->machine, at));
    if (page && !wt_recording_is_away(r))
        recording_publish(r, page);
    return true;
}

/* ---- core files ---- */

struct wt_hosted *wt_recording_gpu_of(const struct wt_copy *copy)
{
    return ((struct wt_recording *)copy->context)->gpu;
}

bool wt_recording_has_page(const struct wt_recording *r, uint64_t addr)
{
    return r && recording_find(r, addr - addr % RECORDING_PAGE);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

bool wt_recording_shared_pages(const struct wt_recording *r, struct wt_shared_pages *pages)
{
    *pages = (struct wt_shared_pages){.page = calloc(r->page_count + 1, sizeof *pages->page)};
    if (!pages->page)
        return false;
    for (size_t i = 0; i < r->page_count; i++)
        if (r->page[i].shared)
            pages->page[pages->count++] = r->page[i].addr;
    qsort(pages->page, pages->count, sizeof *pages->page, compare);
    return true;
}

enum wt_status wt_recording_archive(struct wt_recording *r, uint64_t issues, wt_archive_fn state,
                                    const wt_input_operation *operations, struct wt_archive *a,
                                    struct wt_error *err)
{
    const struct wt_timeline_file file = {.machine = r->machine,
                                          .timeline = r->timeline,
                                          .state = state,
                                          .operation = operations,
                                          .issues = issues};
    enum wt_status status;
    if ((status = wt_timeline_look(r->timeline, false, err)) != WT_OK ||
        (status = wt_timeline_write(&file, a, err)) != WT_OK)
        return status;
    return a->failed ? wt_fail(err, WT_NO_MEMORY, "%s", a->why) : WT_OK;
}

/* See no_process.h. */
#include "target/no_process.h"

#include <string.h>

#include "object/process_wire.h"

static enum wt_status read_image(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                 void *out, size_t size, struct wt_error *err)
{
    const struct wt_no_process *p = context;
    return wt_memory_image_read(p->image, addr, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory is at 0x%llx: the program is not being run",
                         (unsigned long long)addr);
}

static enum wt_status refuse_write(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                   const void *bytes, size_t size, struct wt_error *err)
{
    return wt_fail(err, WT_STATE, "the program is not being run: its memory cannot be changed");
}

static enum wt_status no_registers(void *context, uint32_t gpu, struct wt_wire_register *list,
                                   size_t count, struct wt_error *err)
{
    for (size_t i = 0; i < count; i++)
        list[i].value = list[i].write ? list[i].value : 0;
    return WT_OK;
}

static enum wt_status no_event(void *context, bool wait, struct wt_link_event *event,
                               struct wt_error *err)
{
    *event = (struct wt_link_event){.attention = false};
    return WT_OK;
}

static bool never_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return false;
}

static enum wt_status answer_none(void *context, const struct wt_wire_request *request,
                                  const void *more, struct wt_wire_answer *answer, void *out,
                                  size_t room, struct wt_error *err)
{
    const struct wt_no_process *p = context;
    *answer = (struct wt_wire_answer){.size = (uint32_t)room};
    if (!room || request->wave != WT_NO_HANDLE)
        return wt_fail(err, WT_INVALID, "the program is not being run");
    memset(out, 0, room);
    if (p->answer)
        answer->size = p->answer(p->of_file, request, more, out);
    return WT_OK;
}

const struct wt_link_ops wt_no_process_link = {.read = read_image,
                                               .write = refuse_write,
                                               .registers = no_registers,
                                               .event = no_event,
                                               .ended = never_ended,
                                               .ask = answer_none};

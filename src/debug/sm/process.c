/* The link to a host process: its warps and modules (object/sm_wire.h). See process.h. */
#include "debug/sm/process.h"

#include <stdlib.h>
#include <string.h>

#include "debug/sm/internal.h"

static bool wave_detail(void *context, uint32_t warp, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct {
        struct wt_wave_view view;
        struct sm_wire_waiters waiter[SM_WIRE_MOST_WAITERS];
    } got;
    struct wt_wire_request request = {.verb = WT_WIRE_WAITS, .value = id};
    struct wt_wire_answer answer;
    *detail = (struct wt_wave_detail){0};
    wt_process_link_locate(context, warp, &request);
    if (wt_process_link_ask(context, &request, NULL, &answer, &got, sizeof got, WT_IGNORED) !=
            WT_OK ||
        answer.result < 0 || answer.size < sizeof got.view ||
        !wt_connection_has_view(&got.view, sizeof got.view))
        return false;
    detail->view = got.view;
    detail->waiter_count = (unsigned)((answer.size - sizeof got.view) / sizeof *got.waiter);
    for (unsigned i = 0; i < detail->waiter_count; i++)
        detail->waiter[i] =
            (struct wt_wave_waiters){.lanes = got.waiter[i].lanes, .pc = got.waiter[i].pc};
    return true;
}

void wt_sm_process_offer_detail(struct wt_target_services *services)
{
    services->wave_waits = NULL; /* the detail has more */
    services->wave_detail = wave_detail;
}

/* ---- modules ---- */

enum wt_status wt_sm_process_modules(struct wt_process_link *link, struct sm_wire_module **list,
                                     size_t *count, struct wt_error *err)
{
    void *all;
    const enum wt_status status =
        wt_process_link_list(link, SM_WIRE_MODULES, sizeof **list, &all, count, err);
    *list = all;
    return status;
}

enum wt_status wt_sm_process_text(struct wt_process_link *link, const struct sm_wire_module *module,
                                  uint32_t number, char **text, size_t *length,
                                  struct wt_error *err)
{
    uint8_t *bytes;
    const struct wt_wire_request request = {
        .verb = SM_WIRE_TEXT, .number = number, .addr = module->id};
    const enum wt_status status = wt_process_link_read_all(link, request, &bytes, length, err);
    *text = bytes || status ? (char *)bytes : strdup("");
    return status || *text ? status : wt_fail(err, WT_NO_MEMORY, "out of memory for a text");
}

/* The link to a host process: its modules (object/sm_wire.h). See process.h. */
#include "debug/sm/process.h"

#include <string.h>

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

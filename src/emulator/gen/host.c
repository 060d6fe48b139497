/* A device inside a host process. See host.h. */
#include "emulator/gen/host.h"

#include "emulator/gen/internal.h"

enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err)
{
    enum wt_status status;
    struct wt_memory *memory = wt_memory_new_host();
    if (!memory)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    if ((status = gen_device_new(config, device, err)) != WT_OK) {
        wt_memory_free(memory);
        return status;
    }
    wt_memory_free((*device)->memory);
    (*device)->memory = memory;
    (*device)->root = 0;
    return WT_OK;
}

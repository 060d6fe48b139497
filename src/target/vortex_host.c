/* Programs on Vortex's own host library. */
#include "target/vortex.h"

#include <stdlib.h>
#include <string.h>

#include "target/host_images.h"
#include "target/host_program.h"

#define LIBVORTEX "libvortex.so"
/* Upstream's libvortex.so loads libvortex-NAME.so. */
#define DRIVER_VARIABLE "VORTEX_DRIVER"
#define DRIVER "wavetrap"

/* A user who names our driver wants a libvortex.so of upstream's, and ours last. Another exec has
 * named it if our folder is among the program's already. */
static bool wants_upstream(const char *folder)
{
    const char *driver = getenv(DRIVER_VARIABLE), *folders = getenv("LD_LIBRARY_PATH");
    return driver && !strcmp(driver, DRIVER) && !(folders && strstr(folders, folder));
}

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    if (wants_upstream(folder))
        return wt_host_append("LD_LIBRARY_PATH", ':', folder);
    return wt_host_find_libraries_in(folder) && !setenv(DRIVER_VARIABLE, DRIVER, 1) &&
           (!program->own_library || wt_host_preload(folder, LIBVORTEX));
}

const struct wt_host_driver wt_vortex_host_driver = {.library = LIBVORTEX,
                                                     .built_in = "../runtime/vortex",
                                                     .package = "",
                                                     .functions_of = {LIBVORTEX},
                                                     .tested = "our own programs, each error code",
                                                     .gpus = "WAVETRAP_VORTEX_GPUS",
                                                     .name = "Vortex",
                                                     .waves = "warps",
                                                     .logs_calls = true,
                                                     .prepare = prepare};

/* Programs on Vortex's own host library. */
#include "target/vortex.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/host_program.h"

#define LIBVORTEX "libvortex.so"
/* Upstream's libvortex.so loads libvortex-NAME.so. */
#define DRIVER_VARIABLE "VORTEX_DRIVER"
#define DRIVER "wavetrap"

static bool lists(const char *folders, const char *folder)
{
    const size_t length = strlen(folder);
    while (folders &&
           (strncmp(folders, folder, length) != 0 || (folders[length] && folders[length] != ':'))) {
        folders = strchr(folders, ':');
        folders += folders != NULL;
    }
    return folders;
}

/* A user who names our driver wants a libvortex.so of upstream's, and none of ours. Another exec
 * has named it if our folder is among the program's already. */
static bool wants_upstream(const char *folder)
{
    const char *driver = getenv(DRIVER_VARIABLE);
    return driver && !strcmp(driver, DRIVER) && !lists(getenv("LD_LIBRARY_PATH"), folder);
}

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    char driver[PATH_MAX + 8];
    const bool upstream = wants_upstream(folder);
    snprintf(driver, sizeof driver, "%s/driver", folder);
    if (!wt_host_append("LD_LIBRARY_PATH", ':', driver) || setenv(DRIVER_VARIABLE, DRIVER, 1))
        return false;
    return upstream || (wt_host_find_libraries_in(folder) &&
                        (!program->own_library || wt_host_preload(folder, LIBVORTEX)));
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

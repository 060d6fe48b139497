/* Programs on Vortex's own host library. */
#include "target/vortex.h"

#include "target/host_images.h"
#include "target/host_program.h"

#define LIBVORTEX "libvortex.so"

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    return wt_host_find_libraries_in(folder) &&
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

/* The debugger of a Gen9 that no program uses: front ends inspect it before a host program is
 * started and after its end. See process.h. */
#include "target/gen_debugger.h"
#include "target/gen_process.h"
#include "target/no_process.h"

/* A GT2. Its kernels are created when the program runs. */
enum wt_status wt_gen_connect_none(struct wt_process *p, const char *program, struct wt_error *err)
{
    struct gen_config config;
    gen_config_default(&config);
    const struct wt_gen_link link = {.info = wt_gen_info_of(config.subslices)};
    return wt_process_no_link(p, &link, sizeof link, err);
}

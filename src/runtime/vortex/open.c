/* Opening the GPUs, once for the process. */
#include <stdlib.h>
#include <string.h>

#include "check/objects.h"
#include "emulator/machine/machine.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/policy.h"
#include "runtime/vortex/internal.h"

#define GPUS_VARIABLE "WAVETRAP_VORTEX_GPUS"

static struct {
    pthread_once_t once;
    struct wt_error why; /* there are none */
} opened = {.once = PTHREAD_ONCE_INIT};

/* Lines that a recording repeats were printed before. */
static void print(void *context, unsigned slot, const char *line, size_t length)
{
    struct gpu *g = context;
    if (wt_recording_on(g->recording) && !wt_recording_is_live(g->recording))
        return;
    printf("#%u: %.*s\n", slot, (int)length, line);
    g->printed = true;
}

/* Memory that kernels may use beside buffers: stacks with thread-local variables, local memory,
 * console and exit word with the counters behind it. */
static void add_objects(const struct gpu *g)
{
    const struct vx_config *c = &g->config;
    const uint64_t local = c->profile->local_mem_base[c->xlen == 64], stacks = gpu_memory_end(g);
    wt_object_variable(g->machine, stacks, local - stacks, "the stacks", false);
    wt_object_variable(g->machine, local, c->profile->local_mem_size, "local memory", false);
    wt_object_variable(g->machine, c->console_addr, MEMORY_FIRST - c->console_addr,
                       "console and counters", false);
}

/* Vortex 3.0 tells programs counts as logarithms of 3 bits, and those of 2.x compute with powers of
 * two. */
static enum wt_status check_counts(const struct vx_config *c, struct wt_error *err)
{
    enum { MOST = 128 };
    const struct {
        const char *key;
        unsigned count;
    } list[] = {{"clusters", c->clusters},
                {"cores", c->cores},
                {"warps", c->warps},
                {"threads", c->threads}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].count > MOST || (list[i].count & (list[i].count - 1)))
            return wt_fail(err, WT_INVALID, "%s=%u: host programs see powers of two, up to %d",
                           list[i].key, list[i].count, MOST);
    return WT_OK;
}

static enum wt_status make(const char *said, size_t length, struct gpu *g, struct wt_error *err)
{
    enum { NAME = 6 };
    char text[512];
    enum wt_status status;
    snprintf(text, sizeof text, "%.*s", (int)length, said);
    if (strncmp(text, "vortex", NAME) != 0 || (text[NAME] && text[NAME] != ':'))
        return wt_fail(err, WT_INVALID, GPUS_VARIABLE ": '%.40s' is not vortex:KEY=VALUE,…", text);
    vx_config_default(&g->config);
    if (text[NAME] &&
        (status = wt_config_parse(&vx_config_table, &g->config, text + NAME + 1, err)))
        return wt_fail_in(err, GPUS_VARIABLE);
    if ((status = check_counts(&g->config, err)) || (status = door_configure(g, err)))
        return wt_fail_in(err, GPUS_VARIABLE);
    if (!g->config.xlen)
        g->config.xlen = 32;
    if ((status = wt_policy_of_environment(&g->config.device, err)) ||
        (status = vx_device_new(&g->config, &g->device, err)))
        return status;
    struct wt_machine *m = g->machine = vx_machine(g->device);
    m->device = g->number;
    m->console = print;
    m->console_context = g;
    vx_do_abandon(m, NULL, 0);
    wt_core_on_fault_begin(&g->on_fault);
    g->core = &vortex_core_ops;
    g->recorded = &vortex_recording_ops;
    g->records = g->on_fault.history;
    add_objects(g);
    return WT_OK;
}

static void open_all(void)
{
    const char *list = getenv(GPUS_VARIABLE);
    if (!list || !*list)
        list = "vortex";
    while (*(list += strspn(list, " ")) && gpu_count() < MOST_GPUS) {
        const size_t length = strcspn(list, " ");
        struct gpu *g = calloc(1, sizeof *g);
        if (!g) {
            wt_fail(&opened.why, WT_NO_MEMORY, "no host memory");
            break;
        }
        g->number = gpu_count();
        if (make(list, length, g, &opened.why)) {
            free(g);
            break;
        }
        if (g->number) {
            const struct gpu *before = gpu_at(g->number - 1);
            g->machine->first_core =
                before->machine->first_core + before->config.clusters * before->config.cores;
        }
        gpu_add(g);
        wt_hosted_record(&g->hosted, 0);
        list += length;
    }
    if (!*opened.why.text) {
        wt_interrupt_listen();
        endpoint_start();
        return;
    }
    fprintf(stderr, "wavetrap: libvortex: %s\n", opened.why.text);
    gpus_none();
}

bool gpu_become_later(struct gpu *g)
{
    struct wt_error why;
    if (g->config.profile->launch_unit || g->config.profile_given)
        return true;
    if (g->ran || g->started)
        return false;
    vx_config_use_profile(&g->config, vx_profile_named("v3"));
    turn_take();
    wt_gate_enter(gpu_gate());
    if (vx_device_use_profile(g->device, g->config.profile, &why)) {
        fprintf(stderr, "wavetrap: libvortex: %s\n", why.text);
        abort();
    }
    wt_recording_restart(g->recording);
    wt_gate_leave(gpu_gate());
    turn_give();
    return true;
}

enum vx_result gpus_open(struct wt_error *err)
{
    pthread_once(&opened.once, open_all);
    return gpu_count() ? VX_SUCCESS : call_fail(err, VX_ERR_DEVICE_LOST, "%s", opened.why.text);
}

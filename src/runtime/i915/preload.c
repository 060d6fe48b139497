/*
 * The library that `wavetrap exec` preloads for OpenCL programs: render nodes of emulated Intel
 * GPUs. WAVETRAP_GEN_GPUS lists the GPUs: "gen9:KEY=VALUE,…" for each, with blanks between.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/common/exits.h"
#include "runtime/common/at_end.h"
#include "runtime/common/counted_file.h"
#include "runtime/common/endpoint.h"
#include "runtime/common/environment.h"
#include "runtime/common/policy.h"
#include "runtime/devfs/devfs.h"
#include "runtime/i915/code.h"
#include "runtime/i915/emulated.h"
#include "runtime/i915/endpoint.h"
#include "runtime/i915/hook.h"
#include "runtime/i915/interposed.h"
#include "runtime/i915/report.h"
#include "runtime/i915/waits.h"

enum { MOST_GPUS = WT_DRM_MOST_GPUS, FIRST_NODE = 128 };

static const char nodes[] = "/dev/dri/renderD";

/* They come into being when a node is first opened. There is one set of them in a process, as there
 * is one set of device files. */
static struct wt_drm_emulated *gpus[MOST_GPUS];
static unsigned gpu_count;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static sigset_t signals_before; /* the mask of the thread that holds `opening` */

/* The configuration of GPU @p index; false if there are not so many. */
static bool configure(unsigned index, struct gen_config *config, struct wt_error *err)
{
    static const char family[] = "gen9";
    const char *text = getenv("WAVETRAP_GEN_GPUS");
    char spec[256];
    text = text ? text + strspn(text, " ") : family;
    for (; index && *text; index--) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    const size_t length = strcspn(text, " ");
    err->text[0] = 0;
    if (index || !length)
        return false;
    if (length >= sizeof spec || strncmp(text, family, sizeof family - 1) != 0) {
        wt_fail(err, WT_INVALID, "WAVETRAP_GEN_GPUS: '%.40s' is not gen9:KEY=VALUE,…", text);
        return false;
    }
    memcpy(spec, text, length);
    spec[length] = 0;
    gen_config_default(config);
    const char *keys = spec + sizeof family - 1;
    if (*keys && wt_config_parse(&gen_config_table, config, keys + (*keys == ':'), err) != WT_OK) {
        wt_fail_in(err, "WAVETRAP_GEN_GPUS");
        return false;
    }
    return wt_policy_of_environment(&config->device, err) == WT_OK;
}

/* The number in a node's name; MOST_GPUS if it is no name of ours. */
static unsigned node_of(const char *path)
{
    if (strncmp(path, nodes, sizeof nodes - 1) != 0)
        return MOST_GPUS;
    char *end;
    const unsigned long number = strtoul(path + sizeof nodes - 1, &end, 10);
    return *end || number < FIRST_NODE || number >= FIRST_NODE + MOST_GPUS
               ? MOST_GPUS
               : (unsigned)number - FIRST_NODE;
}

/* A signal's handler may open a node, too, so none runs while `opening` is held. */
static void begin_opening(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&opening);
    signals_before = before;
}

static void end_opening(void)
{
    const sigset_t before = signals_before;
    pthread_mutex_unlock(&opening);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct wt_i915 *driver_of(unsigned index)
{
    begin_opening();
    struct wt_drm_emulated *gpu = index < gpu_count ? gpus[index] : NULL;
    end_opening();
    return gpu ? wt_drm_emulated_driver(gpu) : NULL;
}

/* "FOLDER/NAME" and @p rest, in the folder of this library; false where that is not known. */
static bool beside(const char *name, const char *rest, char *path, size_t size)
{
    Dl_info library;
    if (!dladdr(nodes, &library))
        return false;
    const char *slash = strrchr(library.dli_fname, '/');
    const int folder = slash ? (int)(slash - library.dli_fname) : 0;
    const int n = snprintf(path, size, "%.*s/%s%s", folder, library.dli_fname, name, rest);
    return folder && n > 0 && (size_t)n < size;
}

/* ---- fork ---- */

static void before_fork(void)
{
    begin_opening();
    for (unsigned i = 0; i < gpu_count; i++)
        wt_i915_before_fork(wt_drm_emulated_driver(gpus[i]));
    drm_waits_before_fork();
}

static void after_fork(bool child)
{
    drm_waits_after_fork(child);
    for (unsigned i = 0; i < gpu_count; i++)
        wt_drm_emulated_after_fork(gpus[i], child);
    end_opening();
}

static void in_parent(void)
{
    after_fork(false);
}

static void in_child(void)
{
    after_fork(true);
}

__attribute__((constructor)) static void attend_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

/* ---- checks ---- */

static void report_leaks(void *argument)
{
    drm_handles_report();
}

__attribute__((constructor)) static void attend_end(void)
{
    wt_at_end(report_leaks);
}

/* ---- the runtime's debugger ---- */

/* If this program is debugged, the runtime finds its debugger's library already loaded. The library
 * is not one of those that come before the program's own: its functions have common names. */
__attribute__((constructor)) static void offer_debugger(void)
{
    static const struct drm_hook_ops ops = {.built = drm_code_built, .source = drm_code_source};
    char path[4200];
    pid_t holder;
    if (!wt_endpoint_held(&holder) || !beside(WT_DRM_HOOK_LIBRARY, "", path, sizeof path))
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    drm_hook_take *take = NULL;
    if (library)
        *(void **)&take = dlsym(library, WT_DRM_HOOK_TAKE);
    if (take)
        take(&ops);
    else
        fprintf(stderr, "wavetrap: %s: programs have no debug information\n", path);
}

/* ---- the nodes ---- */

/* Makes all of them, so that a debugger that comes learns of all. `opening` is held. */
static void make_gpus(void)
{
    struct gen_config config;
    struct wt_error err = {.text = ""};
    while (gpu_count < MOST_GPUS && configure(gpu_count, &config, &err) &&
           wt_drm_emulated_new(&config, gpu_count ? gpus[gpu_count - 1] : NULL, &gpus[gpu_count],
                               &err) == WT_OK)
        gpu_count++;
    if (gpu_count == MOST_GPUS && configure(gpu_count, &config, &err))
        wt_fail(&err, WT_UNSUPPORTED, "a program has at most %d gen9 GPUs: the rest is left out",
                MOST_GPUS);
    if (*err.text)
        wt_say_once("%s", err.text);
    if (!gpu_count)
        return;
    wt_gem_report_start(driver_of);
    wt_drm_endpoint_start(gpus, gpu_count);
}

static int open_gpu(unsigned index, void **file)
{
    if (!gpu_count)
        make_gpus();
    if (index >= gpu_count)
        return -ENOENT;
    struct wt_i915 *driver = wt_drm_emulated_driver(gpus[index]);
    const int fd = fcntl(wt_i915_descriptor(driver), F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    wt_counted_opened();
    *file = wt_i915_open(driver);
    if (*file)
        return fd;
    close(fd);
    return -ENOMEM;
}

static int open_node(const char *path, int flags, void **file)
{
    const unsigned index = node_of(path);
    if (index == MOST_GPUS)
        return -ENOENT;
    begin_opening();
    const int fd = open_gpu(index, file);
    end_opening();
    return fd;
}

static int control(void *file, unsigned long request, void *argument)
{
    return wt_i915_ioctl(file, request, argument);
}

static void close_node(void *file)
{
    wt_i915_close(file);
}

/* DRM's major number; the minor number is that in the node's name. */
static uint64_t number(void *file, const char *path)
{
    unsigned index = path ? node_of(path) : 0;
    while (file && index < gpu_count && wt_i915_device(file) != wt_drm_emulated_driver(gpus[index]))
        index++;
    return index < MOST_GPUS ? makedev(226, FIRST_NODE + index) : 0;
}

/* Looking does not make the GPUs. */
static bool is_device(const char *path)
{
    struct gen_config config;
    return node_of(path) < MOST_GPUS && configure(node_of(path), &config, WT_IGNORED);
}

/* The GPU in sysfs: Intel's runtime uses this path if it is given no other. */
static const char sysfs[] = "/sys/bus/pci/devices/0000:00:02.0/drm";

/* The files of sysfs/ lie beside this library. */
static bool redirect(const char *path, char *real, size_t size)
{
    return strncmp(path, sysfs, sizeof sysfs - 1) == 0 &&
           beside("sysfs", path + sizeof sysfs - 1, real, size);
}

/* The host's own GPUs are not shown. */
static const char *const prefixes[] = {"/dev/dri/", "/sys/dev/char/226:", sysfs, NULL};

static const struct wt_devfs_driver i915 = {.prefixes = prefixes,
                                            .open = open_node,
                                            .ioctl = control,
                                            .close = close_node,
                                            .redirect = redirect,
                                            .is_device = is_device,
                                            .number = number};

const struct wt_devfs_driver *const wt_devfs_drivers[] = {&i915, NULL};

static void exits_count(void)
{
    wt_results_end();
}

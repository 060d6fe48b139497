/* Opens and closes the driver. WAVETRAP_GPUS lists the GPUs; WAVETRAP_MEMORY is the
 * memory of each. */
#include "runtime/kfd/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "object/fatbin.h"
#include "object/kfd_wire.h"
#include "runtime/common/catch.h"
#include "runtime/common/counted_file.h"
#include "runtime/common/endpoint.h"
#include "runtime/common/environment.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/policy.h"
#include "runtime/common/tally.h"

#define MOST_MEMORY ((uint64_t)8 << 30) /* by default: what a Vega 10 board has */
#define LEAST_MEMORY ((uint64_t)16 << 20)
#define ANY_MODEL "gcn" /* the one for which the program has code */

/* The interface is a set of functions without a handle: there can be one driver only. */
static struct host *the_host;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

struct host *host_get(void)
{
    return the_host;
}

struct host_gpu *host_gpu_of(struct host *host, uint32_t node)
{
    return node >= 1 && node <= host->gpus ? &host->gpu[node - 1] : NULL;
}

uint64_t host_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * The memory of each GPU. A program that fills all of it must not fill the host's, too: then the
 * host's kernel would end some process, instead of hipMalloc failing.
 */
static enum wt_status memory_of_each(uint64_t *bytes, struct wt_error *err)
{
    const char *given = getenv("WAVETRAP_MEMORY");
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t most =
        pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 * 3 : UINT64_MAX;
    *bytes = (most < MOST_MEMORY ? most : MOST_MEMORY) & ~(uint64_t)(HOST_PAGE - 1);
    if (!given)
        return WT_OK;
    if (wt_parse_number(given, bytes, WT_IGNORED) || *bytes < LEAST_MEMORY ||
        *bytes > (uint64_t)1 << 46)
        return wt_fail(err, WT_INVALID,
                       "WAVETRAP_MEMORY: a GPU cannot have '%.40s' bytes of memory: 16 MiB at "
                       "least, 64 TiB at most",
                       given);
    *bytes &= ~(uint64_t)(HOST_PAGE - 1);
    return WT_OK;
}

/* The model that a program gets which asks for none: the newest one for which it has code itself,
 * not in its libraries; else the family's default. */
static const struct gcn_model *model_of_program(void)
{
    const struct gcn_model *model = NULL;
    char all[80];
    size_t size;
    const uint8_t *bytes = host_program_map(&size);
    if (bytes) {
        model = gcn_model_of_code(bytes, size, all, sizeof all);
        munmap((void *)(uintptr_t)bytes, size);
    }
    uint8_t *copy;
    size_t length, own;
    if (!model && gcn_fatbin_read("/proc/self/exe", &copy, &length, &own, WT_IGNORED) == WT_OK) {
        model = gcn_model_of_code(copy, length, all, sizeof all);
        free(copy);
    }
    if (model && strchr(all, ','))
        fprintf(stderr, "wavetrap: the program has code for %s: the GPU is a %s (--gpu)\n", all,
                model->target.name);
    return model ? model : gcn_models;
}

/* The model that HSA_OVERRIDE_GFX_VERSION asks for, which ROCm's own library tells programs of
 * instead of their GPU's; *model NULL: it is not set. */
static enum wt_status model_of_override(const struct gcn_model **model, struct wt_error *err)
{
    const char *text = getenv("HSA_OVERRIDE_GFX_VERSION");
    unsigned part[3] = {0};
    char more;
    *model = NULL;
    if (!text || !*text)
        return WT_OK;
    const bool good = sscanf(text, "%2u.%2u.%2u%c", &part[0], &part[1], &part[2], &more) == 3;
    if (good)
        *model = gcn_model_of_version(part[0] * 10000 + part[1] * 100 + part[2]);
    return *model ? WT_OK
                  : wt_fail(err, WT_INVALID,
                            "HSA_OVERRIDE_GFX_VERSION=%.40s: no GPU of that version is emulated: "
                            "'wavetrap info --models' lists them",
                            text);
}

/* "MODEL:KEY=VALUE,…" for each GPU, with blanks between; nothing: one with defaults. */
static enum wt_status configure(struct host *host, const char *text, struct wt_error *err)
{
    enum wt_status status;
    uint64_t memory;
    const struct gcn_model *override;
    if ((status = memory_of_each(&memory, err)) != WT_OK ||
        (status = model_of_override(&override, err)) != WT_OK)
        return status;
    do {
        char spec[256];
        text += strspn(text, " ");
        const size_t length = strcspn(text, " ");
        if (host->gpus == HOST_MOST_GPUS)
            return wt_fail(err, WT_INVALID, "WAVETRAP_GPUS: at most %u GPUs", HOST_MOST_GPUS);
        if (length >= sizeof spec)
            return wt_fail(err, WT_INVALID, "WAVETRAP_GPUS: '%.40s…' is too long", text);
        memcpy(spec, text, length);
        spec[length] = 0;
        text += length;
        struct host_gpu *gpu = &host->gpu[host->gpus];
        *gpu = (struct host_gpu){
            .host = host, .index = host->gpus, .node = host->gpus + 1, .memory = memory};
        wt_progress_start(&gpu->progress, getenv(WT_PROGRESS_VARIABLE), stderr);
        gcn_config_default(&gpu->config);
        const size_t name = strcspn(spec, ":");
        const bool any = !name || (name == strlen(ANY_MODEL) && !memcmp(spec, ANY_MODEL, name));
        const struct gcn_model *model = !any       ? gcn_model_find(spec, name)
                                        : override ? override
                                                   : model_of_program();
        if (!model)
            return wt_fail(err, WT_INVALID, "WAVETRAP_GPUS: '%s' is not %s:KEY=VALUE,…", spec,
                           gpu->config.model->target.name);
        gcn_config_choose(&gpu->config, model);
        if (spec[name] && wt_config_parse(&gcn_config_table, &gpu->config, spec + name + 1, err))
            return wt_fail_in(err, "WAVETRAP_GPUS");
        if (override && gpu->config.model->set != override->set)
            return wt_fail(err, WT_INVALID,
                           "HSA_OVERRIDE_GFX_VERSION is that of a %s, and the emulated GPU is a "
                           "%s, which does not execute its code: -g %s, or unset it",
                           override->target.name, gpu->config.model->target.name,
                           override->target.name);
        if ((status = wt_policy_of_environment(&gpu->config.device, err)) != WT_OK)
            return status;
        const struct gcn_model *seen = override ? override : gpu->config.model;
        gpu->target = seen->target;
        gpu->version = seen->version;
        host->gpus++;
    } while (text[strspn(text, " ")]);
    return WT_OK;
}

/* No thread is opening or closing the GPUs while the process forks: a child would find them in no
 * defined state, and the locks of libc that this takes held for ever. */
static void before_fork(void)
{
    host_files_before_fork();
    pthread_mutex_lock(&opening);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&opening);
    host_files_after_fork();
}

/* A child process begins anew: threads and memory of the GPUs are its parent's. */
static void forget(void)
{
    wt_interrupt_forget();
    the_host = NULL;
    after_fork();
}

/* Before the program has threads that open GPUs. */
static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(before_fork, after_fork, forget);
}

static void close_host(struct host *host)
{
    wt_server_stop();
    for (uint32_t i = 0; i < host->gpus; i++)
        host_gpu_stop(&host->gpu[i]);
    wt_final_want(&host->final, false);
    host_memory_free(host);
    host_svm_free(host);
    host_buffers_free(host);
    host_events_close(host);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->table_lock);
    free(host);
}

/* "gfx900, gfx906": the models of the GPUs. */
static void tell_models(const struct host *host)
{
    char text[40];
    size_t used = 0;
    for (const struct gcn_model *m = gcn_models; m->target.name; m++) {
        bool any = false;
        for (uint32_t i = 0; i < host->gpus; i++)
            any |= host->gpu[i].config.model == m;
        if (any && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     m->target.name);
    }
    wt_tally_models(KFD_WIRE_FAMILY, text);
}

static struct host *open_host(struct wt_error *err)
{
    const char *gpus = getenv("WAVETRAP_GPUS"), *explain = getenv("WAVETRAP_EXPLAIN");
    struct host *host = calloc(1, sizeof *host);
    if (!host) {
        wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
        return NULL;
    }
    host->next_queue = 1;
    host->final = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    host->planted = (struct wt_planted_list)WT_PLANTED_NONE;
    atomic_init(&host->held, wt_endpoint_held(&host->holder));
    atomic_init(&host->code_known, HOST_CODE_UNKNOWN);
    pthread_mutex_init(&host->lock, NULL);
    pthread_mutex_init(&host->table_lock, NULL);
    snprintf(host->explain, sizeof host->explain, "%s", explain ? explain : "");
    wt_core_on_fault_begin(&host->core_on_fault);
    host->is_shared = host_memory_is_shared;
    host->caught = wt_catch_of_environment();
    bool good = host_events_open(host, err) && !configure(host, gpus ? gpus : "", err);
    for (uint32_t i = 0; good && i < host->gpus; i++)
        good = host_gpu_start(&host->gpu[i], err);
    if (good) {
        host_xnack_begin(host);
        tell_models(host);
        const bool listens = host_endpoint_start(host);
        wt_interrupt_listen();
        wt_interrupt_attend(true);
        if (!listens && atomic_exchange(&host->held, false))
            fputs("wavetrap: debuggers cannot attach: kernels are not held\n", stderr);
        return host;
    }
    close_host(host);
    return NULL;
}

HSAKMT_STATUS hsaKmtOpenKFD(void)
{
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    pthread_mutex_lock(&opening);
    if (!the_host) {
        struct wt_error err = {0};
        the_host = open_host(&err);
        if (!the_host) {
            wt_say_once("%s", err.text);
            status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
        } else {
            host_check_fatbins();
            wt_counted_opened();
        }
    }
    if (the_host)
        the_host->opened++;
    pthread_mutex_unlock(&opening);
    return status;
}

uint32_t host_gpu_count(void)
{
    const struct host *host = host_get();
    const char *text = getenv("WAVETRAP_GPUS");
    uint32_t count = 0;
    if (host)
        return host->gpus;
    for (text = text ? text : ""; *(text += strspn(text, " ")); text += strcspn(text, " "))
        count++;
    return count ? count : 1;
}

/* HIP's runtime leaves without closing. */
static __attribute__((destructor)) void tell_what_was_not_met(void)
{
    if (the_host && *the_host->explain && !atomic_load(&the_host->explained))
        fputs("wavetrap: nothing is explained: no wave reached the place in code for the GPU\n",
              stderr);
}

void host_end_program(int status)
{
    if (!ftrylockfile(stdout))
        fflush(stdout);
    host_leave_nothing();
    wt_server_tell_exit(status); /* a GPU may be entered: its memory is not there any more */
    _exit(status);
}

void host_leave_nothing(void)
{
    wt_server_forget();
    host_files_remove();
}

/* Libdrm's handles are openings that nobody closes: where there are no others, all closes. */
HSAKMT_STATUS hsaKmtCloseKFD(void)
{
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    struct host_handles handles = {.count = 0};
    pthread_mutex_lock(&opening);
    if (!the_host) {
        status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    } else if (--the_host->opened == 0) {
        wt_interrupt_attend(false);
        tell_what_was_not_met();
        close_host(the_host);
        the_host = NULL;
    } else if (the_host->opened == the_host->handles) {
        host_handles_take(the_host, &handles);
    }
    pthread_mutex_unlock(&opening);
    if (handles.count)
        host_handles_close(&handles);
    return status;
}

/* 1.10 and later tell of exceptions in queues, which we do. */
HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *version)
{
    *version =
        (HsaVersionInfo){.KernelInterfaceMajorVersion = 1, .KernelInterfaceMinorVersion = 10};
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupport(void)
{
    return host_get() ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS hsaKmtRuntimeEnable(void *debug, bool setup_ttmp)
{
    struct host *host = host_get();
    /* The TTMP registers of waves are always set up. */
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    host->debug = debug;
    host->runtime_enabled = true;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtRuntimeDisable(void)
{
    struct host *host = host_get();
    if (host) {
        host->debug = NULL;
        host->runtime_enabled = false;
    }
    return HSAKMT_STATUS_SUCCESS;
}

/* The only one that there could be is that the kernel's driver lets a runtime write core files;
 * here exec --core-on-fault does. */
HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32 *mask)
{
    *mask = 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters *counters)
{
    const uint64_t now = host_clock();
    *counters = (HsaClockCounters){.GPUClockCounter = now,
                                   .CPUClockCounter = now,
                                   .SystemClockCounter = now,
                                   .SystemClockFrequencyHz = 1000000000};
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- what an emulated Vega does not have ---- */

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 node, HsaGpuTileConfig *config)
{
    /* No image is tiled here. */
    config->NumTileConfigs = config->NumMacroTileConfigs = 0;
    config->GbAddrConfig = config->NumBanks = config->NumRanks = 0;
    return HSAKMT_STATUS_SUCCESS;
}

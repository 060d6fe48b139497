/* Core files of a host process, which writes them itself (object/kfd_wire.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/gcn/process_ask.h"

/* The path is made absolute: the process may have another working directory. */
static enum wt_status whole_path(const char *path, char *whole, size_t size, struct wt_error *err)
{
    char folder[4096] = "";
    if (*path != '/' && !getcwd(folder, sizeof folder))
        return wt_fail(err, WT_IO, "the folder of %.200s: %s", path, strerror(errno));
    if (snprintf(whole, size, "%s%s%s", folder, *folder ? "/" : "", path) >= (int)size)
        return wt_fail(err, WT_INVALID, "%.200s…: the name of the file is too long", path);
    return WT_OK;
}

/* Finds the GPU of a wave, and replaces the wave's number by its number within that GPU. */
static enum wt_status find_gpu(struct wt_gcn_process *p, uint32_t *wave, uint32_t *gpu,
                               struct wt_error *err)
{
    const struct wt_gcn_link *l = wt_gcn_process_link(p);
    struct kfd_device_entry device[KFD_DEBUG_DEVICES];
    uint32_t count;
    const enum wt_status status =
        l->ops->devices(l->context, device, KFD_DEBUG_DEVICES, &count, err);
    *gpu = 0;
    if (status || *wave == WT_NO_HANDLE)
        return status;
    for (; *gpu + 1 < count; (*gpu)++) {
        const uint32_t waves = device[*gpu].simd_count * device[*gpu].max_waves_per_simd;
        if (*wave < waves)
            break;
        *wave -= waves;
    }
    return WT_OK;
}

static struct kfd_wire_patch wire_patch(const struct wt_patch *from)
{
    struct kfd_wire_patch to = {.addr = from->addr, .size = (uint32_t)from->size};
    _Static_assert(sizeof to.bytes == WT_PATCH_BYTES, "a patch is one of the debugger's");
    memcpy(to.bytes, from->bytes, sizeof to.bytes);
    memcpy(to.mask, from->mask, sizeof to.mask);
    return to;
}

/* All but the path. The breakpoints follow. */
static void fill_in(struct kfd_wire_core *core, const struct wt_core_file_request *request)
{
    uint8_t *to = (uint8_t *)(core + 1);
    core->wave = request->wave;
    core->lane = request->lane;
    core->issues = request->issues;
    core->planted = (uint32_t)request->planted_count;
    snprintf(core->reason, sizeof core->reason, "%s", request->text);
    for (size_t i = 0; i < request->planted_count; i++, to += sizeof(struct kfd_wire_planted)) {
        const struct wt_planted *from = &request->planted[i];
        const struct kfd_wire_planted planted = {.addr = from->addr,
                                                 .time = from->time,
                                                 .trap = wire_patch(&from->trap),
                                                 .original = wire_patch(&from->original)};
        memcpy(to, &planted, sizeof planted);
    }
}

static enum wt_status save(void *context, const struct wt_core_file_request *request,
                           struct wt_error *err)
{
    struct wt_gcn_process *p = context;
    struct kfd_wire_core *core;
    struct kfd_wire_request asked = {.kind = KFD_WIRE_CORE};
    struct kfd_wire_answer answer;
    char why[512] = "";
    enum wt_status status;
    const size_t size = sizeof *core + request->planted_count * sizeof(struct kfd_wire_planted);
    if (size > KFD_WIRE_MOST)
        return wt_fail(err, WT_UNSUPPORTED, "a core file has no room for %zu breakpoints",
                       request->planted_count);
    if (!(core = calloc(1, size)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a core file");
    asked.size = (uint32_t)size;
    fill_in(core, request);
    if ((status = whole_path(request->path, core->path, sizeof core->path, err)) == WT_OK &&
        (status = find_gpu(p, &core->wave, &asked.gpu, err)) == WT_OK)
        status = gcnp_ask(p, &asked, core, &answer, why, sizeof why, err);
    free(core);
    if (status)
        return status;
    why[sizeof why - 1] = 0;
    return answer.result < 0 ? wt_fail(err, WT_IO, "%s", *why ? why : "the core file was refused")
                             : WT_OK;
}

void wt_gcn_process_offer_core_files(struct wt_target_services *services)
{
    services->save_core_file = save;
}

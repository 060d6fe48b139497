/*
 * The driver of GPUs for debuggers of a process with libcuda (object/process_wire.h,
 * object/sm_wire.h). When a debugger goes, in whatever way, its breakpoints are lifted, and warps
 * that it held go on.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/common/own_memory.h"
#include "runtime/common/serve.h"
#include "runtime/cuda/debug.h"
#include "runtime/cuda/final_memory.h"
#include "runtime/cuda/gpu_internal.h"
#include "runtime/cuda/state.h"

#define BPT_TRAP_1 UINT64_C(0xe3a00000001000c0)

static struct {
    struct gpu *const *gpu;
    unsigned gpu_count;
} server;

static struct gpu *gpu_at(uint32_t number)
{
    return number < server.gpu_count ? server.gpu[number] : NULL;
}

static struct sm_device *device_of(uint32_t number)
{
    return number < server.gpu_count ? server.gpu[number]->device : NULL;
}

/* ---- memory ---- */

/* The GPU that an address belongs to; of memory of the host, the first one. */
static struct gpu *owner_of(uint64_t addr)
{
    struct gpu *g = gpu_at(number_of(addr));
    return g ? g : gpu_at(0);
}

/* Memory of the process. The device decodes code anew that was written. */
static bool copy_own(uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    return wt_own_memory_copy(addr, bytes, size, out) == size &&
           (out || sm_device_write(owner_of(addr)->device, addr, bytes, size));
}

/* A GPU that is recorded has a copy of memory. */
static bool copy_process(uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    struct wt_recording *r = owner_of(addr)->recording;
    if (!wt_recording_on(r))
        return copy_own(addr, bytes, size, out);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done;
        if (!(out ? wt_recording_read(r, addr + done, bytes + done, &part)
                  : wt_recording_write(r, addr + done, bytes + done, &part)) &&
            !copy_own(addr + done, bytes + done, part, out))
            return false;
    }
    return true;
}

static bool copy(void *context, const struct wt_wire_request *r, uint8_t *bytes, size_t size,
                 bool out)
{
    struct sm_warp_state warp;
    struct sm_device *d = device_of(r->device);
    const bool windows = r->addr - SM_SHARED_WINDOW < 2 * SM_WINDOW_BYTES;
    static_assert(SM_SHARED_WINDOW + SM_WINDOW_BYTES == SM_LOCAL_WINDOW, "they are neighbours");
    if (!windows || !d || !sm_warp_state(d, r->wave, &warp))
        return copy_process(r->addr, bytes, size, out);
    return wt_hosted_copy(&gpu_at(r->device)->hosted, r, bytes, size, out);
}

static uint64_t breakpoint(void *context, const struct wt_wire_request *r, uint64_t bytes,
                           uint64_t original)
{
    return r->follows == 8 && bytes == BPT_TRAP_1 ? UINT64_MAX : 0;
}

/* ---- the debugger goes ---- */

static void let_go(void *context)
{
    for (uint32_t i = 0; i < server.gpu_count; i++)
        sm_device_release(device_of(i));
}

/* ---- requests ---- */

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    for (unsigned i = 0; i < server.gpu_count; i++)
        hello->units[i] = gpu_sms(server.gpu[i]);
}

static const struct wt_fault *fault(void *context, const struct wt_wire_request *r)
{
    const struct gpu *g = gpu_at(r->device);
    struct wt_fault *f = wt_hosted_has(&g->hosted, r) ? sm_wave_fault(g->machine, r->wave) : NULL;
    if (f)
        gpu_note_fault_memory(g, f);
    return f;
}

/* ---- the family's own requests ---- */

static void list_modules(struct wt_wire_answer *answer, uint8_t *bytes)
{
    size_t count;
    const struct debug_module *list = debug_modules(&count, &answer->value[0]);
    const size_t most = WT_WIRE_MOST / sizeof list->wire;
    for (size_t i = 0; i < count && i < most; i++)
        memcpy(bytes + i * sizeof list->wire, &list[i].wire, sizeof list->wire);
    answer->size = (uint32_t)((count < most ? count : most) * sizeof list->wire);
}

/* Makes an ELF file of a cubin that was read into parts. */
static int32_t read_text(const struct wt_wire_request *r, struct wt_wire_answer *answer,
                         uint8_t *bytes)
{
    size_t count, length;
    uint64_t state;
    uint8_t *cubin = NULL;
    const struct debug_module *list = debug_modules(&count, &state);
    while (count && list->wire.id != r->addr)
        list++, count--;
    const struct gpu_module *m = count ? list->module : NULL;
    if (!m || (m->count ? r->number >= m->count
                        : cubin_write(&m->cubin, &cubin, &length, WT_IGNORED) != WT_OK))
        return -ENOENT;
    const void *text = m->count ? (void *)m->text[r->number].text->text : cubin;
    if (m->count)
        length = strlen(text);
    const size_t left = r->value < length ? length - (size_t)r->value : 0;
    answer->size = (uint32_t)(left < r->size ? left : r->size);
    memcpy(bytes, (const uint8_t *)text + (length - left), answer->size);
    free(cubin);
    return 0;
}

/* A warp's mistake ends its kernel. */
static int32_t fail(struct sm_device *d, uint32_t warp)
{
    struct sm_warp_state state;
    if (!sm_warp_state(d, warp, &state))
        return -EINVAL;
    if (!state.error.kind) /* it stands behind a trap of its own */
        state.error =
            (struct wt_fault){.kind = WT_FAULT_TRAP,
                              .wave = warp,
                              .lanes = state.active,
                              .pc = sm_pc_before(state.pc),
                              .text = "trap (BPT.TRAP 0x1), and there is no trap handler"};
    wt_gate_fail(cuda_gate(), &state.error);
    wt_gate_poke(cuda_gate());
    return 0;
}

static int32_t own(void *context, const struct wt_wire_request *r, struct wt_wire_answer *answer,
                   uint8_t *bytes)
{
    struct sm_wire_launch launch;
    uint32_t size = 0;
    switch ((enum sm_wire_verb)r->verb) {
    case SM_WIRE_LAUNCH:
        launch = debug_launch();
        answer->size = sizeof launch;
        memcpy(bytes, &launch, sizeof launch);
        return 0;
    case SM_WIRE_BANK:
        if (!debug_bank(r->number, &answer->value[0], &size))
            return -EINVAL;
        answer->value[1] = size;
        return 0;
    case SM_WIRE_WAIT:
        wt_gate_wait(cuda_gate(), WT_WIRE_WAIT_MS);
        return 0;
    case SM_WIRE_FAIL:
        return fail(device_of(r->device), r->wave);
    case SM_WIRE_MODULES:
        list_modules(answer, bytes);
        return 0;
    case SM_WIRE_TEXT:
        return read_text(r, answer, bytes);
    default:
        return -ENOSYS;
    }
}

/* ---- the conversation ---- */

static void forked(void)
{
    *cuda_final_memory() = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    *cuda_planted() = (struct wt_planted_list)WT_PLANTED_NONE;
}

static const struct wt_server_driver driver = {.kind = SM_WIRE_SOCKET,
                                               .family = SM_WIRE_FAMILY,
                                               .let_go = let_go,
                                               .forked = forked,
                                               .hello = hello,
                                               .copy = copy,
                                               .breakpoint = breakpoint,
                                               .tells_waiters = true,
                                               .fault = fault,
                                               .own = own,
                                               .serve = sm_serve};

void endpoint_start(struct gpu *const *gpus, unsigned count)
{
    struct wt_hosted *hosted[STATE_MOST_GPUS];
    static_assert(STATE_MOST_GPUS <= WT_WIRE_DEVICES, "the greeting has room for all");
    for (unsigned i = 0; i < count; i++)
        hosted[i] = &gpus[i]->hosted;
    server.gpu = gpus;
    server.gpu_count = count;
    wt_server_start(&driver, NULL, cuda_gate(), hosted, count, 0);
}

/* See core_file.h. */
#include "runtime/cuda/core_file.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/common/own_memory.h"
#include "runtime/cuda/debug.h"
#include "runtime/cuda/final_memory.h"
#include "runtime/cuda/gpu_internal.h"

/* Memory as the GPU has it at the timeline's time. Pages that it has not come to in the recorded
 * run are the process's; the run does not depend on them. */
static bool read_recorded(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct gpu *g = context;
    struct wt_machine *m = sm_machine(g->device);
    for (size_t done = 0, part; done < size; done += part) {
        const size_t room = (size_t)(WT_PAGE_SIZE - (addr + done) % WT_PAGE_SIZE);
        part = size - done < room ? size - done : room;
        if (wt_recording_has_page(g->recording, addr + done)
                ? !m->ops->read_memory(m, 0, 0, addr + done, bytes + done, part)
                : !wt_own_memory_read(addr + done, bytes + done, part))
            return false;
    }
    return true;
}

static void print_config(void *context, char *text, size_t size)
{
    sm_config_print(&((const struct gpu *)context)->config, text, size);
}

static void write_ptx(const struct gpu_module *m, uint64_t id, struct wt_core_writer *w,
                      struct wt_archive *a)
{
    struct wt_core_program program = {
        .code = m->code, .data = m->data, .count = (uint32_t)m->count};
    wt_core_begin_section(w, "PTXT");
    wt_core_program(a, &program);
    for (size_t i = 0; i < m->count; i++) {
        struct wt_core_text text = {.text = (const uint8_t *)m->text[i].text->text,
                                    .length = strlen(m->text[i].text->text)};
        sm_wire_text_name(text.name, sizeof text.name, id, (uint32_t)i, program.count);
        wt_core_program_text(a, &text);
    }
    wt_core_end_section(w);
}

static void write_cubin(const struct gpu_module *m, uint64_t id, struct wt_core_writer *w,
                        struct wt_archive *a)
{
    uint8_t *bytes;
    size_t length;
    struct wt_core_module module = {.bias = m->code};
    if (cubin_write(&m->cubin, &bytes, &length, WT_IGNORED) != WT_OK)
        return;
    snprintf(module.name, sizeof module.name, "cubin %llu", (unsigned long long)id);
    module.bytes = bytes;
    module.length = length;
    wt_core_begin_section(w, "MODL");
    wt_core_module(a, &module);
    wt_core_end_section(w);
    free(bytes);
}

static void write_modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
    const struct gpu *g = context;
    uint64_t state;
    size_t count;
    const struct debug_module *list = debug_modules(&count, &state);
    for (size_t i = 0; i < count; i++) {
        if (list[i].wire.device != g->number)
            continue;
        if (list[i].module->count)
            write_ptx(list[i].module, list[i].wire.id, w, a);
        else
            write_cubin(list[i].module, list[i].wire.id, w, a);
    }
}

static struct wt_recording *recording(void *context)
{
    return ((const struct gpu *)context)->recording;
}

static bool write_state(void *context, struct wt_archive *a)
{
    const struct wt_host_archive in_host = {.read = cuda_read_plain};
    return sm_archive_in_host(((struct gpu *)context)->device, a, &in_host);
}

static void write_recorded(struct wt_machine *m, struct wt_archive *a)
{
    struct sm_device *device = (struct sm_device *)m;
    struct gpu *g = wt_recording_gpu_of(sm_machine(device)->process.copy);
    struct wt_host_archive in_host = {.read = read_recorded, .context = g};
    if (!wt_recording_shared_pages(g->recording, &in_host.shared) ||
        !sm_archive_in_host(device, a, &in_host))
        wt_archive_fail(a, "the program has no host memory for that");
    wt_shared_pages_free(&in_host.shared);
}

const struct wt_host_core_ops cuda_core_ops = {.family = "sm",
                                               .config = print_config,
                                               .modules = write_modules,
                                               .recording = recording,
                                               .state = write_state,
                                               .recorded = write_recorded,
                                               .operations = sm_operations};

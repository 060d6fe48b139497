/* See core_file.h. */
#include "runtime/cuda/core_file.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/debug.h"
#include "runtime/cuda/gpu_internal.h"

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
    char name[48];
    if (cubin_write(&m->cubin, &bytes, &length, WT_IGNORED) != WT_OK)
        return;
    snprintf(name, sizeof name, "cubin %llu", (unsigned long long)id);
    wt_host_core_module(w, a, name, m->code, bytes, length);
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

const struct wt_host_core_ops cuda_core_ops = {.family = "sm",
                                               .profile = SM_PROFILE,
                                               .table = &sm_config_table,
                                               .modules = write_modules,
                                               .operations = sm_operations};

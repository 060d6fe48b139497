/* See sm_core.h. */
#include "target/sm_core.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sm/sass/isa.h"

void wt_sm_core_write(const struct wt_sm_ptx *program, uint64_t code, uint64_t data,
                      struct wt_core_writer *w, struct wt_archive *a)
{
    struct wt_core_program p = {.code = code, .data = data, .count = (uint32_t)program->count};
    wt_core_begin_section(w, "PTXT");
    wt_core_program(a, &p);
    for (size_t i = 0; i < program->count; i++) {
        struct wt_core_text text = {.text = (const uint8_t *)program->module[i].text->text,
                                    .length = strlen(program->module[i].text->text)};
        snprintf(text.name, sizeof text.name, "%s", program->module[i].name);
        wt_core_program_text(a, &text);
    }
    wt_core_end_section(w);
}

static enum wt_status take_text(struct wt_archive *a, struct wt_sm_ptx *program,
                                struct wt_error *err)
{
    enum wt_status status;
    struct wt_core_text text;
    wt_core_program_text(a, &text);
    char *copy = a->failed ? NULL : malloc(text.length + 1);
    if (!copy)
        return a->failed ? wt_fail(err, WT_INVALID, "%s", a->why)
                         : wt_fail(err, WT_NO_MEMORY, "no host memory for a program of PTX");
    memcpy(copy, text.text, text.length);
    copy[text.length] = 0;
    status = wt_sm_ptx_add(program, text.name, copy, text.length, err);
    free(copy);
    return status;
}

enum wt_status wt_sm_core_take(struct wt_archive *a, struct sm_device *device,
                               struct wt_modules *modules, struct wt_sm_ptx *program,
                               struct wt_error *err)
{
    struct wt_core_program p;
    enum wt_status status = WT_OK;
    wt_core_program(a, &p);
    if (p.code % SM_BUNDLE || p.data % 256 || (p.code | p.data) >> 47)
        wt_archive_fail(a, "a program is where none can be");
    if (a->failed)
        return wt_fail(err, WT_INVALID, "%s", a->why);
    for (uint32_t i = 0; i < p.count && !status; i++)
        status = take_text(a, program, err);
    if (status || (status = wt_sm_ptx_link(program, p.code, p.data, err)) != WT_OK ||
        (device && (status = sm_device_attach_ptx(device, program->image, err)) != WT_OK))
        return status;
    return wt_sm_ptx_add_module(program, modules, NULL, err);
}

struct texts {
    struct wt_sm_ptx program;
    struct wt_modules *modules;
    bool taken;
};

void wt_sm_core_text(void **kept, struct wt_archive *a, uint64_t pc, uint64_t word, char *text,
                     size_t size)
{
    struct texts *t = *kept;
    struct wt_error err;
    if (!t && (t = *kept = calloc(1, sizeof *t))) {
        t->modules = wt_modules_new();
        t->taken = t->modules && wt_sm_core_take(a, NULL, t->modules, &t->program, &err) == WT_OK;
    }
    if (t && t->taken)
        sm_ptx_instruction_text(t->program.image, pc, word, text, size);
}

void wt_sm_core_text_end(void *kept)
{
    struct texts *t = kept;
    if (!t)
        return;
    wt_sm_ptx_free(&t->program);
    wt_modules_free(t->modules);
    free(t);
}

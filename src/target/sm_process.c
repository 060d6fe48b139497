/*
 * Host programs on SMs, and the modules that they have loaded. A module of PTX is sent as its
 * texts, which are linked here as the program has linked them: to the same addresses. See
 * sm_process.h.
 */
#include "target/sm_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/sm/process.h"
#include "emulator/sm/sass/isa.h"

#define DATA_ALIGNMENT 256u /* sm_ptx_link() */
#define MOST_TEXTS 4096u    /* most texts of a module: linked programs have some dozens */

static enum wt_status add_texts(struct wt_process *p, const struct sm_wire_module *m,
                                struct wt_sm_ptx *ptx, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (!m->texts || m->texts > MOST_TEXTS)
        return wt_fail(err, WT_INVALID, "a module of %u texts", (unsigned)m->texts);
    if (m->code % SM_BUNDLE || m->data % DATA_ALIGNMENT)
        return wt_fail(err, WT_INVALID, "a module at addresses where there is none");
    for (uint32_t i = 0; i < m->texts && !status; i++) {
        char *text, name[48];
        size_t length;
        if ((status = wt_sm_process_text(p->wire, m, i, &text, &length, err)) != WT_OK)
            return status;
        sm_wire_text_name(name, sizeof name, m->id, i, m->texts);
        status = wt_sm_ptx_add(ptx, name, text, length, err);
        free(text);
    }
    return status;
}

static enum wt_status add_ptx(struct wt_process *p, const struct sm_wire_module *m,
                              struct wt_sm_loaded *loaded, struct wt_error *err)
{
    enum wt_status status;
    if ((status = add_texts(p, m, &loaded->ptx, err)) == WT_OK &&
        (status = wt_sm_ptx_link(&loaded->ptx, m->code, m->data, err)) == WT_OK)
        status = wt_sm_ptx_add_module(&loaded->ptx, p->modules, &loaded->of.module, err);
    if (status)
        wt_sm_ptx_free(&loaded->ptx);
    return status;
}

static enum wt_status add_cubin(struct wt_process *p, const struct sm_wire_module *m,
                                struct wt_sm_loaded *loaded, struct wt_error *err)
{
    char *bytes, name[48];
    size_t length;
    enum wt_status status = wt_sm_process_text(p->wire, m, 0, &bytes, &length, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "cubin %llu", (unsigned long long)m->id);
    status = wt_modules_add_bytes(p->modules, name, (const uint8_t *)bytes, length, m->code, 0,
                                  &loaded->of.module, err);
    free(bytes);
    return status;
}

static enum wt_status add_module(struct wt_process *p, void *record, void *entry,
                                 struct wt_error *err)
{
    const struct sm_wire_module *m = record;
    return m->is_cubin ? add_cubin(p, m, entry, err) : add_ptx(p, m, entry, err);
}

static void drop_module(void *entry)
{
    wt_sm_ptx_free(&((struct wt_sm_loaded *)entry)->ptx);
}

static const struct wt_code_list_ops loaded_ops = {.verb = SM_WIRE_MODULES,
                                                   .record_bytes = sizeof(struct sm_wire_module),
                                                   .entry_bytes = sizeof(struct wt_sm_loaded),
                                                   .add = add_module,
                                                   .drop = drop_module};

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    return wt_process_follow(p, &loaded_ops, p->code, err);
}

/* ---- operations ---- */

static enum wt_status begin(struct wt_process *p, struct wt_error *err)
{
    wt_modules_set_bundles(p->modules, SM_BUNDLE, 8);
    p->code = calloc(1, sizeof(struct wt_code_list));
    if (!p->code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of modules");
    p->wire->wait = SM_WIRE_WAIT;
    return WT_OK;
}

/* PTX has its text in its module; machine code is decoded. */
static unsigned instruction_text(struct wt_process *p, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size)
{
    const struct wt_code_list *o = p->code;
    if (available < 8)
        return 0;
    if (sm_is_control(pc)) {
        snprintf(text, size, "(control)");
        return 8;
    }
    const uint64_t word = wt_load_le(bytes, 8);
    const struct wt_sm_loaded *loaded = o ? o->entry : NULL;
    bool found = false;
    for (size_t i = 0; o && i < o->count && !found; i++)
        found = loaded[i].ptx.image &&
                sm_ptx_instruction_text(loaded[i].ptx.image, pc, word, text, size);
    if (!found)
        sm_disassemble(word, pc, 0, text, size);
    return (unsigned)(sm_next_pc(pc) - pc);
}

static bool code_register(struct wt_process *p, uint64_t pc, size_t n, struct wt_code_register *reg)
{
    const struct wt_code_list *o = p->code;
    const struct wt_sm_loaded *loaded = o ? o->entry : NULL;
    bool found = false;
    for (size_t i = 0; o && i < o->count && !found; i++)
        found = wt_sm_ptx_code_register(loaded[i].ptx.image, pc, n, reg);
    return found;
}

static void free_code(void *code)
{
    struct wt_code_list *o = code;
    for (size_t i = 0; i < o->count; i++)
        drop_module((struct wt_sm_loaded *)o->entry + i);
    free(o->entry);
    free(o);
}

const struct wt_process_ops wt_sm_process_ops = {.socket = SM_WIRE_SOCKET,
                                                 .wire = SM_WIRE_FAMILY,
                                                 .own_bytes = sizeof(struct wt_process_link),
                                                 .lanes = 32,
                                                 .begin = begin,
                                                 .offer = wt_process_link_offer_detail,
                                                 .show_file = wt_sm_show_file,
                                                 .free_code = free_code,
                                                 .refresh = refresh,
                                                 .instruction_text = instruction_text,
                                                 .code_register = code_register};

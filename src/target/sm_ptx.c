/* Programs of PTX: texts, image, symbols. See sm_ptx.h. */
#include "target/sm_ptx.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/sm/sm.h"

enum wt_status wt_sm_ptx_add(struct wt_sm_ptx *p, const char *name, const char *text, size_t length,
                             struct wt_error *err)
{
    struct sm_ptx_module *grown = wt_array_grow(p->module, &p->room, p->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    p->module = grown;
    struct ptx_module *tree = calloc(1, sizeof *tree);
    char *copy = strdup(name);
    enum wt_status status = tree && copy ? ptx_parse(name, text, length, tree, err)
                                         : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (status) {
        free(tree);
        free(copy);
        return status;
    }
    grown[p->count++] = (struct sm_ptx_module){.name = copy, .text = tree};
    return WT_OK;
}

enum wt_status wt_sm_ptx_link(struct wt_sm_ptx *p, uint64_t code, uint64_t data,
                              struct wt_error *err)
{
    assert(p->count && !p->image);
    return sm_ptx_link(p->module, p->count, code, data, &p->image, err);
}

void wt_sm_ptx_free(struct wt_sm_ptx *p)
{
    sm_ptx_free(p->image);
    for (size_t i = 0; i < p->count; i++) {
        struct ptx_module *tree = (struct ptx_module *)p->module[i].text;
        ptx_free(tree);
        free(tree);
        free((char *)p->module[i].name);
    }
    free(p->module);
    *p = (struct wt_sm_ptx){0};
}

/* ---- registers ---- */

/* A register whose value is this dword or more of each lane in the frame. */
static void put_slot(struct wt_code_register *to, const char *type, uint32_t slot, unsigned bytes)
{
    snprintf(to->expression, sizeof to->expression, "*(%s *)(0x%llx + %u * $frame + %u * $_lane)",
             type, WT_SM_FILE_WINDOW + (unsigned long long)slot, WT_SM_FILE_ROW, bytes);
}

/* A kernel's parameter is in the block of arguments, a function's dword for dword in registers. */
static bool put_parameter(const struct sm_ptx *image, uint64_t pc, size_t n,
                          struct wt_code_register *to)
{
    struct sm_ptx_part part;
    if (!sm_ptx_parameter_at(image, pc, n, &part))
        return false;
    to->parameter = part.number + 1;
    to->at_launch = part.is_kernels;
    to->offset = part.offset;
    to->bytes = part.is_kernels ? part.size : 4;
    snprintf(to->name, sizeof to->name, "%s", part.name);
    if (part.is_kernels)
        return true;
    put_slot(to, "unsigned int", part.slot, 4);
    return true;
}

/* The frame's part of the warp's register file, in which a register has its lanes one behind the
 * other. */
bool wt_sm_ptx_code_register(const struct sm_ptx *image, uint64_t pc, size_t n,
                             struct wt_code_register *to)
{
    struct sm_ptx_register r;
    size_t registers = 0;
    if (!image)
        return false;
    *to = (struct wt_code_register){.is_mask = false};
    if (!sm_ptx_register_at(image, pc, n, &r)) {
        /* Behind them is what a call has just returned, then the parameters. */
        while (sm_ptx_register_at(image, pc, registers, &r))
            registers++;
        n -= registers;
        if (!sm_ptx_result_at(image, pc, n, &r)) {
            for (registers = 0; sm_ptx_result_at(image, pc, registers, &r);)
                registers++;
            return put_parameter(image, pc, n - registers, to);
        }
    }
    const char *type = r.is_float     ? (r.bytes == 8 ? "double" : "float")
                       : r.bytes == 8 ? "unsigned long"
                                      : "unsigned int";
    snprintf(to->name, sizeof to->name, "%s", r.name);
    put_slot(to, type, r.slot, r.bytes);
    to->is_mask = !r.bytes;
    return true;
}

/* ---- the module ---- */

enum wt_status wt_sm_ptx_add_module(const struct wt_sm_ptx *p, struct wt_modules *modules,
                                    wt_module_id *id, struct wt_error *err)
{
    uint8_t *bytes = NULL;
    size_t length;
    bool *is_source = calloc(p->count, sizeof *is_source);
    enum wt_status status =
        is_source ? sm_ptx_elf(p->image, p->module, p->count, is_source, &bytes, &length, err)
                  : wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < p->count && !status; i++) {
        const char *text = p->module[i].text->text;
        if (is_source[i])
            status = wt_modules_add_text(modules, p->module[i].name, text, strlen(text), err);
    }
    if (!status)
        status = wt_modules_add_bytes(modules, p->module[0].name, bytes, length, 0, 0, id, err);
    free(bytes);
    free(is_source);
    return status;
}

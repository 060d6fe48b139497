/*
 * Links modules of PTX: the addresses and contents of variables and functions (manual 5.1, 5.4),
 * and the resulting image.
 */
#include "emulator/sm/ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/cubin.h"

/* The size of an array of unknown size in shared memory is given by the launch (5.4.4). */
static bool is_dynamic(const struct ptx_variable *v)
{
    return v->space == PTX_SPACE_SHARED && v->linkage == PTX_EXTERN && v->bytes == 0;
}

/* ---- variables ---- */

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

static bool add_image_symbol(struct ptx_linker *l, const struct ptx_symbol *s)
{
    struct sm_ptx *image = l->image;
    struct sm_ptx_symbol *grown =
        wt_array_grow(image->symbol, &image->symbol_room, image->symbol_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(l);
    image->symbol = grown;
    char *name = strndup(s->name.at, s->name.length);
    if (!name)
        return ptx_out_of_memory(l);
    grown[image->symbol_count++] =
        (struct sm_ptx_symbol){.name = name,
                               .address = s->address,
                               .size = s->variable->bytes,
                               .is_constant = s->variable->space == PTX_SPACE_CONST};
    return true;
}

static bool add_placed(struct ptx_linker *l, struct ptx_symbol *s)
{
    struct sm_ptx *image = l->image;
    struct sm_ptx_placed *grown =
        wt_array_grow(image->placed, &image->placed_room, image->placed_count + 1, sizeof *grown);
    uint8_t *bytes = calloc(1, s->variable->bytes + 1);
    if (grown)
        image->placed = grown;
    if (!grown || !bytes) {
        free(bytes);
        return ptx_out_of_memory(l);
    }
    s->info = (uint32_t)image->placed_count++;
    grown[s->info] =
        (struct sm_ptx_placed){.address = s->address, .size = s->variable->bytes, .bytes = bytes};
    return true;
}

/* Where the initial value of a variable of global or constant memory is put together. */
static uint8_t *initial_bytes(const struct sm_ptx *image, const struct ptx_symbol *s)
{
    return s->placed ? image->placed[s->info].bytes : image->bytes + (s->address - image->data);
}

/* Global and constant variables; constants first, so that a range of addresses is theirs. */
static bool place_variables(struct ptx_linker *l)
{
    uint64_t at = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < l->symbol_count; i++) {
            struct ptx_symbol *s = &l->symbol[i];
            if (!s->variable || s->definition != s || !ptx_is_definition(s))
                continue;
            const enum ptx_space space = s->variable->space;
            if (space != (pass ? PTX_SPACE_GLOBAL : PTX_SPACE_CONST))
                continue;
            if (s->placed) {
                if (!add_image_symbol(l, s) || !add_placed(l, s))
                    return false;
                continue;
            }
            at = align_up(at, s->variable->align < 8 ? 8 : s->variable->align);
            s->address = l->image->data + at;
            at += s->variable->bytes;
            if (at > UINT64_C(1) << 32)
                return ptx_mistake(l, s->module, s->variable->place, WT_INVALID,
                                   "variables of more than 4 GiB");
            if (!add_image_symbol(l, s))
                return false;
        }
        at = align_up(at, 256);
        if (!pass)
            l->image->constant_bytes = at;
    }
    l->image->byte_count = at;
    l->image->bytes = calloc(1, at + 1);
    return l->image->bytes || ptx_out_of_memory(l);
}

static bool initialise(struct ptx_linker *l, const struct ptx_symbol *s)
{
    const struct ptx_variable *v = s->variable;
    const struct ptx_module *text = l->module[s->module].text;
    uint8_t *to = initial_bytes(l->image, s);
    for (uint32_t i = 0; i < v->initial_count; i++) {
        const struct ptx_initial *item = &text->initial[v->initial + i];
        uint64_t value = item->value;
        if (item->symbol.length) {
            const struct ptx_symbol *o = ptx_find_symbol(l, s->module, item->symbol);
            if (!o)
                return ptx_mistake(l, s->module, item->place, WT_INVALID, "'%.*s' is not declared",
                                   (int)item->symbol.length, item->symbol.at);
            if (!ptx_check_defined(l, s->module, item->place, o))
                return false;
            if (o->function)
                value += ptx_pc(l->image, l->image->function[o->info].entry);
            else
                value += o->address + (item->generic && o->variable->space == PTX_SPACE_SHARED
                                           ? SM_SHARED_WINDOW
                                           : 0);
        }
        wt_store_le(to + item->offset, value >> item->shift, item->size);
    }
    return true;
}

static bool initialise_all(struct ptx_linker *l)
{
    for (size_t i = 0; i < l->symbol_count; i++) {
        const struct ptx_symbol *s = &l->symbol[i];
        if (!s->variable || s->definition != s || !ptx_is_definition(s))
            continue;
        if (s->variable->space != PTX_SPACE_GLOBAL && s->variable->space != PTX_SPACE_CONST)
            continue;
        if (!initialise(l, s))
            return false;
    }
    return true;
}

/* ---- shared memory ---- */

static void note_use(struct ptx_linker *l, uint32_t module, const struct ptx_function *f,
                     const struct ptx_operand *o)
{
    const struct ptx_module *text = l->module[module].text;
    if (o->kind == PTX_OPERAND_NAME && o->name.length && o->name.at[0] != '%') {
        struct ptx_symbol *s = ptx_find_symbol(l, module, o->name);
        if (s && s->variable && s->variable->space == PTX_SPACE_SHARED) {
            s->common |= !f->is_entry || (s->user && s->user != f);
            s->user = f;
        }
    }
    for (uint32_t i = 0; i < o->count; i++)
        note_use(l, module, f, &text->item[o->list + i]);
}

static void note_inner(struct ptx_linker *l, const struct ptx_module *text,
                       const struct ptx_function *f, const struct ptx_statement *statement)
{
    if (statement->kind != PTX_STATEMENT_VARIABLE)
        return;
    const struct ptx_variable *v = &text->variable[statement->index];
    if (v->space != PTX_SPACE_SHARED)
        return;
    struct ptx_symbol *s = (struct ptx_symbol *)ptx_inner_symbol(l, v);
    s->user = f;
    s->common = !f->is_entry;
}

/*
 * A variable that one kernel alone uses may lie where another kernel has its own; what functions
 * use, or several kernels, or initial values, comes first.
 */
static bool place_shared(struct ptx_linker *l)
{
    uint64_t common = 0;
    for (uint32_t m = 0; m < l->module_count; m++) {
        const struct ptx_module *text = l->module[m].text;
        for (size_t k = 0; k < text->function_count; k++) {
            const struct ptx_function *f = &text->function[k];
            for (uint32_t i = 0; i < f->statement_count; i++) {
                const struct ptx_statement *s = &text->statement[f->statement + i];
                note_inner(l, text, f, s);
                for (uint32_t n = 0; n < s->operand_count; n++)
                    note_use(l, m, f, &text->item[s->operand + n]);
            }
        }
        for (size_t i = 0; i < text->initial_count; i++) {
            struct ptx_symbol *s = text->initial[i].symbol.length
                                       ? ptx_find_symbol(l, m, text->initial[i].symbol)
                                       : NULL;
            if (s && s->variable)
                s->common = true;
        }
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < l->symbol_count; i++) {
            struct ptx_symbol *s = &l->symbol[i];
            if (!s->variable || s->variable->space != PTX_SPACE_SHARED || s->definition != s)
                continue;
            s->dynamic = is_dynamic(s->variable);
            if (s->dynamic || (!s->common && !s->user) || s->common == (pass == 1))
                continue;
            /* Of one kernel: behind its others. */
            uint64_t at = common;
            for (size_t k = 0; pass && k < i; k++) {
                const struct ptx_symbol *o = &l->symbol[k];
                if (o->variable && o->variable->space == PTX_SPACE_SHARED && !o->common &&
                    o->user == s->user && !o->dynamic && o->address + o->variable->bytes > at)
                    at = o->address + o->variable->bytes;
            }
            s->address = align_up(at, s->variable->align);
            if (s->address + s->variable->bytes > UINT32_MAX / 2)
                return ptx_mistake(l, s->module, s->variable->place, WT_INVALID,
                                   "shared memory of more than 2 GiB");
            if (!pass)
                common = s->address + s->variable->bytes;
        }
    }
    l->shared_common = (uint32_t)common;
    return true;
}

static uint32_t shared_of(const struct ptx_linker *l, const struct ptx_function *f)
{
    uint64_t end = l->shared_common;
    for (size_t i = 0; i < l->symbol_count; i++) {
        const struct ptx_symbol *s = &l->symbol[i];
        if (s->variable && s->variable->space == PTX_SPACE_SHARED && s->user == f && !s->common &&
            !s->dynamic && s->address + s->variable->bytes > end)
            end = s->address + s->variable->bytes;
    }
    return (uint32_t)end;
}

/* ---- functions ---- */

static const struct {
    const char *name;
    enum ptx_builtin builtin;
} builtins[] = {
    {"vprintf", PTX_VPRINTF},
    {"malloc", PTX_MALLOC},
    {"free", PTX_FREE},
    {"__assertfail", PTX_ASSERTFAIL},
    {"__cxa_pure_virtual", PTX_PURE_VIRTUAL},
};

static bool add_function(struct ptx_linker *l, struct ptx_symbol *s)
{
    struct sm_ptx *image = l->image;
    struct ptx_function_info *grown = wt_array_grow(image->function, &image->function_room,
                                                    image->function_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(l);
    image->function = grown;
    struct ptx_function_info f = {.name = s->name};
    const struct ptx_module *text = l->module[s->module].text;
    for (uint32_t i = 0; !s->function->is_entry && i < s->function->result_count; i++)
        f.parameter_rows += ptx_dwords(&text->variable[s->function->result + i]);
    for (uint32_t i = 0; !s->function->is_entry && i < s->function->parameter_count; i++)
        f.parameter_rows += ptx_dwords(&text->variable[s->function->parameter + i]);
    if (!s->function->has_body) {
        f.builtin = PTX_UNRESOLVED;
        for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
            if (ptx_name_is(s->name, builtins[i].name))
                f.builtin = builtins[i].builtin;
    }
    s->info = (uint32_t)image->function_count;
    grown[image->function_count++] = f;
    return true;
}

static bool lower_all(struct ptx_linker *l)
{
    for (size_t i = 0; i < l->symbol_count; i++)
        if (l->symbol[i].function && l->symbol[i].definition == &l->symbol[i] &&
            !add_function(l, &l->symbol[i]))
            return false;
    for (size_t i = 0; i < l->symbol_count; i++)
        if (l->symbol[i].function && l->symbol[i].definition == &l->symbol[i] &&
            !ptx_lower(l, &l->symbol[i]))
            return false;
    return true;
}

/* ---- local memory: the deepest way through the calls ---- */

#define RECURSION_BYTES 16384

/* Bytes that a function and its callees take; UINT32_MAX / 2 where it may call itself, or calls
 * what only the run knows. */
static uint32_t local_of(const struct sm_ptx *image, uint32_t function, uint32_t *known,
                         uint8_t *state)
{
    if (state[function] == 2)
        return known[function];
    const struct ptx_function_info *f = &image->function[function];
    const uint32_t unbounded = RECURSION_BYTES;
    uint32_t most = 0;
    if (state[function] == 1)
        return unbounded;
    state[function] = 1;
    for (uint32_t i = f->entry; i < f->end; i++) {
        uint32_t bytes = 0;
        if (image->op[i].run == ptx_op_call)
            bytes = local_of(image, (uint32_t)image->op[i].offset, known, state) + 16;
        else if (image->op[i].run == ptx_op_call_register || image->op[i].run == ptx_op_alloca)
            bytes = unbounded;
        if (bytes > most)
            most = bytes;
    }
    state[function] = 2;
    known[function] = f->local + most;
    if (known[function] > 1 << 20 && f->local < 1 << 20)
        known[function] = 1 << 20;
    return known[function];
}

static bool fill_kernel(struct ptx_linker *l, const struct ptx_symbol *s, uint32_t local)
{
    struct sm_ptx_kernel *k = &l->image->kernel[l->image->kernel_count];
    const struct ptx_function_info *f = &l->image->function[s->info];
    const struct ptx_module *text = l->module[s->module].text;
    *k = (struct sm_ptx_kernel){.name = strndup(s->name.at, s->name.length),
                                .entry = ptx_pc(l->image, f->entry),
                                .end = ptx_pc(l->image, f->end),
                                .is_kernel = s->function->is_entry,
                                .rows = f->rows,
                                .shared = shared_of(l, s->function),
                                .local = local,
                                .frame_local = f->local};
    if (!k->name)
        return ptx_out_of_memory(l);
    l->image->kernel_count++;
    k->exact_threads = s->function->required_threads[0] != 0;
    for (unsigned i = 0; i < 3; i++)
        k->max_threads[i] = s->function->required_threads[0] ? s->function->required_threads[i]
                                                             : s->function->max_threads[i];
    k->parameter = calloc(s->function->parameter_count + 1, sizeof *k->parameter);
    if (!k->parameter)
        return ptx_out_of_memory(l);
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->function->result_count; i++)
        k->result_rows += ptx_dwords(&text->variable[s->function->result + i]);
    if (s->function->result_count == 1)
        k->result = &text->variable[s->function->result];
    for (uint32_t i = 0; i < s->function->parameter_count; i++) {
        const struct ptx_variable *v = &text->variable[s->function->parameter + i];
        struct sm_ptx_parameter *p = &k->parameter[i];
        at = align_up(at, v->align);
        *p = (struct sm_ptx_parameter){.name = strndup(v->name.at, v->name.length),
                                       .offset = (uint32_t)at,
                                       .size = (uint32_t)v->bytes,
                                       .align = v->align,
                                       .is_pointer = v->is_pointer,
                                       .space = v->pointed,
                                       .declared = v};
        if (!p->name)
            return ptx_out_of_memory(l);
        k->parameter_count++;
        at += v->bytes;
        if (at > CUBIN_MOST_PARAMETERS)
            return ptx_mistake(l, s->module, v->place, WT_INVALID,
                               "parameters of more than %u bytes", CUBIN_MOST_PARAMETERS);
    }
    k->parameter_bytes = (uint32_t)at;
    return true;
}

static bool list_kernels(struct ptx_linker *l)
{
    struct sm_ptx *image = l->image;
    uint32_t *known = calloc(image->function_count + 1, sizeof *known);
    uint8_t *state = calloc(image->function_count + 1, 1);
    image->kernel = calloc(image->function_count + 1, sizeof *image->kernel);
    bool good = known && state && image->kernel;
    if (!good)
        ptx_out_of_memory(l);
    for (size_t i = 0; good && i < l->symbol_count; i++) {
        const struct ptx_symbol *s = &l->symbol[i];
        if (s->function && s->definition == s && s->function->has_body)
            good = fill_kernel(l, s, local_of(image, s->info, known, state));
    }
    free(known);
    free(state);
    return good;
}

/* ---- the image ---- */

static bool write_words(struct ptx_linker *l)
{
    struct sm_ptx *image = l->image;
    const size_t bundles = image->op_count / 3 + 1;
    image->word_bytes = bundles * SM_BUNDLE;
    image->words = calloc(1, image->word_bytes);
    if (!image->words)
        return ptx_out_of_memory(l);
    for (size_t b = 0; b < bundles; b++)
        wt_store_le(image->words + b * SM_BUNDLE, UINT64_C(0x001f8000fc0007e0), 8);
    for (uint32_t i = 0; i < image->op_count; i++)
        wt_store_le(image->words + (ptx_pc(image, i) - image->code), ptx_word(image, (uint32_t)i),
                    8);
    return true;
}

enum wt_status sm_ptx_link(const struct sm_ptx_module *modules, size_t count, uint64_t code,
                           uint64_t data, struct sm_ptx **image, struct wt_error *err)
{
    assert(modules && count && image && err && code % SM_BUNDLE == 0 && data % 256 == 0);
    struct ptx_linker l = {.module = modules, .module_count = count, .err = err, .status = WT_OK};
    l.image = calloc(1, sizeof *l.image);
    l.constants = calloc(1, sizeof *l.constants);
    l.form = calloc(PTX_FORMS, sizeof *l.form);
    if (!l.image || !l.constants || !l.form) {
        free(l.image);
        free(l.constants);
        free(l.form);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for a PTX program");
    }
    memset(l.constants->bucket, 0xff, sizeof l.constants->bucket);
    l.image->code = code;
    l.image->data = data;
    bool good = ptx_collect_symbols(&l) && ptx_resolve_symbols(&l);
    if (good)
        ptx_place_symbols(&l);
    good = good && place_variables(&l) && place_shared(&l) && lower_all(&l) && list_kernels(&l) &&
           ptx_list_variables(&l) && initialise_all(&l) && write_words(&l) &&
           (ptx_order_paths(l.image) || ptx_out_of_memory(&l));
    assert(good == (l.status == WT_OK));
    if (good)
        ptx_fill_in_functions(&l);
    free(l.symbol);
    free(l.bucket);
    free(l.constants->value);
    free(l.constants->bytes);
    free(l.constants->next);
    free(l.constants);
    free(l.form);
    if (!good) {
        sm_ptx_free(l.image);
        return l.status;
    }
    *image = l.image;
    return WT_OK;
}

enum wt_status sm_ptx_check_symbols(const struct sm_ptx_module *modules, size_t count,
                                    struct wt_error *err)
{
    struct ptx_linker l = {.module = modules, .module_count = count, .err = err, .status = WT_OK};
    if (ptx_collect_symbols(&l))
        ptx_resolve_symbols(&l);
    free(l.symbol);
    free(l.bucket);
    return l.status;
}

void sm_ptx_free(struct sm_ptx *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->call_count; i++) {
        free(image->call[i].argument);
        free(image->call[i].result);
    }
    for (size_t i = 0; i < image->row_count; i++)
        free(image->row[i]);
    for (size_t i = 0; i < image->kernel_count; i++) {
        for (size_t k = 0; k < image->kernel[i].parameter_count; k++)
            free(image->kernel[i].parameter[k].name);
        free(image->kernel[i].parameter);
        free(image->kernel[i].name);
    }
    for (size_t i = 0; i < image->symbol_count; i++)
        free(image->symbol[i].name);
    for (size_t i = 0; i < image->placed_count; i++)
        free(image->placed[i].bytes);
    for (size_t i = 0; i < image->origin_count; i++)
        free((char *)image->origin[i].variable.name);
    free(image->origin);
    free(image->op);
    free(image->words);
    free(image->bytes);
    free(image->call);
    free(image->function);
    free(image->target);
    free(image->variable);
    free(image->order);
    free(image->place);
    free(image->placed);
    free(image->undefined);
    free(image->undefined_function);
    free(image->reg);
    free(image->row);
    free(image->kernel);
    free(image->symbol);
    free(image);
}

const uint8_t *sm_ptx_code(const struct sm_ptx *image, size_t *size)
{
    *size = image->word_bytes;
    return image->words;
}

uint64_t sm_ptx_data_address(const struct sm_ptx *image)
{
    return image->data;
}

uint64_t sm_ptx_code_address(const struct sm_ptx *image)
{
    return image->code;
}

const uint8_t *sm_ptx_data(const struct sm_ptx *image, size_t *size)
{
    *size = image->byte_count;
    return image->bytes;
}

const char *sm_ptx_undefined(const struct sm_ptx *image)
{
    return image->undefined;
}

const char *sm_ptx_undefined_function(const struct sm_ptx *image)
{
    return image->undefined_function;
}

const struct sm_ptx_placed *sm_ptx_placed(const struct sm_ptx *image, size_t *count)
{
    *count = image->placed_count;
    return image->placed;
}

const struct sm_ptx_kernel *sm_ptx_kernels(const struct sm_ptx *image, size_t *count)
{
    *count = image->kernel_count;
    return image->kernel;
}

const struct sm_ptx_kernel *sm_ptx_find(const struct sm_ptx *image, const char *name)
{
    for (size_t i = 0; i < image->kernel_count; i++)
        if (image->kernel[i].is_kernel && strcmp(image->kernel[i].name, name) == 0)
            return &image->kernel[i];
    return NULL;
}

const struct sm_ptx_symbol *sm_ptx_symbols(const struct sm_ptx *image, size_t *count)
{
    *count = image->symbol_count;
    return image->symbol;
}

bool sm_ptx_line(const struct sm_ptx *image, size_t index, struct sm_ptx_line *line)
{
    if (index >= image->op_count)
        return false;
    const struct ptx_op *o = &image->op[index];
    *line = (struct sm_ptx_line){.address = ptx_pc(image, (uint32_t)index),
                                 .module = o->module,
                                 .file = o->file,
                                 .line = o->line,
                                 .column = o->column,
                                 .text_line = o->place.line,
                                 .begins_function = o->begins};
    return true;
}

void sm_ptx_launch(const struct sm_ptx *image, const struct sm_ptx_kernel *kernel,
                   struct sm_launch *l)
{
    l->registers = 32; /* PTX has as many as it likes: warps of an SM are not limited by them */
    l->rows = kernel->rows;
    l->frame_local = kernel->frame_local;
    l->dynamic = (kernel->shared + 15) / 16 * 16;
    l->constant = image->data;
    l->constant_end = image->data + image->constant_bytes;
}

/* Programs on the emulated SM behind libcuda: PTX and cubins, put into memory. See gpu.h. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "check/names.h"
#include "emulator/machine/origin.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/debug.h"
#include "runtime/cuda/gpu_internal.h"
#include "runtime/cuda/ptx_cache.h"
#include "runtime/symbols/symbols.h"

/* ---- rooms ---- */

/* How many of them so many bytes take; something stays free between two modules. */
static size_t rooms_for(const struct rooms *r, uint64_t size)
{
    return (size_t)(size / r->bytes) + 1;
}

/* The first of so many free rooms from @p from on; r->count: there are none. */
static size_t find_rooms(const struct rooms *r, size_t from, size_t need)
{
    for (size_t at = from, n; at + need <= r->count; at++) {
        for (n = 0; n < need && !r->taken[at + n]; n++)
            ;
        if (n == need)
            return at;
    }
    return r->count;
}

/* Maps memory in the first free rooms where the host has nothing. */
static enum wt_status take(struct gpu *g, struct rooms *r, uint64_t size, bool writable,
                           uint64_t *address, struct wt_error *err)
{
    const size_t need = rooms_for(r, size);
    enum wt_status status =
        wt_fail(err, WT_NO_MEMORY, "no room for %" PRIu64 " bytes beside other modules", size);
    for (size_t at = 0; (at = find_rooms(r, at, need)) < r->count; at++) {
        *address = r->base + at * r->bytes;
        if ((status = gpu_map(g, *address, size, writable, err)) == WT_OK) {
            memset(&r->taken[at], true, need * sizeof r->taken[0]);
            return WT_OK;
        }
    }
    return status;
}

static void give_back(struct rooms *r, uint64_t address, uint64_t size)
{
    memset(&r->taken[(address - r->base) / r->bytes], false,
           rooms_for(r, size) * sizeof r->taken[0]);
}

/* ---- reading ---- */

/* A text, parsed, for the modules that have it. */
struct cuda_text {
    struct ptx_module tree; /* first: what a module points to */
    unsigned users;
};

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static bool add_text(struct gpu_module *m, char *name, struct cuda_text *text)
{
    struct sm_ptx_module *grown = wt_array_grow(m->text, &m->room, m->count + 1, sizeof *grown);
    if (!grown || !name)
        return false;
    m->text = grown;
    grown[m->count++] = (struct sm_ptx_module){.name = name, .text = &text->tree};
    text->users++;
    return true;
}

static void drop_text(struct cuda_text *text)
{
    if (text->users)
        return;
    ptx_free(&text->tree);
    free(text);
}

enum wt_status gpu_module_add(struct gpu_module *m, const char *name, const char *text, size_t size,
                              struct wt_error *err)
{
    assert(!m->cubin.function_count);
    struct cuda_text *parsed = calloc(1, sizeof *parsed);
    enum wt_status status =
        parsed ? ptx_cache_parse(name, text, size, &parsed->tree, err) : no_memory(err);
    if (status) {
        free(parsed);
        return status;
    }
    char *copy = strdup(name);
    if (add_text(m, copy, parsed))
        return WT_OK;
    free(copy);
    drop_text(parsed);
    return no_memory(err);
}

enum wt_status gpu_module_share(struct gpu_module *m, const struct gpu_module *from,
                                struct wt_error *err)
{
    for (size_t i = 0; i < from->count; i++) {
        char *copy = strdup(from->text[i].name);
        if (!add_text(m, copy, (struct cuda_text *)from->text[i].text)) {
            free(copy);
            return no_memory(err);
        }
    }
    return WT_OK;
}

enum wt_status gpu_module_take(const struct gpu *g, struct gpu_module *m, const uint8_t *bytes,
                               size_t size, struct wt_error *err)
{
    enum wt_status status;
    assert(!m->count && !m->cubin.function_count);
    if ((status = cubin_parse("a cubin", bytes, size, &m->cubin, err)) != WT_OK)
        return status;
    if (m->cubin.sm / 10 == g->config.cc / 10)
        return WT_OK;
    status = wt_fail(err, WT_UNSUPPORTED,
                     "a cubin for sm_%u, on a GPU of compute capability %u.%u; say -g sm:cc=%u.%u",
                     m->cubin.sm, g->config.cc / 10, g->config.cc % 10, m->cubin.sm / 10,
                     m->cubin.sm % 10);
    cubin_free(&m->cubin);
    return status;
}

/* ---- loading ---- */

static enum wt_status put(struct gpu *g, uint64_t address, const void *bytes, uint64_t size,
                          struct wt_error *err)
{
    return !size || sm_device_write(g->device, address, bytes, size)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no memory for a module");
}

/* Whether all symbols are defined that an image needs to run. */
static enum wt_status check_defined(const struct sm_ptx *image, struct wt_error *err)
{
    const char *undefined = sm_ptx_undefined(image);
    if (!undefined)
        undefined = sm_ptx_undefined_function(image);
    return undefined ? wt_fail(err, WT_INVALID, "%s", undefined) : WT_OK;
}

/* Addresses for an image that is not loaded. */
enum { NO_CODE = 0x100000, NO_DATA = 0x100000 };

enum wt_status gpu_module_check(const struct gpu_module *m, bool *duplicate, struct wt_error *err)
{
    enum wt_status status;
    struct sm_ptx *image;
    assert(m->count);
    *duplicate = false;
    if ((status = sm_ptx_link(&m->text[m->count - 1], 1, NO_CODE, NO_DATA, &image, err)) != WT_OK)
        return status;
    sm_ptx_free(image);
    status = sm_ptx_check_symbols(m->text, m->count, err);
    *duplicate = status != WT_OK;
    return status;
}

enum wt_status gpu_module_check_all(const struct gpu_module *m,
                                    void (*linked)(void *context, const struct sm_ptx *image),
                                    void *context, struct wt_error *err)
{
    enum wt_status status;
    struct sm_ptx *image;
    if (!m->count)
        return WT_OK;
    if ((status = sm_ptx_link(m->text, m->count, NO_CODE, NO_DATA, &image, err)) != WT_OK)
        return status;
    status = check_defined(image, err);
    if (!status && linked)
        linked(context, image);
    sm_ptx_free(image);
    return status;
}

/* Links for the addresses of rooms that are free; once more where they were too few. */
static enum wt_status link_texts(struct gpu *g, struct gpu_module *m, struct wt_error *err)
{
    enum wt_status status;
    size_t code_need = 1, data_need = 1;
    for (;;) {
        size_t code_size, data_size;
        const size_t code_room = find_rooms(&g->ptx, 0, code_need);
        const size_t data_room = find_rooms(&g->variables, 0, data_need);
        if (code_room == g->ptx.count || data_room == g->variables.count)
            return wt_fail(err, WT_NO_MEMORY, "no room for a module beside the others");
        if ((status = sm_ptx_link(m->text, m->count, g->ptx.base + code_room * g->ptx.bytes,
                                  g->variables.base + data_room * g->variables.bytes, &m->image,
                                  err)) != WT_OK)
            return status;
        if ((status = check_defined(m->image, err)) != WT_OK)
            return status;
        sm_ptx_code(m->image, &code_size);
        sm_ptx_data(m->image, &data_size);
        if (rooms_for(&g->ptx, code_size) <= code_need &&
            rooms_for(&g->variables, data_size) <= data_need)
            return WT_OK;
        code_need = rooms_for(&g->ptx, code_size);
        data_need = rooms_for(&g->variables, data_size);
        sm_ptx_free(m->image);
        m->image = NULL;
    }
}

/* Room for variables or constants, mapped; none of 0 bytes. */
static enum wt_status take_data(struct gpu *g, uint64_t size, bool writable, uint64_t *at,
                                uint64_t *room, struct wt_error *err)
{
    enum wt_status status;
    if (!size)
        return WT_OK;
    if ((status = take(g, &g->variables, size, writable, at, err)) != WT_OK)
        return status;
    *room = size;
    return gpu_add_range(g, *at, size, false, err);
}

/* A runtime's own functions are known by their names. */
static void name_functions(const struct gpu_module *m, uint64_t size)
{
    size_t count;
    const struct sm_ptx_kernel *list = sm_ptx_kernels(m->image, &count);
    if (!wt_check_wants(WT_CHECK_RACE) && !wt_check_wants(WT_CHECK_INIT))
        return;
    wt_functions_gone(NULL, m->code, size);
    for (size_t i = 0; i < count; i++)
        wt_function_at(NULL, list[i].entry, list[i].end - list[i].entry, list[i].name);
}

static enum wt_status load_ptx(struct gpu *g, struct gpu_module *m, struct wt_error *err)
{
    enum wt_status status;
    size_t code_size, data_size;
    if ((status = link_texts(g, m, err)) != WT_OK)
        return status;
    const uint8_t *code = sm_ptx_code(m->image, &code_size);
    const uint8_t *data = sm_ptx_data(m->image, &data_size);
    if ((status = take(g, &g->ptx, code_size, false, &m->code, err)) != WT_OK)
        return status;
    m->code_room = code_size;
    assert(m->code == sm_ptx_code_address(m->image));
    name_functions(m, code_size);
    if ((status = take_data(g, data_size, true, &m->data, &m->data_room, err)) != WT_OK ||
        (status = put(g, m->code, code, code_size, err)) != WT_OK ||
        (status = put(g, m->data, data, data_size, err)) != WT_OK)
        return status;
    return sm_device_attach_ptx(g->device, m->image, err);
}

/* The index in m->data of a function's constant bank; the banks of all functions are
 * consecutive. */
static uint64_t bank_offset(const struct cubin *c, size_t function, unsigned bank)
{
    uint64_t at = (c->bank3_size + 255) / 256 * 256;
    for (size_t i = 0; i <= function; i++)
        for (unsigned k = 1; k < CUBIN_BANKS && (i < function || k < bank); k++)
            at += (c->function[i].bank_size[k] + 255) / 256 * 256;
    return at;
}

static enum wt_status load_cubin(struct gpu *g, struct gpu_module *m, struct wt_error *err)
{
    enum wt_status status;
    struct cubin *c = &m->cubin;
    const uint64_t data_size = bank_offset(c, c->function_count - 1, CUBIN_BANKS);
    if ((status = take(g, &g->code, c->code_size, false, &m->code, err)) != WT_OK)
        return status;
    m->code_room = c->code_size;
    if ((status = take_data(g, data_size, false, &m->data, &m->data_room, err)) != WT_OK ||
        (status = take_data(g, c->data_size, true, &m->variables, &m->variables_room, err)) !=
            WT_OK)
        return status;
    cubin_relocate(c, m->code, m->variables, m->data);
    if ((status = put(g, m->variables, c->data, c->initialized, err)) != WT_OK)
        return status;
    if ((status = put(g, m->code, c->code, c->code_size, err)) != WT_OK ||
        (status = put(g, m->data, c->bank3, c->bank3_size, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < c->function_count; i++)
        for (unsigned k = 1; k < CUBIN_BANKS; k++)
            if ((status = put(g, m->data + bank_offset(c, i, k), c->function[i].bank[k],
                              c->function[i].bank_size[k], err)) != WT_OK)
                return status;
    return WT_OK;
}

/* ---- variables, for checks ---- */

static void add_object(uint64_t address, uint64_t size, const char *name, bool constant)
{
    char text[200];
    if (!size)
        return;
    wt_demangle_variable(name, text, sizeof text);
    wt_object_variable(NULL, address, size, text, constant);
}

/* Banks of constants have more than variables in them: they stay the driver's. */
static void add_objects(const struct gpu_module *m)
{
    size_t count = 0;
    const struct sm_ptx_symbol *list = m->image ? sm_ptx_symbols(m->image, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].address - m->data < m->data_room)
            add_object(list[i].address, list[i].size, list[i].name, list[i].is_constant);
    for (size_t i = 0; !m->image && i < m->cubin.variable_count; i++) {
        const struct cubin_variable *v = &m->cubin.variable[i];
        if (!v->is_constant)
            add_object(m->variables + v->offset, v->size, v->name, false);
    }
}

static void make_symbols(struct gpu_module *m)
{
    uint8_t *bytes;
    size_t length;
    m->symbols = symbols_of()->list();
    if (m->symbols &&
        sm_ptx_elf(m->image, m->text, m->count, NULL, &bytes, &length, WT_IGNORED) == WT_OK) {
        symbols_of()->add_bytes(m->symbols, "kernels", bytes, length, 0, 0, NULL, WT_IGNORED);
        free(bytes);
    }
}

bool gpu_frame_variable(void *context, enum wt_observed_space space, uint64_t pc,
                        const struct wt_origin *o, struct wt_known_variable *v)
{
    const struct wt_own_place place = {WT_PLACE_IN_FRAME, (uint64_t)o->constant, (uint64_t)o->moved,
                                       SM_LOCAL_WINDOW};
    struct wt_memory_variable found;
    size_t count, i = 0;
    uint64_t state;
    const struct debug_module *list = debug_modules(&count, &state);
    while (i < count &&
           (!list[i].module->image || pc - list[i].module->code >= list[i].module->code_room))
        i++;
    if (i == count || o->base != WT_ORIGIN_FRAME || !symbols_of())
        return false;
    if (!list[i].module->symbols)
        make_symbols(list[i].module);
    if (!list[i].module->symbols ||
        !symbols_of()->variable(list[i].module->symbols, pc, &place, &found))
        return false;
    *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
    snprintf(v->name, sizeof v->name, "%s", found.name);
    return true;
}

enum wt_status gpu_module_load(struct gpu *g, struct gpu_module *m, struct wt_error *err)
{
    const enum wt_status status =
        m->cubin.function_count ? load_cubin(g, m, err) : load_ptx(g, m, err);
    if (status == WT_OK)
        debug_module_added(g, m);
    if (status == WT_OK && wt_check_wants(WT_CHECK_MEMORY)) {
        add_objects(m);
        if (m->image)
            sm_ptx_find_origins(m->image, m->text, m->count);
    }
    return status;
}

static void give_back_variables(struct gpu *g, uint64_t address, uint64_t size)
{
    if (!size)
        return;
    if (!gpu_drop_range(g, address))
        gpu_unmap(g, address, size);
    give_back(&g->variables, address, size);
}

void gpu_module_free(struct gpu *g, struct gpu_module *m)
{
    debug_module_removed(m);
    if (m->code_room && m->image)
        sm_device_detach_ptx(g->device, m->image);
    if (m->code_room) {
        gpu_unmap(g, m->code, m->code_room);
        give_back(m->image ? &g->ptx : &g->code, m->code, m->code_room);
    }
    give_back_variables(g, m->data, m->data_room);
    give_back_variables(g, m->variables, m->variables_room);
    if (m->image)
        sm_ptx_free(m->image);
    if (m->symbols)
        symbols_of()->free(m->symbols);
    cubin_free(&m->cubin);
    for (size_t i = 0; i < m->count; i++) {
        struct cuda_text *text = (struct cuda_text *)m->text[i].text;
        text->users--;
        drop_text(text);
        free((char *)m->text[i].name);
    }
    free(m->text);
    *m = (struct gpu_module){0};
}

/* ---- variables, kernels ---- */

bool gpu_module_variable(const struct gpu_module *m, const char *name, uint64_t *address,
                         uint64_t *bytes)
{
    size_t count = 0;
    const struct cubin_variable *v = m->image ? NULL : cubin_find_variable(&m->cubin, name);
    const struct sm_ptx_symbol *list = m->image ? sm_ptx_symbols(m->image, &count) : NULL;
    if (v) {
        *address = (v->is_constant ? m->data : m->variables) + v->offset;
        *bytes = v->size;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) != 0)
            continue;
        *address = list[i].address;
        *bytes = list[i].size;
        return true;
    }
    return false;
}

/* Room for parameters; false without host memory. */
static bool has_room(struct gpu_kernel *k, size_t count)
{
    k->parameter_count = count;
    k->parameter = count ? calloc(count, sizeof *k->parameter) : NULL;
    return !count || k->parameter;
}

static unsigned most_threads(const uint32_t said[3])
{
    enum { MOST = 1024 };
    const uint64_t most = (uint64_t)said[0] * said[1] * said[2];
    return most && most < MOST ? (unsigned)most : MOST;
}

static CUresult kernel_of_ptx(const struct gpu_module *m, const struct sm_ptx_kernel *from,
                              struct gpu_kernel *k)
{
    *k = (struct gpu_kernel){
        .name = from->name,
        .launch = {.entry = from->entry, .shared = from->shared, .local = from->local},
        .most_threads = most_threads(from->max_threads),
        .parameter_bytes = from->parameter_bytes};
    sm_ptx_launch(m->image, from, &k->launch);
    for (unsigned i = 0; i < 3 && from->exact_threads; i++)
        k->exact_threads[i] = from->max_threads[i];
    if (!has_room(k, from->parameter_count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < k->parameter_count; i++)
        k->parameter[i] =
            (struct gpu_parameter){from->parameter[i].offset, from->parameter[i].size};
    return CUDA_SUCCESS;
}

/* The address of constant bank @p bank, from 1 on; *size becomes its bytes, 0: there is none. */
static uint64_t bank_of(const struct gpu_module *m, const struct cubin_function *f, unsigned bank,
                        uint32_t *size)
{
    const struct cubin *c = &m->cubin;
    const bool shared = bank == 3 && c->bank3;
    *size = shared ? c->bank3_size : f->bank_size[bank];
    return m->data + (shared ? 0 : bank_offset(c, (size_t)(f - c->function), bank));
}

static CUresult kernel_of_code(const struct gpu_module *m, const struct cubin_function *from,
                               struct gpu_kernel *k)
{
    static const uint32_t none[3];
    *k = (struct gpu_kernel){.name = from->name,
                             .launch = {.entry = m->code + from->code,
                                        .shared = from->shared,
                                        .local = from->local,
                                        .registers = from->registers ? from->registers : 255},
                             .most_threads = most_threads(none),
                             .parameter_bytes = from->parameter_bytes};
    for (unsigned i = 1; i < SM_BANKS; i++)
        k->launch.bank[i] = bank_of(m, from, i, &k->launch.bank_size[i]);
    if (!has_room(k, from->parameter_count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < k->parameter_count; i++)
        k->parameter[i] =
            (struct gpu_parameter){from->parameter[i].offset, from->parameter[i].size};
    return CUDA_SUCCESS;
}

static const struct cubin_function *find_code(const struct gpu_module *m, const char *name)
{
    const struct cubin_function *code = cubin_find(&m->cubin, name);
    return code && code->is_kernel ? code : NULL;
}

unsigned gpu_module_kernel_count(const struct gpu_module *m)
{
    unsigned count = 0;
    while (gpu_module_kernel_name(m, count))
        count++;
    return count;
}

const char *gpu_module_kernel_name(const struct gpu_module *m, size_t number)
{
    size_t count = 0;
    const struct sm_ptx_kernel *list = m->image ? sm_ptx_kernels(m->image, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].is_kernel && number-- == 0)
            return list[i].name;
    for (size_t i = 0; i < m->cubin.function_count; i++)
        if (m->cubin.function[i].is_kernel && number-- == 0)
            return m->cubin.function[i].name;
    return NULL;
}

bool gpu_module_has_kernel(const struct gpu_module *m, const char *name)
{
    return (m->image && sm_ptx_find(m->image, name)) || find_code(m, name);
}

CUresult gpu_module_kernel(const struct gpu_module *m, const char *name, struct gpu_kernel *kernel)
{
    const struct sm_ptx_kernel *ptx = m->image ? sm_ptx_find(m->image, name) : NULL;
    const struct cubin_function *code = ptx ? NULL : find_code(m, name);
    return ptx    ? kernel_of_ptx(m, ptx, kernel)
           : code ? kernel_of_code(m, code, kernel)
                  : CUDA_ERROR_NOT_FOUND;
}

unsigned gpu_module_target(const struct gpu_module *m)
{
    if (!m->count)
        return m->cubin.sm;
    const struct ptx_name *target = &m->text[0].text->target;
    unsigned number = 0;
    for (size_t i = 0; i < target->length; i++)
        if (target->at[i] >= '0' && target->at[i] <= '9')
            number = number * 10 + (unsigned)(target->at[i] - '0');
    return number;
}

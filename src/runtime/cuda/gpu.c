/* The emulated SM behind libcuda. See gpu.h. */
#include "runtime/cuda/gpu.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/sm/texture.h"
#include "object/cubin.h"

/*
 * The memory map. Memory of a GPU is memory of this process at the same address: programs use
 * managed memory, and kernels that of the host. Each GPU has a space of its own. Allocations have
 * something between them that is not mapped.
 */
#define SPACES UINT64_C(0x600000000000)
#define SPACE_BYTES UINT64_C(0x10000000000)
#define BANK UINT64_C(0)
#define HEADERS UINT64_C(0x1000000)
#define CODE UINT64_C(0x100000000)
#define DATA UINT64_C(0x1000000000)
#define CODE_STRIDE UINT64_C(0x10000000)
#define HEAP UINT64_C(0x2000000000)
#define HEAP_SIZE (UINT64_C(256) << 20)
#define LOCAL UINT64_C(0x4000000000)
#define BUFFERS UINT64_C(0x8000000000)
#define GAP UINT64_C(0x10000)
#define MOST_HEADERS 8192
#define RUN 1000000 /* issues at a time */

struct range {
    uint64_t base, size;
    bool allocated; /* by the program; else it holds variables of a module */
};

struct gpu {
    struct sm_config config;
    unsigned number;
    uint64_t space; /* where its addresses begin */
    struct sm_device *device;
    struct range *range; /* by address */
    size_t range_count, range_room;
    uint64_t in_use; /* bytes of allocations */
    uint64_t next_code, next_data;
    uint64_t local;            /* bytes of local memory that are mapped */
    bool header[MOST_HEADERS]; /* of textures: which are in use */
};

/* What kernels print goes where the program prints. */
static void print(void *context, unsigned slot, const char *line, size_t length)
{
    fwrite(line, 1, length, stdout);
    putchar('\n');
}

/* Takes memory of the process, and gives it to the GPU. */
static enum wt_status map(struct gpu *g, uint64_t address, uint64_t size, bool writable,
                          struct wt_error *err)
{
    void *at = (void *)(uintptr_t)address;
    void *got = mmap(at, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != at)
        munmap(got, size); /* a kernel that does not know the flag */
    if (got != at)
        return wt_fail(err, WT_NO_MEMORY, "0x%" PRIx64 " bytes at 0x%" PRIx64 ": %s", size, address,
                       got == MAP_FAILED ? strerror(errno) : "the host has something there");
    const enum wt_status status = sm_device_map(g->device, address, size, writable, err);
    if (status)
        munmap(at, size);
    return status;
}

static void unmap(struct gpu *g, uint64_t address, uint64_t size)
{
    sm_device_unmap(g->device, address, size);
    munmap((void *)(uintptr_t)address, size);
}

enum wt_status gpu_new(const char *said, unsigned number, struct gpu **gpu, struct wt_error *err)
{
    enum wt_status status;
    const char *keys = strchr(said, ':');
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *g = (struct gpu){.number = number,
                      .space = SPACES + number * SPACE_BYTES,
                      .next_code = CODE,
                      .next_data = DATA};
    sm_config_default(&g->config);
    if ((keys && (status = sm_config_parse(&g->config, keys + 1, err)) != WT_OK) ||
        (status = sm_device_new_in_host(&g->config, &g->device, err)) != WT_OK ||
        (status = map(g, g->space + HEAP, HEAP_SIZE, true, err)) != WT_OK ||
        (status = map(g, g->space + HEADERS, MOST_HEADERS * SM_TEXTURE_BYTES, false, err)) !=
            WT_OK ||
        (status = map(g, g->space + BANK, CUBIN_BANK_BYTES, false, err)) != WT_OK) {
        sm_device_free(g->device);
        free(g);
        return status;
    }
    sm_machine(g->device)->console = print;
    *gpu = g;
    return WT_OK;
}

unsigned gpu_number(const struct gpu *g)
{
    return g->number;
}

uint64_t gpu_memory(const struct gpu *g)
{
    return g->config.memory;
}

unsigned gpu_sms(const struct gpu *g)
{
    return g->config.sms;
}

unsigned gpu_capability(const struct gpu *g)
{
    return g->config.cc;
}

/* ---- memory ---- */

static enum wt_status add_range(struct gpu *g, uint64_t base, uint64_t size, bool allocated,
                                struct wt_error *err)
{
    struct range *grown =
        wt_array_grow(g->range, &g->range_room, g->range_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    g->range = grown;
    size_t at = g->range_count++;
    for (; at && grown[at - 1].base > base; at--)
        grown[at] = grown[at - 1];
    grown[at] = (struct range){base, size, allocated};
    return WT_OK;
}

static bool drop_range(struct gpu *g, uint64_t base)
{
    for (size_t i = 0; i < g->range_count; i++) {
        if (g->range[i].base != base)
            continue;
        unmap(g, base, g->range[i].size);
        memmove(&g->range[i], &g->range[i + 1], (--g->range_count - i) * sizeof *g->range);
        return true;
    }
    return false;
}

/* The lowest address with room for so many bytes and a gap on both sides. */
static uint64_t find_room(const struct gpu *g, uint64_t size)
{
    uint64_t at = g->space + BUFFERS;
    for (size_t i = 0; i < g->range_count; i++) {
        const struct range *r = &g->range[i];
        if (!r->allocated)
            continue;
        if (r->base >= at + size + GAP)
            break;
        at = (r->base + r->size + GAP - 1) / GAP * GAP + GAP;
    }
    return at;
}

enum wt_status gpu_allocate(struct gpu *g, uint64_t size, uint64_t *address, struct wt_error *err)
{
    enum wt_status status;
    const uint64_t whole = (size + 511) / 512 * 512;
    if (size > g->config.memory || g->in_use + whole > g->config.memory)
        return wt_fail(err, WT_NO_MEMORY, "%" PRIu64 " bytes; the device has %" PRIu64, size,
                       g->config.memory);
    const uint64_t at = find_room(g, whole);
    if ((status = map(g, at, size, true, err)) != WT_OK)
        return status;
    if ((status = add_range(g, at, size, true, err)) != WT_OK) {
        unmap(g, at, size);
        return status;
    }
    *address = at;
    g->in_use += whole;
    return WT_OK;
}

bool gpu_free(struct gpu *g, uint64_t address)
{
    uint64_t base, size;
    if (address < g->space + BUFFERS || !gpu_range(g, address, &base, &size) || base != address)
        return false;
    g->in_use -= (size + 511) / 512 * 512;
    return drop_range(g, address);
}

uint64_t gpu_in_use(const struct gpu *g)
{
    return g->in_use;
}

bool gpu_range(const struct gpu *g, uint64_t address, uint64_t *base, uint64_t *size)
{
    for (size_t i = 0; i < g->range_count; i++)
        if (address - g->range[i].base < g->range[i].size) {
            *base = g->range[i].base;
            *size = g->range[i].size;
            return true;
        }
    return false;
}

static bool inside(const struct gpu *g, uint64_t address, uint64_t bytes)
{
    uint64_t base, size;
    return !bytes || (gpu_range(g, address, &base, &size) && bytes <= size - (address - base));
}

enum wt_status gpu_see(struct gpu *g, uint64_t address, uint64_t size, struct wt_error *err)
{
    return sm_device_map(g->device, address, size, true, err);
}

void gpu_see_no_more(struct gpu *g, uint64_t address, uint64_t size)
{
    sm_device_unmap(g->device, address, size);
}

bool gpu_read(struct gpu *g, uint64_t address, void *to, uint64_t size)
{
    return inside(g, address, size) && sm_device_read(g->device, address, to, size);
}

bool gpu_write(struct gpu *g, uint64_t address, const void *from, uint64_t size)
{
    return inside(g, address, size) && sm_device_write(g->device, address, from, size);
}

/* ---- textures ---- */

bool gpu_header_new(struct gpu *g, const uint8_t *bytes, uint64_t *handle)
{
    unsigned n = 0;
    while (n < MOST_HEADERS && g->header[n])
        n++;
    if (n == MOST_HEADERS || !sm_device_write(g->device, g->space + HEADERS + n * SM_TEXTURE_BYTES,
                                              bytes, SM_TEXTURE_BYTES))
        return false;
    g->header[n] = true;
    *handle = g->space + HEADERS + n * SM_TEXTURE_BYTES;
    return true;
}

bool gpu_header_free(struct gpu *g, uint64_t handle)
{
    static const uint8_t none[SM_TEXTURE_BYTES];
    const uint64_t n = (handle - g->space - HEADERS) / SM_TEXTURE_BYTES;
    if (handle < g->space + HEADERS || n >= MOST_HEADERS || handle % SM_TEXTURE_BYTES ||
        !g->header[n])
        return false;
    g->header[n] = false;
    return sm_device_write(g->device, handle, none, sizeof none);
}

/* ---- modules ---- */

enum wt_status gpu_module_add(struct gpu_module *m, const char *name, const char *text, size_t size,
                              struct wt_error *err)
{
    struct sm_ptx_module *grown = wt_array_grow(m->text, &m->room, m->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    m->text = grown;
    struct ptx_module *tree = calloc(1, sizeof *tree);
    char *copy = strdup(name);
    const enum wt_status status = tree && copy ? ptx_parse(name, text, size, tree, err)
                                               : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (status) {
        free(tree);
        free(copy);
        return status;
    }
    grown[m->count++] = (struct sm_ptx_module){.name = copy, .text = tree};
    return WT_OK;
}

enum wt_status gpu_module_load(struct gpu *g, struct gpu_module *m, struct wt_error *err)
{
    enum wt_status status;
    size_t code_size, data_size;
    const uint64_t code_at = g->space + g->next_code, data_at = g->space + g->next_data;
    if ((status = sm_ptx_link(m->text, m->count, code_at, data_at, &m->image, err)) != WT_OK)
        return status;
    const uint8_t *code = sm_ptx_code(m->image, &code_size);
    const uint8_t *data = sm_ptx_data(m->image, &data_size);
    m->code = code_at;
    m->data = data_at;
    g->next_code += (code_size + CODE_STRIDE) / CODE_STRIDE * CODE_STRIDE;
    g->next_data += (data_size + CODE_STRIDE) / CODE_STRIDE * CODE_STRIDE;
    if ((status = map(g, m->code, code_size, false, err)) != WT_OK ||
        (data_size && (status = map(g, m->data, data_size, true, err)) != WT_OK) ||
        (data_size && (status = add_range(g, m->data, data_size, false, err)) != WT_OK))
        return status;
    if (!sm_device_write(g->device, m->code, code, code_size) ||
        !sm_device_write(g->device, m->data, data, data_size))
        return wt_fail(err, WT_NO_MEMORY, "no memory for a module");
    return sm_device_attach_ptx(g->device, m->image, err);
}

void gpu_module_free(struct gpu *g, struct gpu_module *m)
{
    size_t size;
    if (m->image) {
        sm_device_detach_ptx(g->device, m->image);
        sm_ptx_code(m->image, &size);
        unmap(g, m->code, size);
        drop_range(g, m->data);
        sm_ptx_free(m->image);
    }
    for (size_t i = 0; i < m->count; i++) {
        struct ptx_module *tree = (struct ptx_module *)m->text[i].text;
        ptx_free(tree);
        free(tree);
        free((char *)m->text[i].name);
    }
    free(m->text);
    *m = (struct gpu_module){0};
}

/* ---- launches ---- */

/* Where an address of code is in the text: "NAME at FILE:LINE". */
static void describe(const struct gpu_module *m, uint64_t pc, char *text, size_t size)
{
    struct sm_ptx_line line;
    size_t count;
    const struct sm_ptx_kernel *list = sm_ptx_kernels(m->image, &count);
    const char *name = "?";
    snprintf(text, size, "0x%" PRIx64, pc);
    for (size_t i = 0; i < count; i++)
        if (pc >= list[i].entry && pc < list[i].end)
            name = list[i].name;
    for (size_t i = 0; sm_ptx_line(m->image, i, &line); i++) {
        if (line.address != pc)
            continue;
        const struct sm_ptx_module *module = &m->text[line.module];
        const struct ptx_file *file = NULL;
        for (size_t k = 0; line.file && k < module->text->file_count; k++)
            if (module->text->file[k].number == line.file)
                file = &module->text->file[k];
        if (file)
            snprintf(text, size, "0x%" PRIx64 " <%s> at %.*s:%u", pc, name, (int)file->name.length,
                     file->name.at, line.line);
        else
            snprintf(text, size, "0x%" PRIx64 " <%s> at %s:%u", pc, name, module->name,
                     line.text_line);
        return;
    }
}

static CUresult report(struct gpu *g, const struct gpu_launch *l)
{
    const struct wt_machine *m = sm_machine(g->device);
    const struct wt_fault *f = &m->fault;
    char place[600], instruction[300] = "";
    uint32_t cta[3] = {0}, index = 0;
    describe(l->module, f->pc, place, sizeof place);
    sm_device_instruction(g->device, f->pc, instruction, sizeof instruction);
    sm_warp_cta(g->device, f->wave, cta, &index);
    fprintf(stderr,
            "wavetrap: %s\n  kernel %s, SM %u warp %u, block (%u,%u,%u) warp %u, lanes 0x%08x"
            "\n  at %s\n  %s\n",
            f->text, l->kernel->name, f->wave / SM_WARPS, f->wave % SM_WARPS, cta[0], cta[1],
            cta[2], index, (unsigned)f->lanes, place, instruction);
    if (f->kind == WT_FAULT_TRAP || f->kind == WT_FAULT_DEADLOCK)
        return CUDA_ERROR_LAUNCH_FAILED;
    if (strstr(f->text, "MISALIGNED"))
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    if (strncmp(f->text, "L1_ERROR", 8) == 0 || strstr(f->text, "ADDR"))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    return strstr(f->text, "ILLEGAL_INSTR_ENCODING") ? CUDA_ERROR_ILLEGAL_INSTRUCTION
                                                     : CUDA_ERROR_LAUNCH_FAILED;
}

static enum wt_status prepare(struct gpu *g, const struct gpu_launch *l, struct sm_launch *launch,
                              struct wt_error *err)
{
    enum wt_status status;
    uint8_t bank[CUBIN_PARAMETERS] = {0};
    *launch = (struct sm_launch){.entry = l->kernel->entry,
                                 .shared = l->kernel->shared,
                                 .local = l->kernel->local,
                                 .bank = {g->space + BANK},
                                 .bank_size = {CUBIN_PARAMETERS + l->kernel->parameter_bytes},
                                 .local_base = g->space + LOCAL};
    memcpy(launch->grid, l->grid, sizeof launch->grid);
    memcpy(launch->block, l->block, sizeof launch->block);
    sm_ptx_launch(l->module->image, l->kernel, launch);
    launch->heap = g->space + HEAP;
    launch->heap_size = HEAP_SIZE;
    if (l->shared)
        launch->shared = launch->dynamic + l->shared;
    const uint64_t local = sm_device_local_size(g->device, launch->local);
    if (local > g->local) {
        const uint64_t whole = (local + GAP - 1) / GAP * GAP;
        if ((status = map(g, g->space + LOCAL + g->local, whole - g->local, true, err)) != WT_OK)
            return status;
        g->local = whole;
    }
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(bank + 0x8 + 4 * i, l->block[i], 4);
        wt_store_le(bank + 0x14 + 4 * i, l->grid[i], 4);
    }
    if (!sm_device_write(g->device, g->space + BANK, bank, sizeof bank) ||
        !sm_device_write(g->device, g->space + BANK + CUBIN_PARAMETERS, l->parameters,
                         l->kernel->parameter_bytes))
        return wt_fail(err, WT_NO_MEMORY, "no memory for parameters");
    return sm_device_launch(g->device, launch, err);
}

CUresult gpu_run(struct gpu *g, const struct gpu_launch *l)
{
    struct wt_machine *m = sm_machine(g->device);
    struct sm_launch launch;
    struct wt_error err;
    enum wt_run result = WT_RUN_BUDGET;
    const enum wt_status status = prepare(g, l, &launch, &err);
    if (status) {
        fprintf(stderr, "wavetrap: kernel %s: %s\n", l->kernel->name, err.text);
        return status == WT_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                      : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    while (result == WT_RUN_BUDGET || result == WT_RUN_EVENT)
        result = m->ops->run(m, RUN);
    m->ops->flush_console(m);
    if (result == WT_RUN_ENDED)
        return CUDA_SUCCESS;
    return report(g, l);
}

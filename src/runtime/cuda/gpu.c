/* The emulated SM behind libcuda. See gpu.h. */
#include "runtime/cuda/core_file.h"
#include "runtime/cuda/final_memory.h"
#include "runtime/cuda/gpu_internal.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "check/objects.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/regions.h"
#include "emulator/sm/texture.h"
#include "object/cubin.h"
#include "runtime/common/catch.h"
#include "runtime/common/checked.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/policy.h"
#include "runtime/common/tally.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/final_memory.h"

/* The output of kernels goes to the program's own output. */
static void print(void *context, unsigned slot, const char *line, size_t length)
{
    struct gpu *g = context;
    if (wt_recording_is_live(g->recording)) { /* it may come to nothing */
        char *grown =
            wt_array_grow(g->output, &g->output_room, g->output_length + length + 1, sizeof *grown);
        if (!grown) {
            wt_recording_fail(g->recording);
            return;
        }
        g->output = grown;
        memcpy(g->output + g->output_length, line, length);
        g->output[g->output_length + length] = '\n';
        g->output_length += length + 1;
        return;
    }
    fwrite(line, 1, length, stdout);
    putchar('\n');
    g->printed = true;
}

enum wt_status gpu_map(struct gpu *g, uint64_t address, uint64_t size, bool writable,
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
    else
        wt_block_made(NULL, address, size);
    return status;
}

void gpu_unmap(struct gpu *g, uint64_t address, uint64_t size)
{
    cuda_final_unmap(address, size);
    wt_block_gone(NULL, address);
    sm_device_unmap(g->device, address, size);
    munmap((void *)(uintptr_t)address, size);
}

/* Rooms for modules. */
static void make_rooms(struct gpu *g)
{
    g->ptx = (struct rooms){.base = g->space + CODE, .bytes = ROOM_BYTES, .count = MOST_ROOMS};
    g->variables =
        (struct rooms){.base = g->space + DATA, .bytes = ROOM_BYTES, .count = MOST_ROOMS};
    g->code = (struct rooms){.base = LOW_CODE + g->number * LOW_CODE_BYTES,
                             .bytes = LOW_ROOM_BYTES,
                             .count = (LOW_CODE_BYTES - HEADER_BYTES) / LOW_ROOM_BYTES};
}

/* Applies the keys in a variable to a GPU's configuration; NULL: there are none. */
static enum wt_status configure(struct sm_config *config, const char *variable, const char *keys,
                                struct wt_error *err)
{
    return keys && wt_config_parse(&sm_config_table, config, keys, err)
               ? wt_fail_in(err, "%s", variable)
               : WT_OK;
}

void gpu_count_code(struct wt_hosted *hosted)
{
    struct gpu *g = (struct gpu *)((char *)hosted - offsetof(struct gpu, hosted));
    wt_tally_near(SM_WIRE_FAMILY, sm_device_near(g->device));
    wt_tally_translated(SM_WIRE_FAMILY, sm_device_translated(g->device), &g->translated);
}

enum wt_status gpu_new(const char *said, const struct gpu *before, struct gpu **gpu,
                       struct wt_error *err)
{
    const unsigned number = before ? before->number + 1 : 0;
    enum wt_status status;
    const char *keys = strchr(said, ':'), *usual = getenv("WAVETRAP_SM_DEFAULT");
    if (strcspn(said, ":") != 2 || strncmp(said, "sm", 2) != 0)
        return wt_fail(err, WT_INVALID, "WAVETRAP_SM_GPUS: '%.40s' is not sm:KEY=VALUE,…", said);
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *g = (struct gpu){.number = number,
                      .space = space_of(number),
                      .heap = HEAP_SIZE,
                      .fifo = FIFO_SIZE,
                      .pending = 2048,
                      .fetch = 64};
    make_rooms(g);
    sm_config_default(&g->config);
    if ((status = configure(&g->config, "WAVETRAP_SM_DEFAULT", usual, err)) != WT_OK ||
        (status = configure(&g->config, "WAVETRAP_SM_GPUS", keys ? keys + 1 : NULL, err)) !=
            WT_OK ||
        (status = wt_policy_of_environment(&g->config.device, err)) != WT_OK ||
        (status = sm_device_new_in_host(&g->config, &g->device, err)) != WT_OK ||
        (status = gpu_map(g, g->space + HEAP, HEAP_SIZE, true, err)) != WT_OK ||
        (status = gpu_map(g, g->space + BANK, CUBIN_BANK_BYTES, false, err)) != WT_OK ||
        (status = gpu_map(g, g->space + TOGETHER, TOGETHER_BYTES, true, err)) != WT_OK) {
        sm_device_free(g->device);
        free(g);
        return status;
    }
    struct wt_machine *m = g->machine = sm_machine(g->device);
    m->device = number;
    if (before)
        m->first_core = sm_machine(before->device)->first_core + before->config.sms;
    m->console = print;
    sm_machine(g->device)->console_context = g;
    wt_core_on_fault_begin(&g->core_on_fault);
    g->core = &cuda_core_ops;
    g->apart.count_code = gpu_count_code;
    g->apart.family = SM_WIRE_FAMILY;
    g->recorded = &cuda_recording_ops;
    g->records = g->core_on_fault.history;
    g->independent_lanes = sm_has_independent_lanes(&g->config);
    g->planted = cuda_planted();
    g->final = cuda_final_memory();
    wt_catch_of_environment(); /* names what has no sense */
    wt_progress_start(&g->progress, getenv(WT_PROGRESS_VARIABLE), stderr);
    wt_interrupt_listen();
    *gpu = g;
    return WT_OK;
}

struct wt_hosted *gpu_hosted(struct gpu *g)
{
    return &g->hosted;
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

unsigned gpu_linear_width(const struct gpu *gpu)
{
    return gpu_capability(gpu) < 70 ? 1u << 27 : 1u << 28;
}

struct sm_shared gpu_shared(const struct gpu *g)
{
    return sm_shared_of(g->config.cc);
}

/* ---- limits of kernels ---- */

/* A stack that was set holds also for kernels that need less; it comes to all of the SMs' threads.
 */
CUresult gpu_set_limit(struct gpu *g, CUlimit limit, uint64_t value)
{
    struct wt_error err;
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        if (value > MOST_STACK)
            return CUDA_ERROR_INVALID_VALUE;
        g->stack = (value + 15) / 16 * 16;
        g->stack_set = true;
        return CUDA_SUCCESS;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        g->fifo = value > LEAST_FIFO ? value : LEAST_FIFO;
        return CUDA_SUCCESS;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        if (value > g->config.memory)
            return CUDA_ERROR_OUT_OF_MEMORY;
        value = value > LEAST_HEAP ? (value + HEAP_STEP - 1) / HEAP_STEP * HEAP_STEP : LEAST_HEAP;
        if (value > g->heap &&
            gpu_map(g, g->space + HEAP + g->heap, value - g->heap, true, &err) != WT_OK)
            return CUDA_ERROR_OUT_OF_MEMORY;
        g->heap = value > g->heap ? value : g->heap;
        g->heap_said = value;
        return CUDA_SUCCESS;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        g->pending = value;
        return CUDA_SUCCESS;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        if (value > 128)
            return CUDA_ERROR_INVALID_VALUE;
        g->fetch = value;
        return CUDA_SUCCESS;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: /* at most what there is: nothing */
        return CUDA_SUCCESS;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

bool gpu_limit(const struct gpu *g, CUlimit limit, size_t *value)
{
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        *value = g->stack_set ? g->stack : USUAL_STACK;
        return true;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        *value = g->fifo;
        return true;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        *value = g->heap_said ? g->heap_said : g->heap;
        return true;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        *value = g->pending;
        return true;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        *value = g->fetch;
        return true;
    case CU_LIMIT_SHMEM_SIZE:
        *value = gpu_shared(g).cta;
        return true;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    case CU_LIMIT_CIG_ENABLED:
        *value = 0;
        return true;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
        break;
    }
    return false;
}

/* ---- memory ---- */

void gpu_note_fault_memory(const struct gpu *g, struct wt_fault *f)
{
    struct wt_block below = {0}, above = {0};
    if (!sm_fault_is_global(f) || *f->memory)
        return;
    for (size_t i = 0; i < g->range_count && !above.size; i++) {
        const struct range *r = &g->range[i];
        if (r->freed)
            continue;
        if (r->base <= f->addr)
            below = (struct wt_block){r->base, r->size};
        else
            above = (struct wt_block){r->base, r->size};
    }
    wt_fault_near(f->addr, below, above, f->memory, sizeof f->memory);
}

enum wt_status gpu_add_range(struct gpu *g, uint64_t base, uint64_t size, bool allocated,
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
    grown[at] =
        (struct range){.base = base, .size = size, .allocated = allocated, .id = ++g->ranges};
    return WT_OK;
}

/* Whether an allocation is in the block of hardware at an address, but for range `but`. */
static bool has_allocation(const struct gpu *g, uint64_t block, size_t but)
{
    for (size_t i = 0; i < g->range_count; i++) {
        const struct range *r = &g->range[i];
        if (i != but && r->allocated && !r->freed && r->base < block + SM_BLOCK_BYTES &&
            r->base + r->size > block)
            return true;
    }
    return false;
}

/* With bounds=hardware the blocks in which memory lies are mapped, from the first allocation to the
 * last one in each. */
static enum wt_status map_allocation(struct gpu *g, uint64_t at, uint64_t size,
                                     struct wt_error *err)
{
    enum wt_status status = WT_OK;
    const uint64_t first = at / SM_BLOCK_BYTES * SM_BLOCK_BYTES;
    uint64_t block = first;
    if (!g->config.hardware_bounds)
        return gpu_map(g, at, size, true, err);
    for (; block < at + size && !status; block += SM_BLOCK_BYTES)
        if (!has_allocation(g, block, SIZE_MAX))
            status = gpu_map(g, block, SM_BLOCK_BYTES, true, err);
    if (status)
        for (block -= SM_BLOCK_BYTES; block > first;)
            if (!has_allocation(g, block -= SM_BLOCK_BYTES, SIZE_MAX))
                gpu_unmap(g, block, SM_BLOCK_BYTES);
    return status;
}

static void unmap_allocation(struct gpu *g, uint64_t at, uint64_t size, size_t number)
{
    if (!g->config.hardware_bounds)
        gpu_unmap(g, at, size);
    else
        for (uint64_t block = at / SM_BLOCK_BYTES * SM_BLOCK_BYTES; block < at + size;
             block += SM_BLOCK_BYTES)
            if (!has_allocation(g, block, number))
                gpu_unmap(g, block, SM_BLOCK_BYTES);
}

static void remove_range(struct gpu *g, size_t i)
{
    memmove(&g->range[i], &g->range[i + 1], (--g->range_count - i) * sizeof *g->range);
}

bool gpu_drop_range(struct gpu *g, uint64_t base)
{
    for (size_t i = 0; i < g->range_count; i++) {
        if (g->range[i].base != base)
            continue;
        if (g->range[i].allocated)
            unmap_allocation(g, base, g->range[i].size, i);
        else
            gpu_unmap(g, base, g->range[i].size);
        remove_range(g, i);
        return true;
    }
    return false;
}

/* Addresses of an allocation in quarantine may be used again. */
static void end_quarantine(void *context, uint64_t base)
{
    struct gpu *g = context;
    for (size_t i = 0; i < g->range_count; i++)
        if (g->range[i].freed && g->range[i].base == base) {
            remove_range(g, i);
            return;
        }
}

/* The number of the range that begins at an address. */
static size_t range_number(const struct gpu *g, uint64_t base)
{
    size_t i = 0;
    while (g->range[i].base != base)
        i++;
    return i;
}

/* Frees an allocation, but for its addresses. They count for as many bytes as they keep from
 * others. */
static void quarantine(struct gpu *g, uint64_t base)
{
    const size_t i = range_number(g, base);
    const uint64_t size = g->range[i].size;
    unmap_allocation(g, base, size, i);
    g->range[i].freed = true;
    wt_object_keep(base, size + GAP, end_quarantine, g);
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

/* Whether libgomp cuts objects from memory that it allocates. It is a block of its own where no
 * larger one is mapped. */
static bool is_cut(const struct gpu *g, uint64_t at, uint64_t size)
{
    const struct wt_host_calls *calls = wt_host_listener();
    return calls && calls->allocated(at, size) && !g->config.hardware_bounds;
}

static enum wt_status check_room(struct gpu *g, uint64_t size, struct wt_error *err)
{
    const uint64_t whole = (size + 511) / 512 * 512;
    if (size <= g->config.memory && g->in_use + whole <= g->config.memory)
        return WT_OK;
    g->refused = size;
    return wt_fail(err, WT_NO_MEMORY, "%" PRIu64 " bytes; the device has %" PRIu64, size,
                   g->config.memory);
}

/* An allocation is there: it counts, and has its first bytes. */
static void begin_allocation(struct gpu *g, uint64_t at, uint64_t size, const char *by)
{
    if (by && !is_cut(g, at, size))
        wt_object_made(NULL, at, size, by);
    g->in_use += (size + 511) / 512 * 512;
    if (g->config.fill.kind != WT_FILL_ZERO)
        wt_fill_bytes(&g->config.fill, at, (void *)(uintptr_t)at, size);
}

enum wt_status gpu_allocate(struct gpu *g, uint64_t size, const char *by, uint64_t *address,
                            struct wt_error *err)
{
    enum wt_status status = check_room(g, size, err);
    if (status != WT_OK)
        return status;
    const uint64_t at = find_room(g, (size + 511) / 512 * 512);
    if ((status = map_allocation(g, at, size, err)) != WT_OK)
        return status;
    if ((status = gpu_add_range(g, at, size, true, err)) != WT_OK) {
        unmap_allocation(g, at, size, SIZE_MAX);
        return status;
    }
    *address = at;
    begin_allocation(g, at, size, by);
    return WT_OK;
}

enum wt_status gpu_reserve(struct gpu *g, uint64_t size, uint64_t *address, struct wt_error *err)
{
    const uint64_t at = find_room(g, (size + 511) / 512 * 512);
    const enum wt_status status = gpu_add_range(g, at, size, true, err);
    if (status != WT_OK)
        return status;
    struct range *r = &g->range[range_number(g, at)];
    r->kept = r->freed = true;
    *address = at;
    return WT_OK;
}

enum wt_status gpu_take(struct gpu *g, uint64_t address, const char *by, struct wt_error *err)
{
    const size_t i = range_number(g, address);
    const uint64_t size = g->range[i].size;
    enum wt_status status = check_room(g, size, err);
    if (status == WT_OK)
        status = map_allocation(g, address, size, err);
    if (status != WT_OK)
        return status;
    g->range[i].freed = false;
    g->range[i].id = ++g->ranges;
    begin_allocation(g, address, size, by);
    return WT_OK;
}

void gpu_unreserve(struct gpu *g, uint64_t address)
{
    const size_t i = range_number(g, address);
    g->range[i].kept = false;
    if (g->range[i].freed)
        remove_range(g, i);
}

/* The range that an address lies in; NULL: none. */
static const struct range *range_at(const struct gpu *g, uint64_t address)
{
    for (size_t i = 0; i < g->range_count; i++)
        if (address - g->range[i].base < g->range[i].size && !g->range[i].freed)
            return &g->range[i];
    return NULL;
}

uint64_t gpu_range_owner(const struct gpu *g, uint64_t address)
{
    const struct range *r = range_at(g, address);
    return r ? r->owner : 0;
}

void gpu_manage(struct gpu *g, uint64_t address)
{
    for (size_t i = 0; i < g->range_count; i++)
        if (g->range[i].base == address && !g->range[i].freed)
            g->range[i].managed = true;
}

bool gpu_is_managed(const struct gpu *g, uint64_t address)
{
    const struct range *r = range_at(g, address);
    return r && r->managed;
}

bool gpu_free(struct gpu *g, uint64_t address, const char *by)
{
    uint64_t base, size;
    if (address < g->space + BUFFERS || !gpu_range(g, address, &base, &size) || base != address)
        return false;
    wt_object_freed(NULL, address, by);
    g->in_use -= (size + 511) / 512 * 512;
    const size_t i = range_number(g, address);
    if (g->range[i].kept) {
        unmap_allocation(g, address, size, i);
        g->range[i].freed = true;
        return true;
    }
    if (!wt_check_judges_memory())
        return gpu_drop_range(g, address);
    quarantine(g, address);
    return true;
}

uint64_t gpu_in_use(const struct gpu *g)
{
    return g->in_use;
}

bool gpu_range(const struct gpu *g, uint64_t address, uint64_t *base, uint64_t *size)
{
    const struct range *r = range_at(g, address);
    if (!r)
        return false;
    *base = r->base;
    *size = r->size;
    return true;
}

uint64_t gpu_range_id(const struct gpu *g, uint64_t address)
{
    const struct range *r = range_at(g, address);
    return r ? r->id : 0;
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
    cuda_final_unmap(address, size);
    sm_device_unmap(g->device, address, size);
}

bool gpu_maps(const struct gpu *g, uint64_t addr)
{
    return wt_regions_at(&g->machine->regions, addr);
}

/* With the pages beside it that are gone, too. */
void gpu_forget_lost(struct gpu *g, uint64_t addr)
{
    const uint64_t page = WT_PAGE_MASK + 1;
    uint64_t from = addr & ~(uint64_t)WT_PAGE_MASK, to = from + page;
    unsigned char resident;
    while (gpu_maps(g, to) && mincore((void *)(uintptr_t)to, page, &resident) && errno == ENOMEM)
        to += page;
    while (gpu_maps(g, from - page) && mincore((void *)(uintptr_t)(from - page), page, &resident) &&
           errno == ENOMEM)
        from -= page;
    sm_device_unmap(g->device, from, to - from);
}

bool gpu_read(struct gpu *g, uint64_t address, void *to, uint64_t size)
{
    return inside(g, address, size) && sm_device_read(g->device, address, to, size);
}

bool gpu_write(struct gpu *g, uint64_t address, const void *from, uint64_t size)
{
    return inside(g, address, size) && sm_device_write(g->device, address, from, size);
}

bool gpu_write_seen(struct gpu *g, uint64_t address, const void *from, uint64_t size)
{
    for (uint64_t at = address; at < address + size; at = (at | WT_PAGE_MASK) + 1)
        if (!gpu_maps(g, at))
            return false;
    return sm_device_write(g->device, address, from, size);
}

/* ---- textures ---- */

/* The headers are behind the rooms for machine code, whose instructions take handles of 32 bits. */
static uint64_t headers(const struct gpu *g)
{
    return LOW_CODE + (g->number + 1) * LOW_CODE_BYTES - HEADER_BYTES;
}

bool gpu_header_new(struct gpu *g, const uint8_t *bytes, uint64_t *handle)
{
    struct wt_error err;
    unsigned n = 0;
    while (n < MOST_HEADERS && g->header[n])
        n++;
    if (!g->has_headers) {
        if (gpu_map(g, headers(g), HEADER_BYTES, false, &err) != WT_OK)
            return false;
        g->has_headers = true;
    }
    const uint64_t at = headers(g) + n * SM_TEXTURE_BYTES;
    if (n == MOST_HEADERS || !sm_device_write(g->device, at, bytes, SM_TEXTURE_BYTES))
        return false;
    g->header[n] = true;
    *handle = at;
    return true;
}

bool gpu_header_free(struct gpu *g, uint64_t handle)
{
    static const uint8_t none[SM_TEXTURE_BYTES];
    const uint64_t n = (handle - headers(g)) / SM_TEXTURE_BYTES;
    if (handle < headers(g) || n >= MOST_HEADERS || handle % SM_TEXTURE_BYTES || !g->header[n])
        return false;
    g->header[n] = false;
    return sm_device_write(g->device, handle, none, sizeof none);
}

/* ---- what belongs to a context ---- */

void gpu_own(struct gpu *g, uint64_t address, uint64_t owner)
{
    const uint64_t header = (address - headers(g)) / SM_TEXTURE_BYTES;
    for (size_t i = 0; i < g->range_count; i++)
        if (g->range[i].base == address && !g->range[i].freed)
            g->range[i].owner = owner;
    if (address >= headers(g) && header < MOST_HEADERS)
        g->header_owner[header] = owner;
}

static void end_allocation(struct gpu *g, uint64_t base)
{
    checks_lost(base);
    gpu_free(g, base, "the end of its context");
}

void gpu_drop_owned(struct gpu *g, uint64_t owner)
{
    for (size_t i = g->range_count; i-- > 0;)
        if (g->range[i].allocated && !g->range[i].freed && g->range[i].owner == owner)
            end_allocation(g, g->range[i].base);
    for (unsigned n = 0; n < MOST_HEADERS; n++)
        if (g->header[n] && g->header_owner[n] == owner)
            gpu_header_free(g, headers(g) + n * SM_TEXTURE_BYTES);
}

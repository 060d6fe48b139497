/* Shared by gpu.c and run.c. */
#ifndef WT_RUNTIME_CUDA_GPU_INTERNAL_H
#define WT_RUNTIME_CUDA_GPU_INTERNAL_H

#include "check/memory.h"
#include "emulator/sm/host.h"
#include "emulator/translate/rows.h"
#include "object/sm_wire.h"
#include "runtime/common/watched.h"
#include "runtime/common/host_core.h"
#include "runtime/common/progress.h"
#include "runtime/common/recording.h"
#include "runtime/cuda/gpu.h"

/*
 * The memory map. Memory of a GPU is memory of this process at the same address: programs use
 * managed memory, and kernels that of the host. Each GPU has a space of its own. Allocations have
 * something between them that is not mapped.
 */
#ifdef __SANITIZE_THREAD__ /* ThreadSanitizer leaves us the first 512 GiB: less room for all */
#define SPACES UINT64_C(0x1000000000)
#define SPACE_BYTES UINT64_C(0x1000000000)
#define SCALED(offset) ((offset) / 16 + UINT64_C(0x100000000))
#define MOST_ROOMS 64
#else
#define SPACES UINT64_C(0x700000000000) /* where AddressSanitizer has nothing, either */
#define SPACE_BYTES UINT64_C(0x10000000000)
#define SCALED(offset) (offset)
#define MOST_ROOMS 512
#endif
#define LAST_SPACE                                                                                 \
    15 /* it would lie where the host maps libraries, and lies before the first one */
/* Where the space of a GPU begins. */
static inline uint64_t space_of(unsigned number)
{
    return number == LAST_SPACE ? SPACES - SPACE_BYTES : SPACES + number * SPACE_BYTES;
}
/* The GPU, if there is one, in whose space an address is. */
static inline uint32_t number_of(uint64_t addr)
{
    const uint64_t number = (addr - (SPACES - SPACE_BYTES)) / SPACE_BYTES;
    return number == 0 ? LAST_SPACE : number <= LAST_SPACE ? (uint32_t)number - 1 : UINT32_MAX;
}
#define BANK UINT64_C(0)
#define CODE UINT64_C(0x100000000)
#define DATA SCALED(UINT64_C(0x1000000000))
#define HEAP SCALED(UINT64_C(0x2000000000))
#define HEAP_SIZE (UINT64_C(256) << 20) /* as long as the program asks for no more */
#define FIFO_SIZE (UINT64_C(1) << 20)
#define TOGETHER                                                                                   \
    (CODE - UINT64_C(0x100000)) /* cooperative launches: the grid barrier's workspace */
#define TOGETHER_BYTES UINT64_C(0x1000)
#define LOCAL SCALED(UINT64_C(0x4000000000))
#define USUAL_STACK UINT64_C(1024) /* as NVIDIA's driver says; a thread that recurses has more */
#define HEAP_STEP UINT64_C(0x10000)
#define LEAST_HEAP (UINT64_C(4) << 20)   /* that a program can set */
#define LEAST_FIFO (UINT64_C(512) << 10) /* likewise */
#define MOST_STACK UINT64_C(0x80000)
#define BUFFERS SCALED(UINT64_C(0x8000000000))
#define GAP UINT64_C(0x10000)
#define MOST_HEADERS 8192
#define HEADER_BYTES UINT64_C(0x100000) /* bytes of all headers */

/* Rooms for modules: of PTX, of variables, and of machine code, which must be in the low 4 GiB,
 * where its absolute jumps reach: there each GPU has a part of what PIE programs leave alone. */
#define ROOM_BYTES UINT64_C(0x4000000)
#define LOW_CODE UINT64_C(0x20000000)
#define LOW_CODE_BYTES UINT64_C(0x5000000) /* bytes of code of a GPU */
#define LOW_ROOM_BYTES UINT64_C(0x10000)

struct rooms {
    uint64_t base, bytes; /* place of one of them */
    size_t count;
    bool taken[LOW_CODE_BYTES / LOW_ROOM_BYTES];
};

struct range {
    uint64_t base, size;
    bool allocated; /* by the program; else it holds variables of a module */
    bool freed;     /* its addresses are in quarantine (check/objects.h) */
    bool kept;      /* its addresses are its own when it is freed, too (gpu_reserve) */
    bool managed;   /* threads of the program may use it while kernels run */
    uint64_t id;    /* no other one has had it */
    uint64_t owner; /* id of the context that it was allocated for; 0: none */
};

struct gpu {
    WT_HOSTED;
    struct sm_config config;
    unsigned number;
    uint64_t space; /* where its addresses begin */
    struct sm_device *device;
    struct range *range; /* by address */
    size_t range_count, range_room;
    uint64_t ranges;  /* so far */
    uint64_t in_use;  /* bytes of allocations */
    uint64_t refused; /* bytes of the last allocation for which there was no room; 0: none */
    struct rooms ptx, variables, code;
    uint64_t local;             /* bytes of local memory that are mapped */
    uint64_t stack, heap, fifo; /* limits of kernels: bytes; of the stack: 0, if none was set */
    bool stack_set;
    uint64_t heap_said;                  /* what the program has set: the heap may be larger */
    uint64_t pending, fetch;             /* limits that are noted only */
    bool has_headers;                    /* their memory is mapped */
    bool header[MOST_HEADERS];           /* headers of textures that are in use */
    uint64_t header_owner[MOST_HEADERS]; /* ids of their contexts */
    struct wt_rows_totals translated;    /* as it was last counted */
    struct wt_progress progress;
    struct wt_core_on_fault core_on_fault;
    bool printed; /* since the program's output was last flushed */
    char *output; /* output of recorded kernels, until it counts */
    size_t output_length, output_room;
};

/** How kernels of these GPUs are recorded. */
extern const struct wt_recording_ops cuda_recording_ops;

/**
 * Takes memory of the process at this very address, which must be free, and maps it for the GPU.
 * WT_NO_MEMORY.
 */
enum wt_status gpu_map(struct gpu *g, uint64_t address, uint64_t size, bool writable,
                       struct wt_error *err);
/** Operation count_code of struct wt_apart. Entered. */
void gpu_count_code(struct wt_hosted *gpu);
/** Whether the GPU has memory at an address. */
bool gpu_maps(const struct gpu *g, uint64_t addr);
/** The variable of a PTX function's frame, by the debug information of its texts, for the checks.
 * Entered. */
wt_check_variable_fn gpu_frame_variable;
/** Unmaps what gpu_map has mapped. */
void gpu_unmap(struct gpu *g, uint64_t address, uint64_t size);
/** Notes what [base, base + size) belongs to. WT_NO_MEMORY is the only failure. */
enum wt_status gpu_add_range(struct gpu *g, uint64_t base, uint64_t size, bool allocated,
                             struct wt_error *err);
/** Says in a fault's record what is at its address. */
void gpu_note_fault_memory(const struct gpu *g, struct wt_fault *fault);
/** Forgets the range that begins at @p base, and unmaps it; false: there is none. */
bool gpu_drop_range(struct gpu *g, uint64_t base);

#endif

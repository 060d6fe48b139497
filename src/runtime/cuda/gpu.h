/*
 * The emulated SM behind libcuda: its memory, modules, launches. Each has memory of its own,
 * which is the process's too, at addresses that no other one has. The caller holds the lock of
 * state.h.
 */
#ifndef WT_RUNTIME_CUDA_GPU_H
#define WT_RUNTIME_CUDA_GPU_H

#include "emulator/sm/ptx/ptx.h"
#include "object/cubin.h"
#include "wavetrap/cuda.h"

struct gpu;

/** A program on the device: linked PTX, or a cubin. */
struct gpu_module {
    struct sm_ptx_module *text;
    size_t count, room;
    struct sm_ptx *image;          /**< NULL: a cubin, or not loaded */
    struct cubin cubin;            /**< no functions: PTX */
    uint64_t code, data;           /**< addresses; of a cubin's data: the banks of its functions */
    uint64_t code_room, data_room; /**< bytes that are taken there; 0: not loaded */
    uint64_t variables, variables_room; /**< a cubin's variables in global memory */
    struct wt_modules *symbols;         /**< debug information; NULL: nobody has asked for it */
};

/** A parameter of a kernel, in bytes: the offset is that from the first one. */
struct gpu_parameter {
    uint32_t offset, size;
};

/** A kernel of a module, which it must not outlive. */
struct gpu_kernel {
    const char *name;
    struct sm_launch launch;         /**< what all its launches have in common */
    unsigned most_threads;           /**< that a block of it may have */
    uint32_t exact_threads[3];       /**< exact threads of every block (.reqntid); 0: any */
    struct gpu_parameter *parameter; /**< allocated; NULL: none */
    size_t parameter_count;
    uint32_t parameter_bytes; /**< at most CUBIN_MOST_PARAMETERS */
};

/** How a kernel is launched. */
struct gpu_launch {
    const struct gpu_module *module;
    const struct gpu_kernel *kernel;
    uint32_t grid[3], block[3]; /**< CTAs, threads of one */
    uint32_t shared;            /**< bytes that the launch adds */
    bool together; /**< all CTAs run at once, and have memory in common for a barrier of theirs */
    const uint8_t *parameters; /**< kernel->parameter_bytes of them */
};

/**
 * Makes the GPU after @p before (NULL: the first one) by @p said, "sm:KEY=VALUE,…", and
 * WAVETRAP_SM_DEFAULT. It is never freed. WT_INVALID: a key or value is wrong; WT_NO_MEMORY.
 */
enum wt_status gpu_new(const char *said, const struct gpu *before, struct gpu **gpu,
                       struct wt_error *err);
/** The part of a GPU that all families have for host programs. */
struct wt_hosted *gpu_hosted(struct gpu *gpu);
/** The number that the GPU was made with. */
unsigned gpu_number(const struct gpu *gpu);
/** Bytes of memory that the program may allocate. */
uint64_t gpu_memory(const struct gpu *gpu); /**< bytes */
/** The sizes of its shared memory; SM_CTA_SHARED is what a kernel has that asks for no more. */
struct sm_shared gpu_shared(const struct gpu *gpu);

/**
 * Sets a limit of kernels. A stack is at least what a kernel needs, a heap at least 256 MiB; the
 * buffer of printf needs no size. CUDA_ERROR_UNSUPPORTED_LIMIT: it cannot be set;
 * CUDA_ERROR_INVALID_VALUE: no such limit, or a stack of more than 512 KiB;
 * CUDA_ERROR_OUT_OF_MEMORY.
 */
CUresult gpu_set_limit(struct gpu *gpu, CUlimit limit, uint64_t value);
/** The value of a limit, in bytes, as the program has set it; false: there is no such limit. */
bool gpu_limit(const struct gpu *gpu, CUlimit limit, size_t *value);
/** The number of SMs. */
unsigned gpu_sms(const struct gpu *gpu);
/** The compute capability times 10: 50 is 5.0. */
unsigned gpu_capability(const struct gpu *gpu); /**< 50: 5.0 */
/** The most texels of a texture of linear memory ("CUDA C++ Programming Guide", technical
 * specifications per compute capability). */
unsigned gpu_linear_width(const struct gpu *gpu);

/**
 * Allocates device memory, for function @p by of the driver; NULL: it is no object of the program's
 * (check/objects.h). It counts in multiples of 512 bytes.
 * WT_NO_MEMORY: the device has not so much left.
 */
enum wt_status gpu_allocate(struct gpu *gpu, uint64_t size, const char *by, uint64_t *address,
                            struct wt_error *err);
/** Keeps addresses for an allocation that comes and goes: gpu_take() makes it, gpu_free() ends it.
 * WT_NO_MEMORY: the host has none. */
enum wt_status gpu_reserve(struct gpu *gpu, uint64_t size, uint64_t *address, struct wt_error *err);
/** Makes the allocation of reserved addresses, as gpu_allocate(). */
enum wt_status gpu_take(struct gpu *gpu, uint64_t address, const char *by, struct wt_error *err);
/** The addresses are no longer kept: the allocation, if it is there, is an ordinary one. */
void gpu_unreserve(struct gpu *gpu, uint64_t address);
/** Notes that an allocation or a texture header belongs to the context of id @p owner. */
void gpu_own(struct gpu *gpu, uint64_t address, uint64_t owner);
/** The id of the context that the allocation at an address belongs to; 0: none. */
uint64_t gpu_range_owner(const struct gpu *gpu, uint64_t address);
/** Frees the allocations and texture headers of a context. */
void gpu_drop_owned(struct gpu *gpu, uint64_t owner);
/** Notes that threads of the program may use the allocation at @p address while kernels run. */
void gpu_manage(struct gpu *gpu, uint64_t address);
/** Whether the allocation that an address lies in was noted so. */
bool gpu_is_managed(const struct gpu *gpu, uint64_t address);
/** Frees an allocation, by function @p by; false: none begins at @p address. */
bool gpu_free(struct gpu *gpu, uint64_t address, const char *by);
/** Bytes of all allocations, each rounded up to 512. */
uint64_t gpu_in_use(const struct gpu *gpu);
/** Finds the allocation, or the variables of a module, that an address lies in; false: none. */
bool gpu_range(const struct gpu *gpu, uint64_t address, uint64_t *base, uint64_t *size);

/** A number of the allocation that an address lies in, which no other one has had; 0: none. */
uint64_t gpu_range_id(const struct gpu *gpu, uint64_t address);

/**
 * Puts a texture header (emulator/sm/texture.h) into memory that kernels only read; *handle is its
 * address. False: all are in use.
 */
bool gpu_header_new(struct gpu *gpu, const uint8_t *bytes, uint64_t *handle);
/** Frees a texture header; false: there is none at @p handle. */
bool gpu_header_free(struct gpu *gpu, uint64_t handle);

/**
 * Lets kernels access memory of the host, rounded to pages, at its own address, until
 * gpu_see_no_more.
 */
enum wt_status gpu_see(struct gpu *gpu, uint64_t address, uint64_t size, struct wt_error *err);
/**
 * Takes the pages at @p addr that the program has unmapped, while a kernel ran, from kernels, so
 * that no recording comes back to them.
 */
void gpu_forget_lost(struct gpu *gpu, uint64_t addr);
/** Takes memory of the host from kernels, rounded to pages. */
void gpu_see_no_more(struct gpu *gpu, uint64_t address, uint64_t size);

/** Copies device memory to the host; false where not all bytes are in one allocation. */
bool gpu_read(struct gpu *gpu, uint64_t address, void *to, uint64_t size);
/** Copies from the host to device memory; false where not all bytes are in one allocation. */
bool gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t size);

/** Copies to memory that kernels of the GPU can access, be it the host's; false: they cannot. */
bool gpu_write_seen(struct gpu *gpu, uint64_t address, const void *from, uint64_t size);

/**
 * Parses a PTX text and adds it to a module that is not linked yet. WT_INVALID, WT_UNSUPPORTED: as
 * ptx_parse.
 */
enum wt_status gpu_module_add(struct gpu_module *m, const char *name, const char *text, size_t size,
                              struct wt_error *err);
/**
 * Adds the parsed texts of another module to a module; either may be freed first. WT_NO_MEMORY is
 * the only failure.
 */
enum wt_status gpu_module_share(struct gpu_module *m, const struct gpu_module *from,
                                struct wt_error *err);
/** Reads a cubin into a module that is empty, checking that the GPU can execute it: WT_UNSUPPORTED
 * where it is for another one, WT_INVALID where it is damaged. */
enum wt_status gpu_module_take(const struct gpu *gpu, struct gpu_module *m, const uint8_t *bytes,
                               size_t size, struct wt_error *err);
/**
 * Checks the newest text of a module that is not linked yet: its instructions, and whether another
 * text of the module defines what it defines. *duplicate: whether a mistake is of the latter kind.
 */
enum wt_status gpu_module_check(const struct gpu_module *m, bool *duplicate, struct wt_error *err);
/**
 * Checks that a module's texts can be linked: WT_INVALID for variables and functions that none
 * defines, and for calls that do not fit. @p linked, unless it is NULL, is called with the linked
 * image, which lives until it returns.
 */
enum wt_status gpu_module_check_all(const struct gpu_module *m,
                                    void (*linked)(void *context, const struct sm_ptx *image),
                                    void *context, struct wt_error *err);
/**
 * Links a module's texts and puts it, or its cubin, into memory. On failure, too, the caller frees
 * it with gpu_module_free.
 */
enum wt_status gpu_module_load(struct gpu *gpu, struct gpu_module *m, struct wt_error *err);
/**
 * Takes a module out of memory, if it was loaded, and frees what it owns. @p gpu may be NULL for
 * one that was not.
 */
void gpu_module_free(struct gpu *gpu, struct gpu_module *m);
/** Finds a variable of a loaded module by its name: its address and bytes; false: there is none. */
bool gpu_module_variable(const struct gpu_module *m, const char *name, uint64_t *address,
                         uint64_t *bytes);
/** How many kernels a loaded module has. */
unsigned gpu_module_kernel_count(const struct gpu_module *m);
/** The name of a loaded module's kernel by its number from 0 on; NULL: there are not so many. */
const char *gpu_module_kernel_name(const struct gpu_module *m, size_t number);
/** Whether a module has a kernel of this name. */
bool gpu_module_has_kernel(const struct gpu_module *m, const char *name);
/**
 * Finds a kernel of a loaded module by its name. CUDA_ERROR_NOT_FOUND: there is none;
 * CUDA_ERROR_OUT_OF_MEMORY. The caller frees kernel->parameter.
 */
CUresult gpu_module_kernel(const struct gpu_module *m, const char *name, struct gpu_kernel *kernel);
/** The GPU that a loaded module is for, as PTX's target or a cubin's header says: 50 is sm_50. */
unsigned gpu_module_target(const struct gpu_module *m);
/** How many CTAs of a launch an SM has room for at once; 0: a CTA does not fit. */
unsigned gpu_resident(const struct gpu *gpu, const struct gpu_launch *launch);

/**
 * Runs a kernel to its end. A mistake in it is reported on stderr and gives the result that CUDA's
 * documentation names for it.
 */
CUresult gpu_run(struct gpu *gpu, const struct gpu_launch *launch);

#endif

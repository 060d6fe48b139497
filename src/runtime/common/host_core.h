/*
 * Core files of GPUs in a host process, which the process writes itself: for its debugger
 * (object/core_wire.h), and at its first fault (exec --core-on-fault). target/core_file.c reads
 * them.
 */
#ifndef WT_RUNTIME_COMMON_HOST_CORE_H
#define WT_RUNTIME_COMMON_HOST_CORE_H

#include <stdatomic.h>

#include "emulator/machine/core_format.h"
#include "emulator/machine/profile.h"
#include "runtime/common/hosted.h"
#include "runtime/common/recording.h"

/** Environment variables by which `exec` wants a core file: its path, and issues of the run. */
#define WT_CORE_VARIABLE "WAVETRAP_CORE"
#define WT_CORE_HISTORY_VARIABLE "WAVETRAP_CORE_HISTORY"

struct wt_config;
struct wt_host_archive;

/** The parts of a core file beside the state of a GPU. */
struct wt_host_core {
    const char *path;
    const char *reason; /**< why it has stopped, for people; "": the state says so */
    uint32_t wave;      /**< that is selected; UINT32_MAX: none */
    uint32_t lane;
    uint64_t issues; /**< issues of the recorded run before now; 0: none of it */
    /** Those of the debugger in the recorded run. */
    struct wt_core_breakpoints breakpoints;
};

/** How a family writes the parts of a file; a context is a GPU, which begins with WT_HOSTED. */
struct wt_host_core_ops {
    const char *family;
    /** The model of a GPU, whose name reports have. NULL: the family has one. */
    const char *(*model)(const struct wt_hosted *gpu);
    struct wt_profile_shape profile; /**< for counted.h */
    const struct wt_config *table;   /**< table of its configuration */
    /** Writes sections of loaded code, each with wt_core_begin_section and wt_core_end_section.
     * NULL: there are none. */
    void (*modules)(void *context, struct wt_core_writer *w, struct wt_archive *a);
    /** Copies memory of a GPU that is not recorded, without a debugger's breakpoints. NULL: it is
     * the process's at the same addresses, but for those of `planted`. */
    bool (*read)(void *context, uint64_t addr, uint8_t *bytes, size_t size);
    /** Copies memory of the process at a GPU's address, for a page that a recorded machine has not
     * come to: the run does not depend on it. NULL: its own, at the same address. */
    bool (*read_process)(void *context, uint64_t addr, uint8_t *bytes, size_t size);
    /** Copies what a recorded machine has within one page. NULL: as a debugger reads it. */
    bool (*read_page)(struct wt_machine *m, uint64_t addr, uint8_t *bytes, size_t size);
    /** Writes the state of a machine whose memory is the host's; false: the program has no host
     * memory for that. NULL: m->regions has the ranges that are mapped. */
    bool (*archive)(struct wt_machine *m, struct wt_archive *a,
                    const struct wt_host_archive *in_host);
    /** The operations that inputs of its recorded run may do; the reader lists them first. */
    const wt_input_operation *operations;
};

/**
 * Writes a core file; what @p gpu has does not change meanwhile. WT_STATE: nothing is recorded of
 * the issues that @p core wants.
 */
enum wt_status wt_host_core_write(struct wt_hosted *gpu, const struct wt_host_core *core,
                                  struct wt_error *err);

/** Reads memory of the process, at an address of a GPU's (a struct wt_hosted), without the
 * breakpoints there. */
bool wt_hosted_read_plain(void *gpu, uint64_t addr, uint8_t *bytes, size_t size);

/** Writes a section of loaded code: a module called @p name, at @p bias. */
void wt_host_core_module(struct wt_core_writer *w, struct wt_archive *a, const char *name,
                         uint64_t bias, const uint8_t *bytes, size_t length);
/** A debugger's request for a core file, as it is taken from the bytes that came. */
struct wt_host_core_request {
    struct wt_host_core core; /**< its texts are those of `bytes` */
    uint8_t *bytes;
};
/**
 * Takes over a request of @p size bytes, which are copied. False: it is not sound, or there is no
 * host memory. wt_host_core_forget() frees it in any case.
 */
bool wt_host_core_take(struct wt_host_core_request *request, const uint8_t *bytes, size_t size);
/** Frees what wt_host_core_take() has taken. */
void wt_host_core_forget(struct wt_host_core_request *request);

/** The core file that `exec` wants of the first fault. Where it wants the recorded run, too
 * (history), the family has kernels recorded, whether or not a debugger comes. */
struct wt_core_on_fault {
    char path[4096];  /**< path of wt_file_name() */
    bool many;        /**< each file has a number: later faults have files, too */
    atomic_bool due;  /**< it has not come yet; false: none is wanted */
    uint64_t history; /**< issues of the recorded run in it; 0: nothing is recorded for it */
};
/** Sets it up from the environment. */
void wt_core_on_fault_begin(struct wt_core_on_fault *on_fault);
/**
 * Writes the file at a fault that `on_fault` waits for (the program's first one, or each), and
 * reports that on @p out; else nothing. @p lanes: of the wave, those at fault.
 */
void wt_core_on_fault_write(struct wt_core_on_fault *on_fault, struct wt_hosted *gpu,
                            const char *reason, uint32_t wave, uint64_t lanes, FILE *out);

#endif

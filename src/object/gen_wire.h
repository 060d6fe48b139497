/* The requests of a debugger of a host process with Gen9 GPUs, beside those that all families have
 * (object/process_wire.h): the kernels that the program runs. */
#ifndef WT_OBJECT_GEN_WIRE_H
#define WT_OBJECT_GEN_WIRE_H

#include "object/process_wire.h"

#define GEN_WIRE_FAMILY WT_WIRE_FAMILY(2)
/** The kind of the socket (base/private_dir.h). */
#define GEN_WIRE_SOCKET "gen9"
#define GEN_WIRE_NAME 120 /* bytes of a name, its zero included */
#define GEN_WIRE_GPUS 8u  /* the most that a process has */

/**
 * GPUs have an address space each. Where there are several, the member `device` of a message says
 * to which GPU its address belongs. The debugger marks code addresses of GPU n: it puts n + 1 into
 * the bits from GEN_WIRE_GPU_BIT on.
 */
#define GEN_WIRE_GPU_BIT 52

/** The name of source text N, from 1, as a file in debug information. There is no such file:
 * GEN_WIRE_SOURCE gives the text. */
#define GEN_WIRE_SOURCE_PATH "/opencl/program-%u.cl"

/* struct wt_wire_hello: units are a device's subslices; places are those of enum gen_wire_place.
 * EVENT: the debug support of the GPUs' driver is wanted from ATTACH on. FAULT is
 * about the walk of the device, whatever the wave. HITS gives the oldest that were not given yet.
 */
enum gen_wire_place {
    GEN_WIRE_SAVED, /**< the area of a GPU's thread 0, then the next */
    GEN_WIRE_SLM,   /**< where a thread sees the shared local memory of its group */
    GEN_WIRE_FILE,  /**< … and its own general registers, r0 first */
};

enum gen_wire_verb {
    GEN_WIRE_KERNELS = GEN_WIRE_FAMILY, /**< answered by struct gen_wire_kernel, as many as there
                                       are, up to WT_WIRE_MOST bytes */
    GEN_WIRE_ELF,    /**< addr: a kernel's number; value: offset; size: answered by as many
                        bytes of its ELF file, fewer at its end */
    GEN_WIRE_SOURCE, /**< addr: a source's number, from 1; likewise; -ENOENT: there is none */
    GEN_WIRE_RETRY,  /**< when the walk goes on, its instruction is tried again; a fault that
                        comes again at once ends the walk */
    GEN_WIRE_END,
};

/** A kernel that has run, or is about to. */
struct gen_wire_kernel {
    uint64_t number;    /**< from 1; never another one's */
    uint64_t address;   /**< address of its first instruction */
    uint64_t code_size; /**< bytes */
    uint64_t elf_size;  /**< elf size of its ELF file with debug information; 0: there is none */
    uint32_t device;    /**< in whose memory it is */
    uint32_t reserved;
    char name[GEN_WIRE_NAME];
};

/* WATCH, HITS: memory as a thread sees it. A thread that has accessed it has entered the system
 * routine behind the instruction; each channel's access is one. */

#endif

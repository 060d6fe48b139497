/* The requests of a debugger of a host process that uses libvortex.so, beside those that all
 * families have (object/process_wire.h): what it has uploaded. */
#ifndef WT_OBJECT_VORTEX_WIRE_H
#define WT_OBJECT_VORTEX_WIRE_H

#include "object/process_wire.h"

#define VORTEX_WIRE_FAMILY WT_WIRE_FAMILY(4)
#define VORTEX_WIRE_SOCKET "vortex" /* base/private_dir.h: the kind of socket */

/* struct wt_wire_hello: units are a device's cores; place[0] is XLEN, place[1] the address of the
 * exit word, place[2] threads of a warp, place[3] whether there is a launch unit. Registers are
 * those of the Debug Module. */

enum vortex_wire_verb {
    VORTEX_WIRE_PROGRAMS = VORTEX_WIRE_FAMILY, /**< answered by struct vortex_wire_program, one for
                                                    each; value[0]: the state */
    VORTEX_WIRE_ELF,   /**< addr: a program's id, value: offset, size: answered by the bytes of its
                            ELF file, fewer at its end */
    VORTEX_WIRE_RUN,   /**< value: lets the kernel run for so many issues at most: the result is why
                            it came back, enum vortex_wire_ran */
    VORTEX_WIRE_GO_ON, /**< a fault with which the kernel has come back ends it, as without a
                            debugger; another one is forgotten */
    VORTEX_WIRE_WORK,  /**< wave: answered by struct vortex_work; -ENOENT: it works on nothing that
                            the launch unit has started */
    VORTEX_WIRE_WRITES, /**< addr, with struct vortex_wire_writes behind it: answered by writes of
                             the host there, the latest first, struct wt_host_write
                             (base/object_view.h); value[0]: there are, or were, others before */
    VORTEX_WIRE_SHAPES, /**< answered by struct vortex_wire_shape, one for each device */
    VORTEX_WIRE_ID,     /**< wave: answered in value[0] by the id of the one in the slot */
};

/** Which writes: to [addr, addr + size), up to issue time `until`. */
struct vortex_wire_writes {
    uint64_t size, until;
};

enum vortex_wire_ran {
    VORTEX_WIRE_NOTHING, /**< no kernel runs, or it is still at it */
    VORTEX_WIRE_MORE,    /**< it has issued all of them */
    VORTEX_WIRE_EVENT,   /**< the Debug Module, a watch or a fault has something to tell */
    VORTEX_WIRE_IDLE,    /**< it cannot go on until the Debug Module lets it */
};

/** The work of a warp, on a device with a launch unit. */
struct vortex_work {
    uint32_t group[3], block[3]; /**< blockIdx, blockDim */
    uint32_t grid[3];            /**< threads of the whole grid */
    uint32_t rank;               /**< rank of the warp in its CTA */
    uint32_t place;              /**< place of the CTA in its core: CTA_ID */
    uint32_t local_size;         /**< bytes of the CTA's local memory */
    uint64_t local;              /**< its address */
};

struct vortex_wire_shape {
    uint32_t cores, warps, threads; /**< of all clusters, of a core, of a warp */
    uint32_t xlen, ctas;
};

struct vortex_wire_program {
    uint64_t id; /**< no other program of the process has it or had it */
    uint64_t addr, size;
    uint32_t device, has_elf;
    char name[256]; /**< name of the ELF file, or of the kernel's */
};

#endif

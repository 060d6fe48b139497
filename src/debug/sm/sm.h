/*
 * The probe of NVIDIA's SM: how it reaches a device. It uses what a debugger has on a real system:
 * the registers of the SM debugger on the bus, and the kernel driver, which installs the trap
 * handler and reads and writes what the handler has saved of a warp (nvgpu, class 83DE; CUDA
 * debugger API: readRegister, readPC, readLocalMemory, …).
 */
#ifndef WT_DEBUG_SM_SM_H
#define WT_DEBUG_SM_SM_H

#include "debug/core/probe.h"
#include "debug/standstill/link.h"
#include "object/sm_wire.h"

/** Registers of a warp by the driver's numbers. */
enum wt_sm_register {
    WT_SM_R0 = 0,   /**< R0 to R254: 32 bits a lane */
    WT_SM_P0 = 256, /**< P0 to P6: masks of lanes */
    WT_SM_CC_Z = 264,
    WT_SM_CC_S,
    WT_SM_CC_C,
    WT_SM_CC_O,
    WT_SM_PC = 272, /**< 64 bits: where the warp is, be it in the trap handler */
    WT_SM_ACTIVE,
    WT_SM_WARP_ESR,
    WT_SM_ESR_PC, /**< 64 bits */
    WT_SM_TRAPPED,
    WT_SM_USER_PC, /**< 64 bits: the program's */
    WT_SM_USER_MASK,
    WT_SM_FRAME, /**< PTX: of each lane: the row of the register file with which its frame begins */
    WT_SM_RETURN, /**< PTX: of each lane, 64 bits: where its function returns to */
    WT_SM_CALLER, /**< PTX: of each lane: the row of its caller's frame */
    WT_SM_LOCAL,  /**< PTX: where the frame's part of local memory begins: 32 bits a lane */
};

/** A warp's register file in the generic space, above all addresses of the GPU: expressions read it
 * there. And the bytes of a row, a dword for each lane. */
#define WT_SM_FILE_WINDOW (UINT64_C(1) << 63)
/** Where a kernel's parameters begin in constant bank 0 (sm_50). */
#define WT_SM_PARAMETERS 0x140
#define WT_SM_FILE_ROW 128u

/** Generic addresses: where shared memory of a block, and local memory of a thread, begin. */
#define WT_SM_SHARED_WINDOW UINT64_C(0xfe000000)
#define WT_SM_LOCAL_WINDOW UINT64_C(0xff000000)

/** wt_link.place: the trap handler's address; 0: there is none, and the trap unit pauses warps
 * itself. Units are a GPU's SMs. The driver answers the requests of object/sm_wire.h. */
enum { WT_SM_HANDLER };

extern const struct wt_probe_ops wt_probe_sm;

#endif

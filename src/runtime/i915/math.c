/* MI_MATH: the command streamer's arithmetic on its sixteen registers of 64 bits (Skylake PRM
 * volume 2a, "MI_MATH"). */
#include <inttypes.h>

#include "runtime/i915/internal.h"

/* Operation codes of the unit: bits 31:20 of a dword. */
enum {
    NOOP = 0x000,
    LOAD = 0x080,
    LOAD0 = 0x081,
    ADD = 0x100,
    SUB = 0x101,
    AND = 0x102,
    OR = 0x103,
    XOR = 0x104,
    STORE = 0x180,
    LOADINV = 0x480,
    LOAD1 = 0x481,
    STOREINV = 0x580,
};

/* Operands beside the registers 0 to 15. */
enum { SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, ZF = 0x32, CF = 0x33 };

struct math_unit {
    uint64_t a, b, accumulator;
    bool carry;
};

static uint64_t get(const struct drm_gpu_state *gpu, unsigned which)
{
    const uint32_t at = DRM_GENERAL_REGISTERS + 8 * which;
    return (uint64_t)drm_register_get(gpu, at + 4) << 32 | drm_register_get(gpu, at);
}

static bool set(struct drm_gpu_state *gpu, unsigned which, uint64_t value)
{
    const uint32_t at = DRM_GENERAL_REGISTERS + 8 * which;
    return drm_register_set(gpu, at, (uint32_t)value) &&
           drm_register_set(gpu, at + 4, (uint32_t)(value >> 32));
}

static enum wt_status load(const struct drm_gpu_state *gpu, struct math_unit *u, uint32_t dword,
                           struct wt_error *err)
{
    const unsigned opcode = dword >> 20, to = dword >> 10 & 0x3ff, from = dword & 0x3ff;
    uint64_t value;
    if ((to != SRCA && to != SRCB) || ((opcode == LOAD || opcode == LOADINV) && from > 15))
        return wt_fail(err, WT_INVALID, "0x%08" PRIx32 " loads 0x%x from 0x%x", dword, to, from);
    switch (opcode) {
    case LOAD0:
        value = 0;
        break;
    case LOAD1:
        value = UINT64_MAX;
        break;
    default:
        value = get(gpu, from);
        break;
    }
    *(to == SRCA ? &u->a : &u->b) = opcode == LOADINV ? ~value : value;
    return WT_OK;
}

static enum wt_status store(struct drm_gpu_state *gpu, const struct math_unit *u, uint32_t dword,
                            struct wt_error *err)
{
    const unsigned to = dword >> 10 & 0x3ff, from = dword & 0x3ff;
    if (to > 15 || (from != ACCU && from != ZF && from != CF))
        return wt_fail(err, WT_INVALID, "0x%08" PRIx32 " stores 0x%x to 0x%x", dword, from, to);
    const uint64_t value = from == ACCU ? u->accumulator
                           : from == ZF ? (u->accumulator ? 0 : UINT64_MAX)
                                        : (u->carry ? UINT64_MAX : 0);
    if (!set(gpu, to, dword >> 20 == STOREINV ? ~value : value))
        return wt_fail(err, WT_INVALID, "more than %d registers are used", MOST_REGISTERS);
    return WT_OK;
}

static enum wt_status step(struct drm_gpu_state *gpu, struct math_unit *u, uint32_t dword,
                           struct wt_error *err)
{
    switch (dword >> 20) {
    case NOOP:
        return WT_OK;
    case LOAD:
    case LOADINV:
    case LOAD0:
    case LOAD1:
        return load(gpu, u, dword, err);
    case STORE:
    case STOREINV:
        return store(gpu, u, dword, err);
    case ADD:
        u->accumulator = u->a + u->b;
        u->carry = u->accumulator < u->a;
        return WT_OK;
    case SUB:
        u->accumulator = u->a - u->b;
        u->carry = u->a < u->b;
        return WT_OK;
    case AND:
        u->accumulator = u->a & u->b;
        u->carry = false;
        return WT_OK;
    case OR:
        u->accumulator = u->a | u->b;
        u->carry = false;
        return WT_OK;
    case XOR:
        u->accumulator = u->a ^ u->b;
        u->carry = false;
        return WT_OK;
    default:
        return wt_fail(err, WT_INVALID,
                       "0x%08" PRIx32 " has operation code 0x%03" PRIx32 ", which there is not",
                       dword, dword >> 20);
    }
}

enum wt_status drm_math(struct drm_gpu_state *gpu, const uint32_t *dwords, unsigned count,
                        struct wt_error *err)
{
    struct math_unit u = {0};
    enum wt_status status;
    for (unsigned i = 0; i < count; i++)
        if ((status = step(gpu, &u, dwords[i], err)) != WT_OK)
            return status;
    return WT_OK;
}

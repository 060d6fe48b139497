/* Registers that say where a translation table is and how long. */
#include <assert.h>

#include "emulator/gen/gtt/gtt.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

struct wt_pgtbl_ctl wt_pgtbl_ctl(uint32_t value)
{
    static const uint64_t bytes[8] = {512 * KIB, 256 * KIB,  128 * KIB, 1 * MIB,
                                      2 * MIB,   1536 * KIB, 0,         0};
    struct wt_pgtbl_ctl c = {
        .enabled = value & 1,
        .size_code = value >> 1 & 7,
        .base = (value & 0xfffff000) | (uint64_t)(value >> 4 & 0xf) << 32,
    };
    c.bytes = bytes[c.size_code];
    c.unknown_size = !c.bytes;
    if (c.unknown_size)
        c.bytes = 512 * KIB;
    return c;
}

/* gen5: bits 11:8; bit 11 says that the table is for VT-d, too (linux intel-agp.h,
 * G4x_GMCH_SIZE_*). */
static uint64_t gen5_gtt_bytes(uint16_t value)
{
    switch (value >> 8 & 0xf) {
    case 0x1:
    case 0x9:
        return 1 * MIB;
    case 0xa:
        return 1536 * KIB;
    case 0x3:
    case 0xb:
        return 2 * MIB;
    default:
        return 0;
    }
}

struct wt_gmch_ctrl wt_gmch_ctrl(unsigned gen, uint16_t value)
{
    assert(gen >= 5 && gen <= 9);
    struct wt_gmch_ctrl c = {0};
    if (gen == 5) {
        c.gtt_bytes = gen5_gtt_bytes(value);
    } else if (gen < 8) {
        c.gtt_bytes = (value >> 8 & 3) * MIB;
        c.stolen_bytes = (value >> 3 & 0x1f) * 32 * MIB;
    } else {
        const unsigned size = value >> 6 & 3;
        const unsigned stolen = value >> 8;
        c.gtt_bytes = size ? ((uint64_t)1 << size) * MIB : 0;
        c.stolen_bytes =
            gen == 9 && stolen >= 0xf0 ? (stolen - 0xf0 + 1) * 4 * MIB : stolen * 32 * MIB;
    }
    return c;
}

const char *wt_gtt_probe_function(unsigned gen)
{
    return gen <= 5 ? "i915_gmch_probe" : gen < 8 ? "gen6_gmch_probe" : "gen8_gmch_probe";
}

uint64_t wt_gtt_reach(unsigned gen, uint64_t table_bytes)
{
    return table_bytes / (gen < 8 ? 4 : 8) * 4 * KIB;
}

/* The models of the family. See models.h; a GPU is added by a row here and by its rows of isa.def.
 */
#include "emulator/gcn/models.h"
#include "emulator/gcn/isa.h"

#include <stdio.h>
#include <string.h>

#include "object/contained.h"

/* Registers, waves, LDS and GDS of Vega, and of GPUs that differ in rows and slots of a SIMD. */
#define VEGA_CORE(rows, granule, slots)                                                            \
    .most_dwords = 2, .vgprs = 256, .vgpr_rows = rows, .vgpr_granule = granule, .sgprs = 800,      \
    .sgpr_granule = 16, .simds = 4, .waves_per_simd = slots, .lds_bytes = 65536,                   \
    .gds_bytes = 65536, .items = 1024

/* Shared by gfx90a and its successors: one file for both kinds of registers. */
#define CDNA2_CORE                                                                                 \
    VEGA_CORE(512, 8, 8), .agprs = 256, .unified = true, .row_granule = 8, .packed_items = true,   \
                          .wide_dpp = true, .precise_memory = true, .long_copies = true

/* An RDNA 2: its name, preference, number in e_flags, version, chip, PCI device; its compute units,
 * engines, arrays of each; KiB of L2, bits of the memory's bus. */
#define NAVI(name_, rank, mach, number, chip_, pci, units, engines_, arrays_, l2, bus)             \
    {                                                                                              \
        .target = {.name = (name_), .machine = (mach), .generic = 0x53, .lanes = 32},              \
        .preference = (rank), .set = GCN_ON_GFX10, .encodings = GCN_GFX10,                         \
        .most_dwords = GCN_MOST_DWORDS, .paired_units = true, .halts_in_place = true,              \
        .lds_direct = true, .tfe = true, .gds = true, .chip = (chip_),                             \
        .marketing = "wavetrap " name_, .version = (number), .device_id = (pci), .firmware = 468,  \
        .vgprs = 256, .vgpr_rows = 1024, .vgpr_granule = 8, .row_granule = 16, .sgprs = 128 * 16,  \
        .sgpr_granule = 128, .simds = 2, .waves_per_simd = 16, .lds_bytes = 65536,                 \
        .gds_bytes = 65536, .items = 1024, .cu = (units), .engines = (engines_),                   \
        .arrays = (arrays_), .cu_per_array = (units) / ((engines_) * (arrays_)), .l1_kbytes = 16,  \
        .l2_kbytes = (l2), .l2_line = 128, .engine_mhz = 2250, .memory_mhz = 1000,                 \
        .memory_bits = (bus), .sdma_engines = 2, .sdma_queues = 8, .compute_queues = 8,            \
        .long_copies = true,                                                                       \
    }

const char gcn_before_gfx10[] = "gfx900 to gfx942", gcn_since_gfx10[] = "gfx1030 to gfx1036";

const struct gcn_model gcn_models[] = {
    {
        .target = {.name = "gfx900", .machine = 0x2c, .generic = 0x51, .lanes = 64},
        .preference = 1,
        .set = GCN_ON_GFX900,
        .lds_direct = true,
        .tfe = true,
        .gds = true,
        .chip = "vega10",
        .marketing = "wavetrap gfx900",
        .version = 90000,
        .device_id = 0x687f,
        .firmware = 468,
        VEGA_CORE(256, 4, 10),
        .cu = 64,
        .engines = 4,
        .arrays = 2,
        .cu_per_array = 16,
        .l1_kbytes = 16,
        .l2_kbytes = 4096,
        .l2_line = 64,
        .engine_mhz = 1630,
        .memory_mhz = 945,
        .memory_bits = 2048,
        .sdma_engines = 2,
        .sdma_queues = 2,
        .compute_queues = 24,
    },
    {
        .target =
            {.name = "gfx906", .machine = 0x2f, .generic = 0x51, .lanes = 64, .sramecc = true},
        .preference = 9,
        .set = GCN_ON_GFX906,
        .lds_direct = true,
        .tfe = true,
        .gds = true,
        .chip = "vega20",
        .marketing = "wavetrap gfx906",
        .version = 90006,
        .device_id = 0x66a1,
        .firmware = 468,
        VEGA_CORE(256, 4, 10),
        .cu = 64,
        .engines = 4,
        .arrays = 1,
        .cu_per_array = 16,
        .l1_kbytes = 16,
        .l2_kbytes = 8192,
        .l2_line = 64,
        .engine_mhz = 1725,
        .memory_mhz = 1000,
        .memory_bits = 4096,
        .sdma_engines = 2,
        .sdma_queues = 8,
        .compute_queues = 24,
    },
    {
        .target = {.name = "gfx908", .machine = 0x30, .lanes = 64, .sramecc = true},
        .preference = 10,
        .set = GCN_ON_GFX908,
        .lds_direct = true,
        .tfe = true,
        .gds = true,
        .chip = "arcturus",
        .marketing = "wavetrap gfx908",
        .version = 90008,
        .device_id = 0x738c,
        .firmware = 468,
        VEGA_CORE(256, 4, 10),
        .agprs = 256,
        .cu = 120,
        .engines = 8,
        .arrays = 1,
        .cu_per_array = 16,
        .l1_kbytes = 16,
        .l2_kbytes = 8192,
        .l2_line = 64,
        .engine_mhz = 1502,
        .memory_mhz = 1200,
        .memory_bits = 4096,
        .sdma_engines = 2,
        .sdma_queues = 8,
        .compute_queues = 24,
    },
    {
        .target = {.name = "gfx90a",
                   .machine = 0x3f,
                   .lanes = 64,
                   .sramecc = true,
                   .xnack = GCN_XNACK_EITHER},
        .preference = 12,
        .set = GCN_ON_GFX90A,
        .chip = "aldebaran",
        .marketing = "wavetrap gfx90a",
        .version = 90010,
        .device_id = 0x740c,
        .firmware = 468,
        CDNA2_CORE,
        .flushes_matrices = true,
        .cu = 104,
        .engines = 8,
        .arrays = 1,
        .cu_per_array = 14,
        .l1_kbytes = 16,
        .l2_kbytes = 8192,
        .l2_line = 128,
        .engine_mhz = 1700,
        .memory_mhz = 1600,
        .memory_bits = 4096,
        .sdma_engines = 2,
        .sdma_queues = 8,
        .compute_queues = 24,
    },
    {
        .target = {.name = "gfx942",
                   .machine = 0x4c,
                   .generic = 0x5f,
                   .lanes = 64,
                   .sramecc = true,
                   .xnack = GCN_XNACK_EITHER},
        .preference = 11,
        .set = GCN_ON_GFX942,
        .chip = "aqua_vanjaram",
        .marketing = "wavetrap gfx942",
        .version = 90402,
        .device_id = 0x74a1,
        .firmware = 468,
        CDNA2_CORE,
        .fused_matrices = true,
        .states_by_passes = true,
        .private_registers = true,
        .halts_in_place = true,
        .scoped_caches = true,
        .cu = 304,
        .xcc = 8,
        .engines = 32,
        .arrays = 1,
        .cu_per_array = 10,
        .l1_kbytes = 32,
        .l2_kbytes = 4096,
        .l2_line = 128,
        .engine_mhz = 2100,
        .memory_mhz = 1300,
        .memory_bits = 8192,
        .sdma_engines = 2,
        .sdma_queues = 8,
        .compute_queues = 24,
    },
    NAVI("gfx1030", 8, 0x36, 100300, "navi21", 0x73af, 80, 4, 2, 4096, 256),
    NAVI("gfx1031", 7, 0x37, 100301, "navi22", 0x73df, 40, 2, 2, 3072, 192),
    NAVI("gfx1032", 6, 0x38, 100302, "navi23", 0x73ff, 32, 2, 2, 2048, 128),
    NAVI("gfx1033", 5, 0x39, 100303, "vangogh", 0x163f, 8, 1, 1, 1024, 128),
    NAVI("gfx1034", 4, 0x3e, 100304, "navi24", 0x743f, 16, 1, 2, 1024, 64),
    NAVI("gfx1035", 3, 0x3d, 100305, "rembrandt", 0x1681, 12, 1, 2, 2048, 64),
    NAVI("gfx1036", 2, 0x45, 100306, "raphael", 0x164e, 2, 1, 1, 256, 64),
    {.target.name = NULL},
};

const struct gcn_model *gcn_model_preferred(const struct gcn_model *before)
{
    const struct gcn_model *best = NULL;
    for (const struct gcn_model *m = gcn_models; m->target.name; m++)
        if ((!before || m->preference < before->preference) &&
            (!best || m->preference > best->preference))
            best = m;
    return best;
}

static bool has_code(const uint8_t *bytes, size_t length, const struct gcn_model *model)
{
    struct gcn_contained found;
    for (size_t at = 0; gcn_contained_next(bytes, length, &model->target, &at, &found);)
        if (found.usable)
            return true;
    return false;
}

const struct gcn_model *gcn_model_of_code(const uint8_t *bytes, size_t length, char *all,
                                          size_t size)
{
    const struct gcn_model *chosen = NULL;
    size_t used = 0;
    *all = 0;
    for (const struct gcn_model *m = NULL; (m = gcn_model_preferred(m));)
        if (has_code(bytes, length, m)) {
            chosen = chosen ? chosen : m;
            used +=
                (size_t)snprintf(all + used, size - used, "%s%s", used ? ", " : "", m->target.name);
            used = used < size ? used : size - 1;
        }
    return chosen;
}

void gcn_model_tell_unfit(const char *held, const struct gcn_target *target,
                          const struct gcn_model *other, char *text, size_t size)
{
    const bool same = other && strcmp(other->target.name, target->name) == 0,
               on = target->xnack == GCN_XNACK_ON;
    snprintf(text, size, "it holds code for %s, not for %s%s: compile with --offload-arch=%s%s%s",
             held, target->name,
             !same ? ""
             : on  ? ":xnack+"
                   : ":xnack-",
             target->name,
             !other  ? ""
             : !same ? ", or run it with -g "
             : on    ? ", or run it without HSA_XNACK=1"
                     : ", or run it with HSA_XNACK=1",
             other && !same ? other->target.name : "");
}

const struct gcn_model *gcn_model_of_machine(uint32_t flags)
{
    for (const struct gcn_model *m = gcn_models; m->target.name; m++)
        if ((flags & 0xff) && (m->target.machine == (flags & 0xff) || /* EF_AMDGPU_MACH */
                               m->target.generic == (flags & 0xff)))
            return m;
    return NULL;
}

const struct gcn_model *gcn_model_of_version(uint32_t version)
{
    for (const struct gcn_model *m = gcn_models; m->target.name; m++)
        if (m->version == version)
            return m;
    return NULL;
}

const struct gcn_model *gcn_model_find(const char *name, size_t length)
{
    for (const struct gcn_model *m = gcn_models; m->target.name; m++)
        if (strlen(m->target.name) == length && memcmp(m->target.name, name, length) == 0)
            return m;
    return NULL;
}

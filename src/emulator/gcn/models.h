/*
 * What varies between the GPUs of the family: a model is one constant structure a GPU. Code asks
 * the structure; no name and no number of a GPU stands elsewhere.
 */
#ifndef WT_EMULATOR_GCN_MODELS_H
#define WT_EMULATOR_GCN_MODELS_H

#include <stddef.h>
#include <stdint.h>

#include "object/gcn_target.h"

/** Sets of models, with a bit for each: those that rows of isa.def name. */
enum gcn_model_set {
    GCN_ON_GFX900 = 1,
    GCN_ON_GFX906 = 2,
    GCN_ON_GFX908 = 4,
    GCN_ON_GFX90A = 8,
    GCN_ON_GFX942 = 16,
    GCN_ON_GFX942_UP = GCN_ON_GFX942,                    /**< that and later ones of its line */
    GCN_ON_GFX90A_UP = GCN_ON_GFX90A | GCN_ON_GFX942_UP, /**< likewise */
    GCN_ON_GFX908_UP = GCN_ON_GFX908 | GCN_ON_GFX90A_UP, /**< likewise */
    GCN_ON_GFX906_UP = GCN_ON_GFX906 | GCN_ON_GFX908_UP, /**< likewise */
    GCN_ON_GFX9 = GCN_ON_GFX900 | GCN_ON_GFX906_UP,      /**< all */
    GCN_ON_TO_GFX908 = GCN_ON_GFX9 & ~GCN_ON_GFX90A_UP,  /**< that and earlier ones */
    GCN_ON_TO_GFX90A = GCN_ON_GFX9 & ~GCN_ON_GFX942_UP,  /**< likewise */
    GCN_ON_GFX908_GFX90A = GCN_ON_GFX908 | GCN_ON_GFX90A,
    GCN_ON_NONE = 0, /**< none of them: it came with gfx10 */
    GCN_ON_GFX10 = 32,
};

/** How instructions are encoded. */
enum gcn_encodings { GCN_GFX9, GCN_GFX10 };

/** One GPU. Sources: LLVM, "User Guide for AMDGPU Backend" (names, e_flags, descriptors); linux
 * amdkfd (topology); "Vega" instruction set manual (registers, LDS). */
struct gcn_model {
    struct gcn_target target; /**< its name is that in ISA names and in --gpu, too */
    uint8_t set;              /**< its bit: enum gcn_model_set */
    uint8_t preference;       /**< the greatest number is preferred where code is for several. It is
                                   gfx90a's, since Debian 12's HIP does not know gfx942 */
    enum gcn_encodings encodings;
    uint8_t most_dwords;   /**< dwords of its longest instruction */
    const char *chip;      /**< as the kernel driver names it */
    const char *marketing; /**< what programs show */
    uint32_t version;      /**< gfx_target_version: major, minor and stepping, two digits each */
    uint16_t device_id;    /**< device id of its PCI device */
    uint16_t firmware;     /**< version of the micro engine's firmware that programs are told */

    /* registers */
    uint16_t vgprs; /**< that a wave may have */
    uint16_t agprs; /**< accumulation registers that a wave may have; 0: none */
    bool unified;   /**< they lie behind a wave's VGPRs, of which its kernel's descriptor says how
                         many there are; operands of either kind are named alike, tuples begin at
                         even registers. Else a wave has as many as it has VGPRs */
    uint16_t vgpr_rows;   /**< vgpr rows of a SIMD, for all of its waves */
    uint8_t vgpr_granule; /**< in which a kernel descriptor counts them */
    uint8_t row_granule;  /**< in which a SIMD gives its rows, a power of two; 0: that one */
    uint16_t sgprs;       /**< sgprs of a SIMD, for all of its waves */
    uint8_t sgpr_granule; /**< in which a kernel descriptor counts them */

    /* the chip */
    uint8_t simds;          /**< simds of a compute unit, a power of two */
    uint8_t waves_per_simd; /**< slots */
    uint32_t lds_bytes;     /**< lds bytes of a compute unit, and of a work-group */
    uint32_t gds_bytes;     /**< the device's */
    uint16_t items;         /**< items of a work-group, at most */
    bool lds_direct;        /**< vector sources may be a value in LDS, by M0 */
    bool tfe;               /**< buffers and images can say what is not resident */
    bool wide_dpp;          /**< row_newbcast, for floating operands of 64 bits, too */
    bool gds;               /**< the data share's instructions can reach GDS */
    bool flushes_matrices;  /**< products of halves and bfloats know no denormals; nor do halves of
                                 v_dot2_f32_f16 */
    bool fused_matrices; /**< the products of a group are added exactly, then cut; the memory's f32
                              sums keep denormals */
    bool states_by_passes;  /**< wait states behind a product go by its passes, and vector
                                 instructions need some among themselves */
    bool private_registers; /**< a wave starts with its private memory's address in FLAT_SCRATCH,
                                 and both a vector and a scalar register may be its offset */
    bool halts_in_place;    /**< the runtime's trap handler halts a wave where it was, and has no
                                 other place for it to wait at */
    bool scoped_caches;     /**< bits of an access (SC0, SC1) say among whom it is seen */
    bool paired_units; /**< two compute units are a work-group processor, which ROCm's HIP counts */
    bool packed_items; /**< a wave starts with its work-items' coordinates in v0, 10 bits each */
    uint16_t cu;       /**< compute units, at most */
    uint8_t xcc;       /**< dies that share the work, each with its L2, at most; 0: one */
    uint8_t engines;   /**< shader engines, at most */
    uint8_t arrays;    /**< shader arrays of an engine, at most */
    uint8_t cu_per_array; /**< compute units of a shader array, at most */

    /* what the driver's topology says of it besides */
    uint16_t l1_kbytes, l2_kbytes;     /**< caches: of a compute unit, of the device */
    uint16_t l2_line;                  /**< bytes of a line of the latter */
    uint16_t engine_mhz, memory_mhz;   /**< clocks */
    uint16_t memory_bits;              /**< width of its memory's bus */
    uint8_t sdma_engines, sdma_queues; /**< copy engines, queues of each */
    uint8_t compute_queues;            /**< that the driver may give out */
    bool precise_memory; /**< debuggers may ask for accesses one by one, and TTMPs tell of a wave's
                            dispatch only where they are set up */
    bool long_copies;    /**< a packet of a copy engine has up to 2^30 bytes, not 2^22 */
};

/** All models; one without a name ends them. The first is the family's default. */
extern const struct gcn_model gcn_models[];

/** Which models have the registers of gfx9, and which those of gfx10, for people. */
extern const char gcn_before_gfx10[], gcn_since_gfx10[];
/** The model that is preferred next after @p before where code is for several; NULL: the first one,
 * which is that of `-g gcn`, too; NULL if it was the last one. */
const struct gcn_model *gcn_model_preferred(const struct gcn_model *before);

/* Sizes of arrays: as much as any model has. */
#define GCN_MOST_VGPRS 256
#define GCN_MOST_ROWS 512 /* VGPRs, then accumulation registers */
#define GCN_MOST_CU 304
#define GCN_MASK_WORDS ((GCN_MOST_CU + 63) / 64) /* words of 64 bits in a mask of compute units */
#define GCN_MOST_SIMDS 4
#define GCN_MOST_CU_WAVES 40
#define GCN_MOST_LDS 65536
#define GCN_MOST_GDS 65536
#define GCN_MOST_WAVES (GCN_MOST_CU * GCN_MOST_CU_WAVES)

/** The number of the first accumulation register in a wave's rows. */
enum { GCN_AGPR = GCN_MOST_VGPRS };

/** Whether the model's instructions have the encodings of gfx10. */
static inline bool gcn_is_gfx10(const struct gcn_model *model)
{
    return model->encodings == GCN_GFX10;
}

/** VGPRs of a unit in which the descriptor of a kernel for waves of @p lanes counts. */
static inline uint32_t gcn_model_granule(const struct gcn_model *model, uint32_t lanes)
{
    return model->vgpr_granule * model->target.lanes / lanes;
}

/** Rows that so many registers of a wave of @p lanes take of a SIMD's, whose rows have
 * model->target.lanes values. */
static inline uint32_t gcn_model_taken(const struct gcn_model *model, uint32_t lanes,
                                       uint32_t vgprs, uint32_t agprs)
{
    const uint32_t unit = model->row_granule,
                   rows = lanes > model->target.lanes ? 2 * vgprs : vgprs;
    return unit ? (rows + (model->unified ? agprs : 0) + unit - 1) & ~(unit - 1) : rows;
}

/** Rows of a wave that has so many registers, where its context is saved. */
static inline uint32_t gcn_model_saved(const struct gcn_model *model, uint32_t vgprs,
                                       uint32_t agprs)
{
    return model->unified ? gcn_model_taken(model, model->target.lanes, vgprs, agprs)
                          : vgprs + agprs;
}

/** Rows of a SIMD, of both kinds. */
static inline uint32_t gcn_model_simd_rows(const struct gcn_model *model)
{
    return model->vgpr_rows * (model->agprs && !model->unified ? 2u : 1u);
}

/** Rows of a wave: its VGPRs and, from GCN_AGPR on, its accumulation registers. */
static inline uint32_t gcn_model_rows(const struct gcn_model *model)
{
    return model->agprs ? GCN_AGPR + model->agprs : model->vgprs;
}

/** Waves that a compute unit has slots for. */
static inline uint32_t gcn_model_cu_waves(const struct gcn_model *model)
{
    return (uint32_t)model->simds * model->waves_per_simd;
}

/** The SIMD of a wave's slot, of a compute unit or of the device. */
static inline uint32_t gcn_simd_of(const struct gcn_model *model, uint32_t slot)
{
    return slot & (model->simds - 1u);
}

/**
 * The last model that runs code in these bytes of a program; NULL: there is none. @p all: the
 * names of all such models, the last first.
 */
const struct gcn_model *gcn_model_of_code(const uint8_t *bytes, size_t length, char *all,
                                          size_t size);
/**
 * Writes a sentence about code that @p target does not run: which models @p held names, and what
 * the user can do. "it holds code for gfx906, not for gfx900: compile with …, or run it with …". @p
 * other: the model that runs it, or NULL.
 */
void gcn_model_tell_unfit(const char *held, const struct gcn_target *target,
                          const struct gcn_model *other, char *text, size_t size);
/** The model that code with these e_flags is for, of generic code the first; NULL: there is none.
 */
const struct gcn_model *gcn_model_of_machine(uint32_t flags);
/** The model of a target version (9.0.10 is 90010); NULL: there is none. */
const struct gcn_model *gcn_model_of_version(uint32_t version);
/** The model of a name, of which @p length bytes count; NULL: there is none. */
const struct gcn_model *gcn_model_find(const char *name, size_t length);

#endif

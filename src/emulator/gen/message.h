/* Messages to shared functions: what send and sends say, decoded. */
#ifndef WT_EMULATOR_GEN_MESSAGE_H
#define WT_EMULATOR_GEN_MESSAGE_H

#include "emulator/gen/internal.h"

/** Shared functions (Skylake PRM volume 7, "Shared Functions"). */
enum gen_sfid {
    GEN_SFID_NULL = 0,
    GEN_SFID_SAMPLER = 2,
    GEN_SFID_GATEWAY = 3,
    GEN_SFID_SPAWNER = 7,
    GEN_SFID_CONSTANT = 9, /**< constant cache data port: block reads */
    GEN_SFID_DC0 = 10,
    GEN_SFID_DC1 = 12,
};

/** A message type of the sampler, desc[16:12]: its caches are emptied. */
enum { GEN_SAMPLER_FLUSH = 31 };

/** Binding table indices that are no entries of the table. */
enum {
    GEN_BTI_SYSTEM = 0xfc,
    GEN_BTI_STATELESS_NC = 0xfd,
    GEN_BTI_SLM = 0xfe,
    GEN_BTI_STATELESS = 0xff
};

/** SURFTYPE (Skylake PRM volume 2d, RENDER_SURFACE_STATE). */
enum gen_surface_kind {
    GEN_SURFACE_1D = 0,
    GEN_SURFACE_2D = 1,
    GEN_SURFACE_3D = 2,
    GEN_SURFACE_CUBE = 3,
    GEN_SURFACE_BUFFER = 4,
    GEN_SURFACE_NULL = 7,
};

/** Tile modes. */
enum gen_tiling { GEN_TILING_LINEAR = 0, GEN_TILING_W = 1, GEN_TILING_X = 2, GEN_TILING_Y = 3 };

/** A surface: where a binding table index leads. */
struct gen_surface {
    bool is_slm, is_array;
    uint64_t base;
    uint64_t size;  /**< bytes, of a buffer; elements, if its format is not raw */
    uint8_t kind;   /**< enum gen_surface_kind */
    uint8_t tiling; /**< enum gen_tiling */
    uint16_t format;
    uint32_t width, height;      /**< elements, rows */
    uint32_t depth;              /**< slices, or elements of an array */
    uint32_t pitch;              /**< bytes from row to row; of a buffer from element to element */
    uint32_t slice_pitch;        /**< rows from slice to slice; of 1D arrays texels */
    uint32_t x_offset, y_offset; /**< elements, rows */
    uint32_t first_layer;
    uint32_t levels;   /**< mip levels */
    uint8_t select[4]; /**< what red, green, blue and alpha show: SCS_… */
};

/** A mistake in a message: gen_fault with its name in front. */
const struct gen_uop *gen_message_fault(const struct gen_message *m, enum wt_fault_kind kind,
                                        uint32_t lanes, uint64_t addr, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/** The lengths do not fit @p which message: "a typed". */
const struct gen_uop *gen_message_length(const struct gen_message *m, const char *which);
/** This emulator does not have the message. */
const struct gen_uop *gen_message_unknown(const struct gen_message *m);

/** Data ports 0 and 1 and the constant cache's (dataport.c). */
const struct gen_uop *gen_dataport(struct gen_message *m);
/** Typed reads, writes and atomics of data port 1 (typed.c). */
const struct gen_uop *gen_typed(struct gen_message *m);
/** The sampler (sampler.c). */
const struct gen_uop *gen_sampler(struct gen_message *m);

/** The layout of a message's registers, by its descriptor. */
enum gen_message_form {
    GEN_MESSAGE_SCATTERED, /**< addresses of the lanes, then elements of them */
    GEN_MESSAGE_BLOCK,     /**< whole registers, behind a header */
    GEN_MESSAGE_TEXELS,    /**< registers of coordinates, and of components */
    GEN_MESSAGE_OTHER,     /**< no memory, or a message that is not executed */
};
struct gen_message_shape {
    bool loads;   /**< its response has what memory had */
    bool changes; /**< an atomic */
    bool wide_addresses;
    unsigned unit;              /**< bytes that an address counts */
    unsigned lanes, first_lane; /**< the instruction's channels */
    unsigned slot, stored;      /**< bytes of an element in registers; of these, that are stored */
    unsigned elements;          /**< that a lane loads or stores; TEXELS: that it loads at most */
    unsigned sources; /**< elements of the payload: what is stored, or operands of the atomic */
    unsigned block, within; /**< BLOCK: bytes; those of the first register before it */
};
/** The shape of a message to shared function @p sfid. */
enum gen_message_form gen_message_shape(unsigned sfid, uint32_t desc,
                                        struct gen_message_shape *shape);

struct gen_texel_format;

enum { GEN_NO_COMPONENT = 0xff };

/** The effect of a message on texels, by its surface and registers as they are now. */
struct gen_texels {
    const struct gen_texel_format *format;
    bool mixes;           /**< a result may be computed of several texels */
    uint32_t used;        /**< a bit for each parameter (coordinate, level) that it looks at */
    unsigned components;  /**< registers of data that may be there, */
    uint8_t component[4]; /**< and which component of a texel each one has, 0 red, 3 alpha;
                               GEN_NO_COMPONENT: a constant */
};
/** Finds it for a message of the sampler (sampler.c). False: it has no texels, or is not executed.
 */
bool gen_sampler_texels(const struct gen_message *m, struct gen_texels *to);
/** Likewise for a message of data port 1 (typed.c). */
bool gen_typed_texels(const struct gen_message *m, struct gen_texels *to);

/** Reads what a message to a shared function says, by the thread's registers: all but `on`.
 * Returns what is wrong with it, or NULL (send.c). */
const char *gen_read_message(struct gen_thread *t, const struct gen_uop *u, struct gen_message *m);

struct wt_insn_operands;
/** Tells of an instruction that a thread is about to execute which bytes of texels its registers
 * have (machine/operands.h), if it is a message of texels; drops coordinates that are not looked at
 * (texels.c). */
void gen_list_texels(struct gen_thread *t, const struct gen_uop *u, struct wt_insn_operands *o);

/* ---- surface.c: surfaces, and single accesses of memory; *next: machine/engine.h ---- */

/* The GRFs of the message's thread. */
static inline uint8_t *gen_registers(const struct gen_message *m)
{
    return m->t->g->r;
}

/** The byte offset of a payload's register, counted through both of its parts. */
unsigned gen_payload_register(const struct gen_message *m, unsigned index);
/**
 * Finds a surface of texels: an image of one level whose kind is not above @p most and whose
 * format, which *format becomes, is executed. @p use, for errors: "sampled". False: refused.
 */
bool gen_find_image(const struct gen_message *m, struct gen_surface *s, unsigned most,
                    const char *use, const struct gen_texel_format **format,
                    const struct gen_uop **next);
/** Looks at one without a fault. False: there is none that is executed. */
bool gen_peek_image(const struct gen_message *m, struct gen_surface *s,
                    const struct gen_texel_format **format);
/** As gen_find_image(), of accesses to bytes: only is_slm, base and size are set, and kind of what
 * has one. */
bool gen_find_buffer(const struct gen_message *m, struct gen_surface *s,
                     const struct gen_uop **next);
/** Where the buffer of a binding table index begins, for a thread; false: there is none, or it
 * is shared local memory. */
bool gen_surface_base(struct gen_thread *t, unsigned bti, uint64_t *base);
/** The address of a texel that lies inside the surface; `bytes` is the size of one. */
uint64_t gen_texel_address(const struct gen_surface *s, uint32_t x, uint32_t y, uint32_t layer,
                           unsigned bytes);
/** Whether so many bytes can be read or written. */
bool gen_can_access(struct gen_device *d, uint64_t addr, unsigned size, bool write);
/** The fault of lanes that cannot, the first of them at @p addr. What the executor returns. */
const struct gen_uop *gen_memory_fault(const struct gen_message *m, uint32_t lanes, uint64_t addr,
                                       unsigned size, enum wt_access access);
/** Checks that a lane can read or write so many bytes. False: refused. */
bool gen_check_memory(const struct gen_message *m, unsigned lane, uint64_t addr, unsigned size,
                      enum wt_access access, const struct gen_uop **next);
/** Reads what gen_check_memory has passed, or shared local memory, and tells the watches. */
void gen_message_read(const struct gen_message *m, const struct gen_surface *s, unsigned lane,
                      uint64_t addr, void *out, unsigned size);
/** Writes likewise, up to 128 bytes; false without host memory. */
bool gen_message_write(const struct gen_message *m, const struct gen_surface *s, unsigned lane,
                       uint64_t addr, const void *bytes, unsigned size, enum wt_watch_kind kind);
/** Tells the machine's judge, which is there, of lanes whose texel an image does not have; @p what
 * describes the first one's. */
void gen_judge_texels(const struct gen_message *m, const struct gen_surface *s,
                      enum wt_watch_kind kind, uint32_t lanes, unsigned bytes, const char *what);
/** The channel of a message's lane. */
unsigned gen_message_lane(const struct gen_message *m, unsigned lane);
/** Where watches see an access. */
uint64_t gen_watched_address(const struct gen_surface *s, uint64_t addr);

/* ---- atomics (dataport.c) ---- */

enum gen_atomic {
    GEN_ATOMIC_AND = 1,
    GEN_ATOMIC_OR,
    GEN_ATOMIC_XOR,
    GEN_ATOMIC_MOV,
    GEN_ATOMIC_INC,
    GEN_ATOMIC_DEC,
    GEN_ATOMIC_ADD,
    GEN_ATOMIC_SUB,
    GEN_ATOMIC_REVSUB,
    GEN_ATOMIC_IMAX,
    GEN_ATOMIC_IMIN,
    GEN_ATOMIC_UMAX,
    GEN_ATOMIC_UMIN,
    GEN_ATOMIC_CMPWR,
    GEN_ATOMIC_PREDEC
};

/** The contents of memory after an integer atomic of `size` bytes: 4 or 8. */
uint64_t gen_atomic_integer(unsigned op, unsigned size, uint64_t old, uint64_t a, uint64_t b);
/** How many operands it takes beside memory: 0 to 2. */
unsigned gen_atomic_sources(unsigned op);

#endif

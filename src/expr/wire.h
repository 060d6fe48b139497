/*
 * Expressions as bytes, which a debugger sends to the process of the program that it debugs. Bytes
 * that have come are not believed: an expression that is made of them names only what is there, and
 * ends.
 */
#ifndef WT_EXPR_WIRE_H
#define WT_EXPR_WIRE_H

#include "base/buffer.h"
#include "expr/expr.h"

/** The values that an expression names, where no debugger is. */
enum wt_expr_value {
    WT_EXPR_ROW,     /**< register `number` of the family's table */
    WT_EXPR_PC,      /**< address of the instruction that the wave issues next */
    WT_EXPR_TIME,    /**< issue time */
    WT_EXPR_LANE,    /**< the number of the lane */
    WT_EXPR_MASK,    /**< enabled lanes: part `part`, of 64 bits */
    WT_EXPR_WAVE_ID, /**< the name of the wave */
    /* Of the wave's work, in dimension `part`: */
    WT_EXPR_ITEM,  /**< place of the lane in its group */
    WT_EXPR_GROUP, /**< place of the group in its launch */
    WT_EXPR_BLOCK, /**< work-items of a group */
    WT_EXPR_GRID,  /**< work-items of the launch */
    WT_EXPR_VALUES
};

/** A value that an expression names. */
struct wt_expr_source {
    uint32_t number;
    uint16_t size;    /**< ROW: bytes, for one lane, 1 to 256 */
    uint8_t value;    /**< enum wt_expr_value */
    uint8_t part;     /**< ROW: of 64 bits, below size / 8; 0 to 2 */
    uint8_t per_lane; /**< ROW: each lane has its own; 0 or 1 */
    uint8_t zero[3];
};

/** The most that is made of bytes. */
enum { WT_EXPR_MOST_CODE = 4096, WT_EXPR_MOST_NAMES = 256, WT_EXPR_MOST_FORMAT = 4096 };

/**
 * Appends an expression that is finished: @p source has what each of its registers
 * (wt_expr_registers) is, in their order.
 */
void wt_expr_pack(const struct wt_expr *expr, const struct wt_expr_source *source,
                  struct wt_buffer *to);

/**
 * Makes an expression of @p size bytes, which hold one and nothing else. Its register number i is
 * source[i]; the caller frees both. WT_INVALID: they make no sense, or more of it than the limits
 * above; WT_NO_MEMORY.
 */
enum wt_status wt_expr_unpack(const uint8_t *bytes, size_t size, struct wt_expr **expr,
                              struct wt_expr_source **source, struct wt_error *err);

#endif

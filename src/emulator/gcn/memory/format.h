/* Formats of buffer elements: how they lie in memory, and what registers see of them. */
#ifndef WT_EMULATOR_GCN_MEMORY_FORMAT_H
#define WT_EMULATOR_GCN_MEMORY_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* Numeric formats (manual, section 8.1.8, NUM_FORMAT). */
enum gcn_nfmt {
    GCN_UNORM,
    GCN_SNORM,
    GCN_USCALED,
    GCN_SSCALED,
    GCN_UINT,
    GCN_SINT,
    GCN_NFMT_RESERVED,
    GCN_FLOAT,
    GCN_SRGB = 9, /* for images only (AMD's table of image formats): 8 bits, the fourth component is
                     UNORM */
};

/* A data format (DATA_FORMAT): bits of its components, the first one in the lowest bits. */
struct gcn_format {
    uint8_t bits[4];
    uint8_t components; /* 0: there is no such format */
    uint8_t bytes;      /* bytes of an element */
};

/* The data and numeric format of gfx10's one FORMAT number of a buffer. False: it has none. */
bool gcn_format_of_gfx10(unsigned format, unsigned *dfmt, unsigned *nfmt);
/* The data format of a DATA_FORMAT number, 0 to 15; `components` is 0 where there is none. */
const struct gcn_format *gcn_format_of(unsigned dfmt);
/* Whether a buffer's data format may have the numeric format @p nfmt. */
bool gcn_format_valid(unsigned dfmt, unsigned nfmt);
/* The bits of one component of an element, and whatever lies behind them; none crosses a dword. */
uint32_t gcn_format_extract(const uint8_t *element, const struct gcn_format *f, unsigned component);
/* Puts a component's bits into an element, where there are zeros. */
void gcn_format_insert(uint8_t *element, const struct gcn_format *f, unsigned component,
                       uint32_t value);
/*
 * Converts one component of so many bits, 2 to 32, to what a register holds: a number of 32 bits
 * or, for d16, of 16 (a half or an integer). Rounds once, to nearest even.
 */
uint32_t gcn_format_load(uint32_t raw, unsigned bits, unsigned nfmt, bool d16);
/* Converts a register's value to a component of so many bits: the reverse of gcn_format_load. */
uint32_t gcn_format_store(uint32_t value, unsigned bits, unsigned nfmt, bool d16);
/* The value 1 as DST_SEL gives it for a component: a float, a half (d16), or an integer. */
uint32_t gcn_format_one(unsigned nfmt, bool d16);

#endif

/* Scans as a remote_bitbang stream. See jtag_scan.h. */
#include "bus/jtag/scan.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

enum { TCK = 4, TMS = 2, TDI = 1 };

void wt_scan_clear(struct wt_scan *scan)
{
    scan->length = scan->reads = 0;
    scan->full = false;
}

void wt_scan_free(struct wt_scan *scan)
{
    free(scan->out);
    *scan = (struct wt_scan){0};
}

/* Characters of one clock, at most. */
enum { CLOCK = 3 };

/* Makes room for so many clocks; false without host memory. */
static bool reserve(struct wt_scan *scan, size_t clocks)
{
    uint8_t *out = wt_array_grow(scan->out, &scan->capacity, scan->length + clocks * CLOCK, 1);
    if (out)
        scan->out = out;
    else
        scan->full = true;
    return out;
}

/*
 * Writes one clock at @p out and returns its end. TDO is read while TCK is low: it changed at the
 * falling edge and will be shifted at the rising one. The read's character is written in any case,
 * and overwritten if no read is wanted: no branch depends on the data.
 */
static inline uint8_t *put_clock(uint8_t *out, unsigned tms, unsigned tdi, unsigned read)
{
    const uint8_t pins = (uint8_t)('0' + tms * TMS + tdi * TDI);
    out[0] = pins;
    out[1] = 'R';
    out[1 + read] = pins + TCK;
    return out + 2 + read;
}

/* Clocks with the low bits of tms, TDI at 1, without reads; the caller sets the state. */
static void clock_tms(struct wt_scan *scan, uint32_t tms, unsigned count)
{
    assert(count <= 32);
    if (!count || !reserve(scan, count))
        return;
    uint8_t *out = scan->out + scan->length;
    for (; count; count--, tms >>= 1)
        out = put_clock(out, tms & 1, 1, 0);
    scan->length = (size_t)(out - scan->out);
}

void wt_scan_reset(struct wt_scan *scan)
{
    clock_tms(scan, (1u << WT_TAP_RESET_CLOCKS) - 1, WT_TAP_RESET_CLOCKS);
    scan->state = WT_TAP_RESET; /* wherever the TAPs were */
}

void wt_scan_go(struct wt_scan *scan, enum wt_tap_state state)
{
    uint32_t tms;
    const unsigned length = wt_tap_path(scan->state, state, &tms);
    clock_tms(scan, tms, length);
    scan->state = state;
}

void wt_scan_idle(struct wt_scan *scan, unsigned clocks)
{
    if (!clocks)
        return;
    wt_scan_go(scan, WT_TAP_IDLE);
    if (!reserve(scan, clocks))
        return;
    uint8_t *out = scan->out + scan->length;
    for (unsigned i = 1; i < clocks; i++)
        out = put_clock(out, 0, 1, 0);
    scan->length = (size_t)(out - scan->out);
}

void wt_scan_shift(struct wt_scan *scan, wt_scan_bits tdi, unsigned count, wt_scan_bits want,
                   bool last)
{
    assert(scan->state == WT_TAP_SHIFT_DR || scan->state == WT_TAP_SHIFT_IR);
    assert(count <= WT_SCAN_BITS_MAX);
    if (!count || !reserve(scan, count))
        return;
    uint8_t *out = scan->out + scan->length;
    for (unsigned i = 0; i < count; i++, tdi >>= 1, want >>= 1) {
        out = put_clock(out, last && i == count - 1, tdi & 1, want & 1);
        scan->reads += want & 1;
    }
    scan->length = (size_t)(out - scan->out);
    scan->state = wt_tap_next(scan->state, last); /* TMS at 0 stays */
}

void wt_scan_end(struct wt_scan *scan)
{
    if (reserve(scan, 1))
        scan->out[scan->length++] = '0';
}

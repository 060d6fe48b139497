/* Scans as a remote_bitbang stream. See jtag_scan.h. */
#include "bus/jtag/scan.h"

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

static void put(struct wt_scan *scan, char c)
{
    if (scan->length == scan->capacity) {
        uint8_t *out = wt_array_grow(scan->out, &scan->capacity, scan->length + 1, 1);
        if (!out) {
            scan->full = true;
            return;
        }
        scan->out = out;
    }
    scan->out[scan->length++] = (uint8_t)c;
}

/* One clock. TDO is read while TCK is low: it changed at the falling edge and will be shifted at
 * the rising one. */
static void clock_tck(struct wt_scan *scan, bool tms, bool tdi, bool read)
{
    char pins = (char)('0' + (tms ? TMS : 0) + (tdi ? TDI : 0));
    put(scan, pins);
    if (read) {
        put(scan, 'R');
        scan->reads++;
    }
    put(scan, (char)(pins + TCK));
    scan->state = wt_tap_next(scan->state, tms);
}

void wt_scan_reset(struct wt_scan *scan)
{
    for (int i = 0; i < WT_TAP_RESET_CLOCKS; i++)
        clock_tck(scan, true, true, false);
    /* Wherever the TAPs were, this is where they are. */
    scan->state = WT_TAP_RESET;
}

void wt_scan_go(struct wt_scan *scan, enum wt_tap_state state)
{
    uint32_t tms;
    unsigned length = wt_tap_path(scan->state, state, &tms);
    for (unsigned i = 0; i < length; i++)
        clock_tck(scan, tms >> i & 1, true, false);
}

void wt_scan_idle(struct wt_scan *scan, unsigned clocks)
{
    if (!clocks)
        return;
    wt_scan_go(scan, WT_TAP_IDLE);
    for (unsigned i = 1; i < clocks; i++)
        clock_tck(scan, false, true, false);
}

void wt_scan_shift(struct wt_scan *scan, wt_scan_bits tdi, unsigned count, wt_scan_bits want,
                   bool last)
{
    for (unsigned i = 0; i < count; i++, tdi >>= 1, want >>= 1)
        clock_tck(scan, last && i == count - 1, tdi & 1, want & 1);
}

void wt_scan_end(struct wt_scan *scan)
{
    put(scan, '0');
}

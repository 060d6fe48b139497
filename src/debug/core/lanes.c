/* The world of expressions on the lanes of a wave: memory as each lane sees it, and
 * the output. */
#include "debug/core/lanes.h"

#include <assert.h>

#include "base/bits.h"
#include "debug/core/memory.h"
#include "debug/core/patches.h"

void dbg_list_lanes(struct wt_debugger *d, uint32_t wave, wt_lanes set, struct dbg_lanes *lanes)
{
    assert(set);
    lanes->d = d;
    lanes->wave = wave;
    lanes->count = 0;
    if (!(set & (set + 1))) { /* the first lanes, one after the other */
        lanes->count = wt_lanes_highest(set) + 1;
        /* Eight numbers at a time: this is done before each instruction with a condition. */
        uint64_t eight = UINT64_C(0x0706050403020100);
        for (unsigned k = 0; k < lanes->count; k += 8) {
            wt_store_le(lanes->lane + k, eight, 8);
            eight += UINT64_C(0x0808080808080808);
        }
        return;
    }
    for (; set; set &= set - 1)
        lanes->lane[lanes->count++] = (uint8_t)wt_lanes_lowest(set);
}

/* Memory as one lane sees it, with the program's own instructions in place of breakpoints. */
bool dbg_read_one(const struct dbg_lanes *at, unsigned k, uint64_t addr, void *out, size_t size)
{
    struct wt_error ignored;
    assert(k < at->count);
    const struct wt_address address = wt_debugger_address(at->d, addr);
    if (dbg_raw_read(at->d, at->wave, at->lane[k], address, out, size, &ignored))
        return false;
    dbg_show_original(at->d, address, out, size);
    return true;
}

wt_lanes dbg_read_for_lanes(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    wt_lanes got = 0;
    for (wt_lanes rest = which; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        uint8_t bytes[8];
        assert(size && size <= sizeof bytes);
        if (!dbg_read_one(context, k, addr[k], bytes, size))
            continue;
        out[k] = wt_load_le(bytes, size);
        got |= wt_lane_bit(k);
    }
    return got;
}

void dbg_print_for_lanes(void *context, const char *text, size_t length)
{
    const struct wt_debugger *d = ((const struct dbg_lanes *)context)->d;
    if (d->options.output)
        d->options.output(d->options.context, text, length);
}

/* The TAP controller's states. See jtag_tap.h. */
#include "bus/jtag/tap.h"

#include <stddef.h>

/* IEEE 1149.1, figure "TAP controller state diagram": the state after TMS 0 and after TMS 1. */
static const uint8_t next[WT_TAP_STATES][2] = {
    [WT_TAP_RESET] = {WT_TAP_IDLE, WT_TAP_RESET},
    [WT_TAP_IDLE] = {WT_TAP_IDLE, WT_TAP_SELECT_DR},
    [WT_TAP_SELECT_DR] = {WT_TAP_CAPTURE_DR, WT_TAP_SELECT_IR},
    [WT_TAP_CAPTURE_DR] = {WT_TAP_SHIFT_DR, WT_TAP_EXIT1_DR},
    [WT_TAP_SHIFT_DR] = {WT_TAP_SHIFT_DR, WT_TAP_EXIT1_DR},
    [WT_TAP_EXIT1_DR] = {WT_TAP_PAUSE_DR, WT_TAP_UPDATE_DR},
    [WT_TAP_PAUSE_DR] = {WT_TAP_PAUSE_DR, WT_TAP_EXIT2_DR},
    [WT_TAP_EXIT2_DR] = {WT_TAP_SHIFT_DR, WT_TAP_UPDATE_DR},
    [WT_TAP_UPDATE_DR] = {WT_TAP_IDLE, WT_TAP_SELECT_DR},
    [WT_TAP_SELECT_IR] = {WT_TAP_CAPTURE_IR, WT_TAP_RESET},
    [WT_TAP_CAPTURE_IR] = {WT_TAP_SHIFT_IR, WT_TAP_EXIT1_IR},
    [WT_TAP_SHIFT_IR] = {WT_TAP_SHIFT_IR, WT_TAP_EXIT1_IR},
    [WT_TAP_EXIT1_IR] = {WT_TAP_PAUSE_IR, WT_TAP_UPDATE_IR},
    [WT_TAP_PAUSE_IR] = {WT_TAP_PAUSE_IR, WT_TAP_EXIT2_IR},
    [WT_TAP_EXIT2_IR] = {WT_TAP_SHIFT_IR, WT_TAP_UPDATE_IR},
    [WT_TAP_UPDATE_IR] = {WT_TAP_IDLE, WT_TAP_SELECT_DR},
};

enum wt_tap_state wt_tap_next(enum wt_tap_state state, bool tms)
{
    return (enum wt_tap_state)next[state][tms];
}

/* Breadth first: the first way that reaches a state is a shortest one. */
unsigned wt_tap_path(enum wt_tap_state from, enum wt_tap_state to, uint32_t *tms)
{
    struct {
        uint32_t tms;
        unsigned length;
    } way[WT_TAP_STATES];
    uint8_t queue[WT_TAP_STATES];
    unsigned head = 0, tail = 0;
    uint32_t seen = 1u << from;
    way[from].tms = 0;
    way[from].length = 0;
    queue[tail++] = (uint8_t)from;
    while (head < tail && !(seen >> to & 1)) {
        unsigned state = queue[head++];
        for (unsigned bit = 0; bit < 2; bit++) {
            unsigned then = next[state][bit];
            if (seen >> then & 1)
                continue;
            seen |= 1u << then;
            way[then].tms = way[state].tms | bit << way[state].length;
            way[then].length = way[state].length + 1;
            queue[tail++] = (uint8_t)then;
        }
    }
    *tms = way[to].tms;
    return way[to].length;
}

/* remote_bitbang, the device's end. See jtag_stream.h. */
#include "bus/jtag/stream.h"

#include <string.h>

bool wt_bitbang_admit(struct wt_bitbang_gate *gate, const uint8_t *in, size_t length)
{
    static const char commands[] = "01234567RrstuQBbzZ", white[] = "\t\r\n";
    gate->foreign |= length > sizeof gate->held - gate->length;
    for (size_t i = 0; i < length && !gate->foreign; i++) {
        gate->foreign = !in[i] || (!strchr(commands, in[i]) && !strchr(white, in[i]));
        gate->asked |= in[i] == 'R';
        gate->held[gate->length++] = in[i];
    }
    gate->begun = gate->asked && !gate->foreign;
    return gate->begun;
}

size_t wt_bitbang_take(struct wt_dtm *dtm, const uint8_t *in, size_t length, uint8_t *out,
                       size_t room, size_t *replies, bool *quit)
{
    size_t at = 0;
    *replies = 0;
    *quit = false;
    for (; at < length && !*quit; at++) {
        uint8_t c = in[at];
        switch (c) {
        case '0' ... '7': { /* TCK, TMS, TDI */
            unsigned pins = c - '0';
            wt_dtm_pins(dtm, pins >> 2 & 1, pins >> 1 & 1, pins & 1);
            break;
        }
        case 'R':
            if (*replies == room)
                return at;
            out[(*replies)++] = dtm->tdo ? '1' : '0';
            break;
        case 'r': /* TRST, SRST: r 00, s 01, t 10, u 11. SRST leads nowhere. */
        case 's':
            wt_dtm_trst(dtm, false);
            break;
        case 't':
        case 'u':
            wt_dtm_trst(dtm, true);
            break;
        case 'Q':
            *quit = true;
            break;
        default:
            break;
        }
    }
    return at;
}

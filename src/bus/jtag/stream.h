/*
 * The device's end of a remote_bitbang stream (OpenOCD's protocol for a JTAG cable that is another
 * program): one character sets pins or asks for TDO. Characters that mean nothing here are ignored,
 * among them those for a light (B, b), for SWD, and for waiting (z, Z).
 */
#ifndef WT_BUS_JTAG_STREAM_H
#define WT_BUS_JTAG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/jtag/dtm.h"

/**
 * Does what @p in says, in order, until its end, or until a reply no longer fits, or until the
 * other end says that it leaves (*quit). Returns how many characters were taken; *replies of the
 * @p room characters at @p out are filled.
 */
size_t wt_bitbang_take(struct wt_dtm *dtm, const uint8_t *in, size_t length, uint8_t *out,
                       size_t room, size_t *replies, bool *quit);
/**
 * Whether a connection speaks another protocol: of the characters that came first, together, one
 * is neither a command nor white space. *begun: commands have come on this connection; nothing is
 * foreign behind them.
 */
bool wt_bitbang_is_foreign(const uint8_t *in, size_t length, bool *begun);

#endif

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
/** The most that a debugger sends before its first reply. */
enum { WT_BITBANG_FIRST = 16384 };

/**
 * The bytes of a connection before it is known to be a debugger's: {0}. A web page chooses the
 * first word of its browser's requests, the method: it may consist of commands. A browser sends
 * it together with the space behind it, and waits for nothing; a debugger waits for its replies.
 */
struct wt_bitbang_gate {
    uint8_t held[WT_BITBANG_FIRST]; /**< not done yet */
    size_t length;
    bool asked;   /**< it wants a reply */
    bool begun;   /**< a debugger has asked for a reply: nothing is foreign behind that */
    bool foreign; /**< it speaks another protocol, and nothing is done */
};

/**
 * Adds what has come to `held`, before `begun` is set. True: a debugger waits, and all that is held
 * is to be done. False, and `foreign`: a character is neither a command nor the end of a line, or
 * there are more than WT_BITBANG_FIRST.
 */
bool wt_bitbang_admit(struct wt_bitbang_gate *gate, const uint8_t *in, size_t length);

#endif

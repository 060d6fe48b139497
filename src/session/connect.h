/* Options of commands that work on a device elsewhere. */
#ifndef WT_SESSION_CONNECT_H
#define WT_SESSION_CONNECT_H

#include "session/options.h"

/* Options. Their context begins with a struct wt_session_options. */

/** --timeout: a time limit for the connection and each reply. */
enum wt_status wt_session_set_connect_timeout(void *context, const char *value,
                                              struct wt_error *err);
/** --jtag-tap: which TAP of a JTAG chain, from 0. */
enum wt_status wt_session_set_connect_tap(void *context, const char *value, struct wt_error *err);
/** --jtag-ir: lengths of the instruction registers of a chain. */
enum wt_status wt_session_set_connect_ir(void *context, const char *value, struct wt_error *err);

/** Connects, and tells on stderr what there is to say of the device. The caller closes *bus. */
enum wt_status wt_session_connect_open(const struct wt_session_connect *connect,
                                       struct wt_bus **bus, struct wt_error *err);

/* Help texts. */
#define WT_CONNECT_TAP_HELP "in a chain of TAPs: which one, 0 is next to TDO"
#define WT_CONNECT_IR_HELP                                                                         \
    "in a chain of TAPs: lengths of their instruction registers, the\n"                            \
    "one next to TDO first"

#endif

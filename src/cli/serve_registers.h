/* Serving the Debug Module's registers themselves, to debuggers that drive them. */
#ifndef WT_CLI_SERVE_REGISTERS_H
#define WT_CLI_SERVE_REGISTERS_H

#include "session/options.h"

struct cli_serve_registers {
    const char *dm;      /**< where to listen for the line protocol; or */
    const char *jtag;    /**< where to listen for remote_bitbang */
    unsigned dmi_cycles; /**< clocks of TCK that an access over JTAG takes */
    bool now;            /**< the program runs at once; else a client starts it: by "s" (dm), or by
                              resuming its warps (jtag) */
    bool any_client;     /**< clients of other users and machines are served, too */
    bool once;           /**< end when the first client has left */
};

/** Serves until a signal or, once, the client's end; the exit status of @p command. */
int cli_serve_registers(const struct wt_subcommand *command,
                        const struct wt_session_options *options, const char *program,
                        const struct cli_serve_registers *how);

#endif

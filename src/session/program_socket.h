/* Where a host program listens for a debugger elsewhere: --socket and --token. */
#ifndef WT_SESSION_PROGRAM_SOCKET_H
#define WT_SESSION_PROGRAM_SOCKET_H

#include "base/error.h"

/**
 * Checks the address of --socket: tcp:HOST:PORT with a host that is this machine, so that no other
 * one reaches it, or unix:PATH with a path from the root. WT_INVALID.
 */
enum wt_status wt_session_check_socket(const char *address, struct wt_error *err);

/** The rows. */
#define WT_PROGRAM_SOCKET_OPTIONS(HELP, SET_SOCKET, SET_TOKEN)                                     \
    {"socket", 0, "ADDRESS", HELP, SET_SOCKET},                                                    \
    {                                                                                              \
        "token", 0, "FILE",                                                                        \
            "the token for --socket (default: the file 'token' in the user's folder\n"             \
            "for sockets); 'exec' makes it where it is not there",                                 \
            SET_TOKEN                                                                              \
    }

#endif

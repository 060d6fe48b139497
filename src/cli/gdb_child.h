/* GDB as a child of this process, connected to the server in it: for `gdb` and `attach`. */
#ifndef WT_CLI_GDB_CHILD_H
#define WT_CLI_GDB_CHILD_H

#include "cli/cli.h"
#include "frontend/rsp/rsp.h"

#define CLI_GDB_DIRECTORY 100

/** Which GDB, and with what. */
struct cli_gdb_choice {
    const char *gdb;     /**< NULL: the first that is there */
    bool plain;          /**< without our commands */
    bool steps_to_watch; /**< the device cannot watch memory: GDB is to do it by single steps */
};

/**
 * Makes a directory for the socket "gdb" between the two. The caller removes it; if the process is
 * killed before that, another one does.
 */
enum wt_status cli_gdb_directory(char directory[CLI_GDB_DIRECTORY], struct wt_error *err);

/**
 * Sets signals up so that the terminal's are GDB's. *fd is the server's stop_fd, which the caller
 * closes.
 */
enum wt_status cli_gdb_signals(int *fd, struct wt_error *err);

/**
 * Starts GDB on @p program (NULL: none), connected to @p server,
 * with more @p arguments (ended by NULL), and serves until it ends; its exit status.
 */
int cli_gdb_serve(const struct wt_subcommand *command, const struct cli_gdb_choice *choice,
                  const char *program, char **arguments, struct wt_rsp_server *server,
                  int signal_fd);

#endif

/* `exec --gdb`: stock GDB debugs the kernels of a host program. */
#ifndef WT_CLI_EXEC_GDB_H
#define WT_CLI_EXEC_GDB_H

#include <stdbool.h>

#include "base/error.h"

/**
 * Starts a process that serves GDB at @p address (wt_rsp_options), of the first program that opens
 * GPUs whose instruction set GDB knows: this process, which is to become a program, or one that it
 * starts. Kernels of these programs wait for it (WAVETRAP_HELD). It ends with the program, or once
 * GDB has left it. WT_IO: nobody can listen there.
 */
enum wt_status cli_exec_gdb(const char *address, bool any_client, struct wt_error *err);

#endif

/* The code of a program's ELF file, to compare memory with. */
#ifndef WT_CLI_CODE_H
#define WT_CLI_CODE_H

#include "debug/core/debugger.h"

struct cli_code {
    struct wt_code *list; /**< its bytes are parts of what is held here */
    void **held;
    size_t count, list_capacity, held_capacity;
};

/**
 * Reads the sections that hold instructions. (Not segments: these begin at a page, with the file's
 * header, at addresses that a device need not have.) A file without sections has none.
 */
enum wt_status cli_code_read(const char *path, struct cli_code *code, struct wt_error *err);
/** Frees what cli_code_read gave. */
void cli_code_free(struct cli_code *code);

#endif

/* The code of a program's ELF file, to compare memory with. */
#ifndef WT_SESSION_CODE_H
#define WT_SESSION_CODE_H

#include "debug/core/debugger.h"

struct wt_session_code {
    struct wt_code *list; /**< its bytes are parts of what is held here */
    void **held;
    size_t count, list_capacity, held_capacity;
};

/**
 * Reads the sections that hold instructions. (Not segments: these begin at a page, with the file's
 * header, at addresses that a device need not have.) A file without sections has none.
 */
enum wt_status wt_session_code_read(const char *path, struct wt_session_code *code,
                                    struct wt_error *err);
/** Frees what wt_session_code_read gave. */
void wt_session_code_free(struct wt_session_code *code);

#endif

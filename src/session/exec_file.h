/* Facts about the file that `wavetrap exec` becomes. */
#ifndef WT_SESSION_EXEC_FILE_H
#define WT_SESSION_EXEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct exec_file {
    bool elf;         /**< a program, not a script */
    const char *why;  /**< why a program loads no libraries of 64 bits: "it is linked statically" */
    bool needs;       /**< it is linked with the library */
    bool own_library; /**< its DT_RPATH, which comes before LD_LIBRARY_PATH, has the library, too */
};

/** The file that execvp would take for @p program: false if there is none. */
bool exec_file_find(const char *program, char *path, size_t size);

/** Looks at the file; @p library is what must be loaded in place of another one of that name. */
struct exec_file exec_file_look(const char *path, const char *library);

#endif

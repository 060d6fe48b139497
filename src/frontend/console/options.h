/* What a console is given by whoever has the terminal. */
#ifndef WT_FRONTEND_CONSOLE_OPTIONS_H
#define WT_FRONTEND_CONSOLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/core/session.h"
#include "debug/source/modules.h"

struct wt_shell_options {
    struct wt_session *session;
    struct wt_modules *modules; /**< the loaded code */
    const char *program;        /**< its file, for people; NULL: none */
    bool attached;              /**< the device was running before: there is no `run` */
    bool colour;                /**< output may have colours */
    /** Takes what commands print. */
    void (*output)(void *context, const char *text, size_t length);
    /** Asks a question that is answered by yes or no; NULL: yes. */
    bool (*ask)(void *context, const char *question);
    /** The text of an instruction, as a disassembler has it; NULL: there is none. Returns its
     * length in bytes, 0 if these bytes are no instruction. */
    unsigned (*disassemble)(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size);
    void *context;
};

#endif

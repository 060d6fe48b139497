/* The services of the terminal's owner for a console. */
#ifndef WT_FRONTEND_CONSOLE_OPTIONS_H
#define WT_FRONTEND_CONSOLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/program/program.h"

struct wt_shell_options {
    struct wt_session *session;
    struct wt_modules *modules;         /**< the loaded code */
    const char *program;                /**< its file, for people; NULL: none */
    const struct wt_program_host *host; /**< for host programs; NULL: the device has its program */
    const char *arguments;              /**< host: the first line of arguments; NULL: none */
    bool attached;                      /**< the device was running before: there is no `run` */
    bool steps_to_watch; /**< the device has no watchpoints: the console steps, and compares */
    bool system_shell;   /**< `shell` and `pipe` may run programs */
    bool colour;         /**< output may have colours */
    const char *report;  /**< files of objects (wt_report_add); NULL: none */
    /** Takes what commands print. */
    void (*output)(void *context, const char *text, size_t length);
    /** Asks a question that is answered by yes or no; NULL: yes. */
    bool (*ask)(void *context, const char *question);
    /** The rows and columns of the terminal at which a person reads and types; false: there is
     * none. NULL: likewise. */
    bool (*page_size)(void *context, unsigned *rows, unsigned *columns);
    /** Asks a question behind a page of output and reads the line that is typed; false: there is
     * none. */
    bool (*page)(void *context, const char *question, char *answer, size_t size);
    /** Reads one more line of a command, which the caller frees; false: there is none. NULL: never.
     */
    bool (*read_line)(void *context, char **line);
    /**
     * Shows how far something is that takes long, several times a second; NULL: it is over. False:
     * whoever waits wants it to end. NULL where nobody looks.
     */
    bool (*progress)(void *context, const char *text);
    /** Whether the user has asked for an end while the session's loop did not run. NULL: never. */
    bool (*interrupted)(void *context);
    /** Takes what happens to the program; true: the console has no words for it. NULL: nobody
     * does. */
    bool (*news)(void *context, const struct wt_news *news);
    /** A wait begins or ends, as in struct wt_program_user. NULL: nobody cares. */
    void (*waits)(void *context, enum wt_wait wait);
    /** Code has come or gone, as in struct wt_program_user. NULL: nobody cares. */
    wt_module_fn module;
    /** NULL: there is none. */
    wt_disassemble_fn *disassemble;
    /** Registers that code has under names of its own. NULL: there are none. */
    wt_code_register_fn *code_register;
    /** Operands in assembly text that are regions of registers. NULL: there are none. */
    wt_register_region_fn *region;
    /** Prints in words what registers of a wave tell; false: of this device nothing. NULL: too. */
    bool (*explain)(void *context, FILE *out, const char *const *name, const uint64_t *value,
                    size_t count);
    /**
     * Prints an operand that is written as in the device's assembly text, if it is one
     * (*is_operand): @p read reads a register of the current wave by its name. NULL: there are
     * none.
     */
    enum wt_status (*print_operand)(void *context, FILE *out, const char *text, char letter,
                                    bool (*read)(void *reader, const char *name, uint8_t *bytes,
                                                 size_t size),
                                    void *reader, bool *is_operand, struct wt_error *err);
    /** Prints what instructions that were executed have done (--profile). NULL: nothing is counted.
     */
    enum wt_status (*profile)(void *context, FILE *out, struct wt_error *err);
    const struct wt_checks *checks; /**< --check; NULL: nothing is checked */
    void *context;
};

#endif

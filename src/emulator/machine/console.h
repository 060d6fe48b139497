/*
 * Consoles that programs write to byte by byte. Bytes are kept until their line is complete, then
 * the machine's console function gets the line. What is not complete is part of a machine's state.
 */
#ifndef WT_EMULATOR_MACHINE_CONSOLE_H
#define WT_EMULATOR_MACHINE_CONSOLE_H

#include "emulator/machine/archive.h"
#include "emulator/machine/machine.h"

/** The line of one console that is not complete. */
struct wt_console_line {
    char *text; /**< not terminated; NULL while capacity is 0 */
    size_t length, capacity;
};

struct wt_console {
    unsigned slots; /**< consoles, 1 or more */
    struct wt_console_line *line;
};

/** False without host memory; wt_console_free may be called then, too. */
bool wt_console_init(struct wt_console *console, unsigned slots);
void wt_console_free(struct wt_console *console);

/** Adds one byte to the line of console @p slot (below `slots`); '\n' completes the line. A line
 * beyond 64 KiB is handed on in parts. */
void wt_console_put(struct wt_machine *m, struct wt_console *console, unsigned slot, char c);
/** Hands on all lines that are not complete. */
void wt_console_flush(struct wt_machine *m, struct wt_console *console);
/** Drops all lines that are not complete. */
void wt_console_clear(struct wt_console *console);
/** Adds lengths and texts of all lines to a hash. */
void wt_console_hash(const struct wt_console *console, uint64_t *hash);

/** Writes all lines that are not complete to an archive, or reads them from one. */
void wt_console_archive(struct wt_archive *a, struct wt_console *console);

/** A copy of all lines that are not complete. */
struct wt_console_saved {
    unsigned lines;
    struct wt_console_saved_line {
        unsigned slot;
        size_t length;
        char *text;
    } * line;
};

/** Copies the lines and adds their bytes to *bytes; false without host memory, and then
 * wt_console_saved_free must be called, too. */
bool wt_console_save(const struct wt_console *console, struct wt_console_saved *saved,
                     uint64_t *bytes);
void wt_console_saved_free(struct wt_console_saved *saved);
/** Makes room for wt_console_restore, which cannot fail then; false without host memory. */
bool wt_console_reserve(struct wt_console *console, const struct wt_console_saved *saved);
void wt_console_restore(struct wt_console *console, const struct wt_console_saved *saved);

#endif

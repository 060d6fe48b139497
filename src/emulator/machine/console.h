/*
 * Consoles that programs write to byte by byte. A console keeps bytes until their line is
 * complete; then the machine's console function gets the line. Incomplete lines are a part of the
 * machine's state.
 */
#ifndef WT_EMULATOR_MACHINE_CONSOLE_H
#define WT_EMULATOR_MACHINE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_archive;
struct wt_machine;

/** The incomplete line of one console. */
struct wt_console_line {
    char *text; /**< not terminated; NULL while capacity is 0 */
    size_t length, capacity;
};

struct wt_console {
    unsigned slots; /**< consoles, 1 or more */
    struct wt_console_line *line;
};

/**
 * Makes @p slots empty consoles, 1 or more. False without host memory; wt_console_free may be
 * called then, too.
 */
bool wt_console_init(struct wt_console *console, unsigned slots);
/** Frees the lines; incomplete ones are lost. */
void wt_console_free(struct wt_console *console);

/** Adds one byte to the line of console @p slot (below `slots`); '\n' completes the line. A line
 * beyond 64 KiB is handed on in parts. */
void wt_console_put(struct wt_machine *m, struct wt_console *console, unsigned slot, char c);
/** Hands all incomplete lines to the machine's console function. */
void wt_console_flush(struct wt_machine *m, struct wt_console *console);
/** Drops all incomplete lines. */
void wt_console_clear(struct wt_console *console);
/** Adds lengths and texts of all incomplete lines to *hash. */
void wt_console_hash(const struct wt_console *console, uint64_t *hash);

/** Writes all incomplete lines to an archive, or reads them from one. */
void wt_console_archive(struct wt_archive *a, struct wt_console *console);

#endif

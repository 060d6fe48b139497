/* Reports for people: where a program is and what went wrong, with symbols and source lines. */
#ifndef WT_CLI_REPORT_H
#define WT_CLI_REPORT_H

#include <stdio.h>

#include "cli/options.h"

/** Reports the machine's fault: what, which wave and lanes, where; all waves for a deadlock. */
void cli_report_fault(FILE *out, struct wt_emulated *device, const char *report);

/** Where every active wave is and what it waits for; neighbours in the same state share a line. */
void cli_report_waves(FILE *out, struct wt_emulated *device);

/** The instruction at @p pc on a line of its own, where the family's reports show instructions. */
void cli_report_instruction(FILE *out, struct wt_emulated *device, uint64_t pc);

/** Prints the number of issues, their rate, the peak memory and what was translated to stderr. */
void cli_report_stats(const struct wt_emulated *device, double seconds);

/** Reports the first choice of a schedule's list that could not be followed, if there is one. */
void cli_report_missed(FILE *out, const struct wt_machine *machine);

/** The exit status for a kind of fault. */
int cli_fault_status(enum wt_fault_kind kind);

/**
 * The exit status for a program's exit word: the word itself where a status can hold it (0..255).
 * A larger word gives its low 8 bits, or 1 where these are 0, so that failure stays failure.
 */
int cli_word_status(uint32_t word);

#endif

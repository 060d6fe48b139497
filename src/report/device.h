/* Reports for people: where a program is and what went wrong, with symbols and source lines. */
#ifndef WT_REPORT_DEVICE_H
#define WT_REPORT_DEVICE_H

#include <stdio.h>

#include "report/status.h"
#include "target/emulated.h"

/** Reports the machine's fault: what, which wave and lanes, where; all waves for a deadlock. */
void wt_report_device_fault(FILE *out, struct wt_emulated *device, const char *report);

/** Where every active wave is and what it waits for; neighbours in the same state share a line. */
void wt_report_device_waves(FILE *out, struct wt_emulated *device);

/** The instruction at @p pc on a line of its own, where the family's reports show instructions. */
void wt_report_device_instruction(FILE *out, struct wt_emulated *device, uint64_t pc);

/** Prints the number of issues, their rate, the peak memory and what was translated to stderr. */
void wt_report_device_stats(const struct wt_emulated *device, double seconds);

/** Reports the first choice of a schedule's list that could not be followed, if there is one. */
void wt_report_device_missed(FILE *out, const struct wt_machine *machine);

#endif

/* The file in which GPUs of host programs have counted (runtime/common/counted.h). */
#ifndef WT_REPORT_PROFILE_FILE_H
#define WT_REPORT_PROFILE_FILE_H

#include <stdint.h>

#include "report/counted_view.h"
#include "report/profile_table.h"

/** The owner of a table's names. {0}: it has none. */
struct wt_report_profile_file {
    struct wt_report_counted_view view;
    uint64_t *process; /**< in the order in which they began to count */
    size_t processes, process_room;
    uint64_t *kernel; /**< without a module, by their first instruction, in the same order */
    size_t kernels, kernel_room;
};

/** Adds what was counted in a file so far, which goes on, to a table. The names are @p file's.
 * WT_NO_MEMORY: also where something could not be counted. */
enum wt_status wt_report_profile_read_file(int fd, struct wt_report_profile_file *file,
                                           struct wt_report_profile_table *t, struct wt_error *err);
/** Frees it. */
void wt_report_profile_file_free(struct wt_report_profile_file *file);

#endif

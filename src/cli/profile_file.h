/* The file in which GPUs of host programs have counted (runtime/common/counted.h). */
#ifndef WT_CLI_PROFILE_FILE_H
#define WT_CLI_PROFILE_FILE_H

#include <stdint.h>

#include "check/finding.h"
#include "cli/profile_table.h"
#include "target/family.h"

struct cli_profile_code;

/** What the names of a table are of. {0}: nothing. */
struct cli_profile_file {
    struct cli_profile_code *modules; /**< by their place */
    size_t count, capacity;
    uint64_t *process; /**< in the order in which they began to count */
    size_t processes, process_room;
    uint64_t *kernel; /**< without a module, by their first instruction, in the same order */
    size_t kernels, kernel_room;
};

/** Adds what was counted in a file so far, which goes on, to a table. The names are @p file's.
 * WT_NO_MEMORY: also where something could not be counted. */
enum wt_status cli_profile_read_file(int fd, struct cli_profile_file *file,
                                     struct cli_profile_table *t, struct wt_error *err);
/** Calls @p fn for each finding in a file; @p modules: the code that was loaded, NULL where it is
 * not known; @p maps: lines of /proc/PID/maps, for call stacks. *more becomes the number of those
 * that are beyond the limit. */
enum wt_status cli_profile_read_findings(int fd, struct cli_profile_file *file,
                                         void (*fn)(void *context, const struct wt_finding *finding,
                                                    const struct wt_family *family,
                                                    const struct wt_modules *modules,
                                                    const char *maps, long process),
                                         void *context, uint64_t *more, struct wt_error *err);
/** Frees it. */
void cli_profile_file_free(struct cli_profile_file *file);

#endif

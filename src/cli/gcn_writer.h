/* Who wrote a part of a kernel's buffer last: for --who-wrote, and for buffers that are wrong. */
#ifndef WT_CLI_GCN_WRITER_H
#define WT_CLI_GCN_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine/watch.h"
#include "wavetrap/error.h"

struct cli_kernel_run;

struct cli_writer {
    size_t argument;         /**< a buffer's */
    uint64_t offset, length; /**< in bytes */
    uint64_t writes;         /**< instructions that wrote there */
    /* The last one of them. */
    struct wt_watch_hit hit; /**< of the last lane that wrote */
    unsigned lanes;          /**< how many lanes wrote there */
    uint64_t item[3];        /**< the work-item that the lane is */
    char place[128];         /**< where it runs, in words */
};

/** "N:OFFSET[,LENGTH]"; LENGTH is 4 if it is not given. */
enum wt_status cli_writer_parse(const char *text, struct cli_writer *writer, struct wt_error *err);

/** Watches for all writers of the kernel that the run is told to look for, from now on. */
enum wt_status cli_writers_watch(struct cli_kernel_run *run, struct wt_error *err);

/** Takes down what a run that came back with WT_RUN_WATCH has met. */
void cli_writers_note(struct cli_kernel_run *run);

/** Says on stderr who it was. */
void cli_writer_report(const struct cli_kernel_run *run, const struct cli_writer *writer);

#endif

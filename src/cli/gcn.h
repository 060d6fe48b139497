/* `wavetrap run` of a code object: one kernel on an emulated gfx900, without a host runtime. */
#ifndef WT_CLI_GCN_H
#define WT_CLI_GCN_H

#include "cli/drive.h"
#include "emulator/gcn/launch.h"

/** "N:FILE": the buffer of argument N, and a file. */
struct cli_buffer_file {
    size_t argument;
    const char *path;
};

/** What `run` is told about a kernel. */
struct cli_kernel {
    const char *name; /**< NULL: the only one there is */
    uint32_t grid[3], block[3];
    bool grid_given, block_given;
    struct cli_buffer_file *dump, *compare;
    size_t dumps, compares;
};

void cli_kernel_free(struct cli_kernel *kernel);

/** The options of `run` about kernels; their context is its struct cli_kernel. */
enum wt_status cli_kernel_set_grid(struct cli_kernel *k, const char *value, struct wt_error *err);
enum wt_status cli_kernel_set_block(struct cli_kernel *k, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_dump(struct cli_kernel *k, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_compare(struct cli_kernel *k, const char *value,
                                      struct wt_error *err);

/** Whether the file is an ELF file for AMD GPUs. (A pipe is never: it can be read but once.) */
bool cli_is_code_object(const char *path);

/** Runs the kernel; returns the command's exit status. */
int cli_run_kernel(const struct cli_command *command, struct cli_drive *drive,
                   const struct cli_kernel *kernel, const char *path);

/** Reads a whole file of at most 1 GiB. */
enum wt_status cli_read_file(const char *path, uint8_t **bytes, size_t *length,
                             struct wt_error *err);

/** Makes what an --arg says into a value for the argument. The caller frees value->bytes. */
enum wt_status cli_kernel_value(const struct gcn_argument *argument, const char *text,
                                struct gcn_value *value, struct wt_error *err);

#endif

/* `wavetrap run` of a code object: one kernel on an emulated gfx900, without a host runtime. */
#ifndef WT_CLI_GCN_H
#define WT_CLI_GCN_H

#include "cli/drive.h"
#include "cli/gcn_writer.h"
#include "runtime/gcn/launch.h"

/** "N:FILE": the buffer of argument N, and a file. */
struct cli_buffer_file {
    size_t argument;
    const char *path;
};

struct cli_kernel_run;

/** What a command is told about a kernel. */
struct cli_kernel {
    const char *name; /**< NULL: the only one there is */
    uint32_t grid[3], block[3];
    bool grid_given, block_given;
    struct cli_buffer_file *dump, *compare;
    size_t dumps, compares;
    const char *handler[2]; /**< files with code of trap handlers */
    size_t handlers;
    struct cli_writer *writer; /**< whom to look for */
    size_t writers;
    /** Looks at what was launched before it runs; NULL: nothing to look at. */
    enum wt_status (*opened)(void *context, struct cli_kernel_run *run, struct wt_error *err);
    /** Runs some issues; NULL: machine->ops->run. */
    enum wt_run (*run)(void *context, struct cli_kernel_run *run, uint64_t issues);
    void *context;
};

void cli_kernel_free(struct cli_kernel *kernel);

/** What a command that runs kernels is told: the first member of its options' context. */
struct cli_kernel_options {
    struct cli_drive drive; /* first: the context of CLI_DRIVE_OPTIONS */
    struct cli_kernel kernel;
    bool given; /**< some option about kernels */
};

enum wt_status cli_kernel_set_name(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_set_grid(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_set_block(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_handler(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_dump(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_compare(void *context, const char *value, struct wt_error *err);
enum wt_status cli_kernel_add_writer(void *context, const char *value, struct wt_error *err);

/** The rows of the options that say which kernel runs, and on what. */
#define CLI_KERNEL_OPTIONS                                                                         \
    {"kernel", 0, "NAME", "code objects: the kernel to run", cli_kernel_set_name},                 \
        {"grid", 0, "X[,Y[,Z]]", "code objects: how many work-items there are",                    \
         cli_kernel_set_grid},                                                                     \
        {"block", 0, "X[,Y[,Z]]", "code objects: work-items of a work-group (64)",                 \
         cli_kernel_set_block},                                                                    \
    {                                                                                              \
        "trap-handler", 0, "FILE",                                                                 \
            "code objects: the code that traps enter (raw); twice: a handler behind it",           \
            cli_kernel_add_handler                                                                 \
    }

/** A kernel in a device. */
struct cli_kernel_run {
    const struct cli_kernel *kernel;
    struct gcn_object object;
    struct gcn_launch launch;
    struct gcn_device *device;
    struct wt_symbols *symbols; /**< NULL if it has none */
};

/** Launches the kernel in a new device; what is opened, also on failure, must be closed. */
enum wt_status cli_kernel_open(struct cli_kernel_run *run, const struct cli_kernel *kernel,
                               const struct cli_options *options, const char *path,
                               struct wt_error *err);
void cli_kernel_close(struct cli_kernel_run *run);

/** Says on stderr which mistake the kernel has made; returns the exit status that tells of it. */
int cli_kernel_fault(const struct cli_kernel_run *run);

/** The function and line of an address, in words. */
void cli_kernel_describe(const struct cli_kernel_run *run, uint64_t pc, char *text, size_t size);
/** Says on stderr which instruction is at pc. */
void cli_kernel_instruction(const struct cli_kernel_run *run, uint64_t pc);

/** Whether the file is an ELF file for AMD GPUs. (A pipe is never: it can be read but once.) */
bool cli_is_code_object(const char *path);

/** Runs the kernel; returns the command's exit status. */
int cli_run_kernel(const struct cli_command *command, struct cli_drive *drive,
                   const struct cli_kernel *kernel, const char *path);

#endif

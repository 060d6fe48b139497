/* The options that all subcommands with a device share. */
#ifndef WT_SESSION_OPTIONS_H
#define WT_SESSION_OPTIONS_H

#include <stddef.h>

#include "bus/open.h"
#include "emulator/machine/config.h"
#include "session/subcommand.h"
#include "target/emulated.h"

/** A device elsewhere. */
struct wt_session_connect {
    const char *address; /**< NULL: the device is here */
    struct wt_bus_open_options how;
    /* Of a debugger: see attached.h. */
    const char *dm, *jtag; /**< the address, in one of two ways */
    uint64_t exit_addr;    /**< where the program leaves its exit word, when exit_given */
    bool exit_given;
    bool reset, lift;
};

/** The device options: which GPU, what is in its memory, how a debugger reaches it. */
struct wt_session_options {
    struct wt_emulated_options device;
    struct wt_session_connect connect; /**< a device elsewhere, of commands that take one */
    struct wt_schedule schedule;       /**< --schedule */
    const char *schedule_text;         /**< as it was given, or NULL */
    struct wt_fill fill;               /**< --fill */
    const char *fill_text;             /**< as it was given, or NULL */
    bool gpu_help;                     /**< --gpu=help was given */
    size_t argument_capacity, load_capacity;
    bool many_gpus;   /**< wt_subcommand.many_gpus */
    const char **gpu; /**< each --gpu as it was given; `device` has the first one */
    size_t gpu_count, gpu_capacity;
};

/** wt_emulated_open as the options say; what the user should know is printed. */
enum wt_status wt_session_open_device(struct wt_emulated *device,
                                      const struct wt_session_options *options, const char *program,
                                      struct wt_error *err);

/** Frees what wt_subcommand_parse allocated. */
void wt_session_options_free(struct wt_session_options *options);

/** Parses a time limit: 1 to 3,600,000 milliseconds. */
enum wt_status wt_session_milliseconds(const char *text, unsigned *ms, struct wt_error *err);

/** Parses to a uint64_t how much of a recorded run is wanted: 1 or more issues, or "all"
 * (UINT64_MAX). */
wt_option_set_fn wt_session_issues;

/** Parses to a double a number of seconds, above 0, of an option such as --timeout. */
wt_option_set_fn wt_session_seconds;

#endif

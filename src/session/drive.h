/* Running a program to its end, for `run` and `trace`: limits, signals, reports, exit status. */
#ifndef WT_SESSION_DRIVE_H
#define WT_SESSION_DRIVE_H

#include "report/check.h"
#include "report/profile.h"
#include "report/results.h"
#include "session/options.h"

/** Options of both, and their rows. */
struct wt_session_drive {
    struct wt_session_options options; /**< first: the context of options about the device */
    uint64_t max_issues;               /**< 0: no limit */
    double timeout;                    /**< seconds; 0: none */
    struct wt_report_results results;
    const char *core_on_fault; /**< where a fault leaves a core file; NULL: nowhere */
    uint64_t core_history;     /**< how much of the run goes into it: issues; 0: nothing */
    const char *choices;       /**< file for the schedule's choices; NULL: none */
    char *report;              /**< files of objects (wt_report_add); NULL: none */
    struct wt_report_profile profile;
    struct wt_report_check check;
    /** Runs some issues; NULL: wt_emulated_run. */
    enum wt_run (*run)(void *context, struct wt_emulated *device, uint64_t issues);
    void *context;
};

/** Setters of the rows below; their context is a struct wt_session_drive. */
enum wt_status wt_session_set_max_issues(void *context, const char *value, struct wt_error *err);
/** --report */
enum wt_status wt_session_set_report(void *context, const char *value, struct wt_error *err);
/** --dump */
enum wt_status wt_session_set_dump(void *context, const char *value, struct wt_error *err);

/** The rows; their context is a struct whose first member is a struct wt_session_drive. */
#define WT_DRIVE_OPTIONS                                                                           \
    {"max-issues", 0, "N", "stop after N issues (instructions of warps) with exit status 124",     \
     WT_OPTION_SET(wt_session_set_max_issues)},                                                    \
        {"timeout", 0, "SECONDS",                                                                  \
         "stop after that time, with the places of all waves; exit status 124",                    \
         WT_OPTION_PART(wt_session_seconds, struct wt_session_drive, timeout)},                    \
        {"dump", 0, "FILE@PLACE:LENGTH", "at the end, write LENGTH bytes of memory to FILE",       \
         WT_OPTION_SET(wt_session_set_dump)},                                                      \
        {"hash", 0, NULL, "at the end, print a hash of the device's state and the issue time",     \
         WT_OPTION_FLAG(struct wt_session_drive, results.hash)},                                   \
    {                                                                                              \
        "stats", 0, NULL, "at the end, print the number of issues, host time and memory",          \
            WT_OPTION_FLAG(struct wt_session_drive, results.stats)                                 \
    }

/** Exit statuses, for the notes of both commands' help. */
#define WT_DRIVE_NOTES                                                                             \
    "The exit status is the program's exit word (of a word above 255 its low 8 bits, or 1 where\n" \
    "these are 0), or:\n"                                                                          \
    "  116  an instruction that the GPU does not have\n"                                           \
    "  117  a divergent branch without SPLIT\n"                                                    \
    "  118  IPDOM stack overflow or underflow\n"                                                   \
    "  119  a misaligned access or jump\n"                                                         \
    "  120  an invalid memory access\n"                                                            \
    "  121  a deadlock: every active warp waits for another\n"                                     \
    "  122  another fault of the program\n"                                                        \
    "  123  an exception that an AMD GPU's kernel enabled, without a trap handler\n"               \
    "  124  --max-issues was reached, or the time of --timeout is over\n"                          \
    "  125  wavetrap itself failed: bad option, unreadable file, no host memory\n"                 \
    "  130  interrupted with Ctrl-C (128 plus the signal's number)\n"

/** Runs the program of @p device and returns the command's exit status. */
int wt_session_drive(const struct wt_subcommand *command, struct wt_session_drive *drive,
                     struct wt_emulated *device);

/** Frees what the options hold. */
void wt_session_drive_free(struct wt_session_drive *drive);

#endif

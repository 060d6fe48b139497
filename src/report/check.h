/* --check: its options, and the reports of findings. */
#ifndef WT_REPORT_CHECK_H
#define WT_REPORT_CHECK_H

#include "base/option.h"
#include "check/set.h"
#include "debug/core/checks.h"
#include "report/status.h"
#include "report/suppress.h"
#include "runtime/common/checked.h"
#include "target/core_file.h"
#include "target/emulated.h"

/** The checks of a debugger's program: its findings' file, and the device. */
struct wt_report_checked {
    const int *file;             /**< of its findings */
    const struct wt_emulated *e; /**< the device; NULL: host programs */
    int (*pid)(void *context);   /**< of the host program; NULL: there is none */
    void *context;
};

/** {0}: nothing is checked. */
struct wt_report_check {
    struct wt_check_options options;
    struct wt_check_set set; /**< of a device here, while it is checked */
    int file;                /**< of that device's findings */
    bool of_core_file;       /**< the findings are a core file's, and are not reported */
    char *maps; /**< of a core file: lines of /proc/PID/maps of its program; NULL: not known */
    struct wt_checks offered; /**< to a debugger: */
    struct wt_report_checked of;
    bool any; /**< one of the options was given */
    bool warnings_are_errors;
    bool print_suppressions;
    const char *kernel;  /**< pattern of the kernels whose findings are reported; NULL: all */
    char *sarif, *junit; /**< files, a name a line; NULL: none */
    struct wt_report_suppressions suppressions;
};

/** The options, of a command whose option context has functions that hand their values to
 * wt_report_check_set(). */
#define WT_CHECK_OPTIONS(prefix)                                                                   \
    {"check", 0, "LIST",                                                                           \
     "report mistakes with memory (memory), what is never freed (leak), wrong\n"                   \
     "calls (api), races of kernels (race), mistakes with barriers (sync), uses\n"                 \
     "of what nothing has written (init), results that a gfx900's program does\n"                  \
     "not wait for (hazard), with commas between, or all; the status is 115 if\n"                  \
     "an error is reported, and the program ended with 0",                                         \
     WT_OPTION_SET(prefix##check)},                                                                \
        {"check-limit", 0, "N", "report so many different findings of a process (default: 100)",   \
         WT_OPTION_SET(prefix##check_limit)},                                                      \
        {"check-quarantine", 0, "SIZE",                                                            \
         "keep so much freed memory unusable, so that its use is reported (default:\n"             \
         "256M); 0: none",                                                                         \
         WT_OPTION_SET(prefix##check_quarantine)},                                                 \
        {"check-stop", 0, NULL, "end the program at the first error, with 115",                    \
         WT_OPTION_SET(prefix##check_stop)},                                                       \
        {"check-warnings", 0, "error", "warnings are errors",                                      \
         WT_OPTION_SET(prefix##check_warnings)},                                                   \
        {"check-kernel", 0, "GLOB", "report only what kernels of this name do",                    \
         WT_OPTION_SET(prefix##check_kernel)},                                                     \
        {"check-launch", 0, "FIRST-LAST",                                                          \
         "check only these launches of a GPU, from 1 on; or FIRST, FIRST-, -LAST",                 \
         WT_OPTION_SET(prefix##check_launch)},                                                     \
        {"check-lanes", 0, "ORDER",                                                                \
         "lockstep: lanes of one wave do not race, as on a gfx900; independent:\n"                 \
         "they do, as in OpenCL (default: as the GPU and its language have it)",                   \
         WT_OPTION_SET(prefix##check_lanes)},                                                      \
        {"check-init", 0, "LEVEL",                                                                 \
         "report of uninitialised values also what is copied to the host (copy),\n"                \
         "and each load of them (load)",                                                           \
         WT_OPTION_SET(prefix##check_init)},                                                       \
        {"check-config", 0, "FILE",                                                                \
         "suppress findings as FILE says; may be given several times\n"                            \
         "('" WT_CHECKS_FILE "' in the working folder is read, too)",                              \
         WT_OPTION_SET(prefix##check_config)},                                                     \
    {                                                                                              \
        "check-print-suppressions", 0, NULL,                                                       \
            "print lines for such a FILE that suppress what was reported",                         \
            WT_OPTION_SET(prefix##check_print_suppressions)                                        \
    }

/** Defines those functions, which find the struct wt_report_check in @p context by @p of. */
#define WT_CHECK_SETTERS(prefix, of)                                                               \
    WT_CHECK_SETTER(prefix, of, check)                                                             \
    WT_CHECK_SETTER(prefix, of, check_limit)                                                       \
    WT_CHECK_SETTER(prefix, of, check_quarantine)                                                  \
    WT_CHECK_SETTER(prefix, of, check_stop)                                                        \
    WT_CHECK_SETTER(prefix, of, check_warnings)                                                    \
    WT_CHECK_SETTER(prefix, of, check_kernel)                                                      \
    WT_CHECK_SETTER(prefix, of, check_launch)                                                      \
    WT_CHECK_SETTER(prefix, of, check_lanes)                                                       \
    WT_CHECK_SETTER(prefix, of, check_init)                                                        \
    WT_CHECK_SETTER(prefix, of, check_config)                                                      \
    WT_CHECK_SETTER(prefix, of, check_print_suppressions)
#define WT_CHECK_SETTER(prefix, of, name)                                                          \
    static enum wt_status prefix##name(void *context, const char *value, struct wt_error *err)     \
    {                                                                                              \
        return wt_report_set_##name(of(context), value, err);                                      \
    }

/** Takes the list of --check. */
enum wt_status wt_report_set_check(struct wt_report_check *check, const char *value,
                                   struct wt_error *err);
/** Takes the number of --check-limit. */
enum wt_status wt_report_set_check_limit(struct wt_report_check *check, const char *value,
                                         struct wt_error *err);
/** Takes the bytes of --check-quarantine. */
enum wt_status wt_report_set_check_quarantine(struct wt_report_check *check, const char *value,
                                              struct wt_error *err);
/** Takes --check-stop. */
enum wt_status wt_report_set_check_stop(struct wt_report_check *check, const char *value,
                                        struct wt_error *err);
/** Takes the word of --check-warnings. */
enum wt_status wt_report_set_check_warnings(struct wt_report_check *check, const char *value,
                                            struct wt_error *err);
/** Takes the pattern of --check-kernel. */
enum wt_status wt_report_set_check_kernel(struct wt_report_check *check, const char *value,
                                          struct wt_error *err);
/** Takes the range of --check-launch. */
enum wt_status wt_report_set_check_launch(struct wt_report_check *check, const char *value,
                                          struct wt_error *err);
/** Takes the word of --check-lanes. */
enum wt_status wt_report_set_check_lanes(struct wt_report_check *check, const char *value,
                                         struct wt_error *err);
/** Takes the word of --check-init. */
enum wt_status wt_report_set_check_init(struct wt_report_check *check, const char *value,
                                        struct wt_error *err);
/** Reads a file of --check-config. */
enum wt_status wt_report_set_check_config(struct wt_report_check *check, const char *value,
                                          struct wt_error *err);
/** Takes --check-print-suppressions. */
enum wt_status wt_report_set_check_print_suppressions(struct wt_report_check *check,
                                                      const char *value, struct wt_error *err);
/**
 * Takes a value of --report that is for findings: "sarif:FILE", "junit:FILE". *taken is false for
 * any other one. The file is made at once.
 */
enum wt_status wt_report_set_check_report(struct wt_report_check *check, const char *value,
                                          bool *taken, struct wt_error *err);
/** After the options: reads the working folder's file. WT_INVALID: an option is there, and --check
 * is not. */
enum wt_status wt_report_check_complete(struct wt_report_check *check, struct wt_error *err);
/** Frees what the options have made. */
void wt_report_check_free(struct wt_report_check *check);

/** Sets the variable for host programs that this process starts. */
enum wt_status wt_report_check_begin_programs(const struct wt_report_check *check,
                                              struct wt_error *err);
/** Begins to check what a device here does, if that is asked for. */
enum wt_status wt_report_check_begin(struct wt_report_check *check, struct wt_emulated *e,
                                     struct wt_error *err);
/** Ends it, and reports the findings as wt_report_check_report() does. Returns its exit status. */
int wt_report_check_end(const char *command, struct wt_report_check *check,
                        const struct wt_emulated *e, const char *report);
/** Takes the findings and the memory objects of a core file, if it has some; @p e: the device that
 * it was loaded into. */
enum wt_status wt_report_check_take_core_file(struct wt_report_check *check,
                                              const struct wt_core_file *core,
                                              const struct wt_emulated *e, struct wt_error *err);
/** Offers the findings to a debugger's front end; NULL: nothing is checked. It lives as long as
 * @p check. */
const struct wt_checks *wt_report_check_offer(struct wt_report_check *check,
                                              const struct wt_report_checked *of);
/**
 * Reports the findings of device @p e, or of host programs (NULL), which are in the file @p fd, on
 * stderr and to the files of @p report (wt_report_add()), and writes those of `sarif` and `junit`.
 * Returns an exit status: 0, WT_CHECK_STATUS where an error was found, or WT_EXIT_FAILED if
 * something could not be read or written.
 */
int wt_report_check_report(const char *command, struct wt_report_check *check, int fd,
                           const struct wt_emulated *e, const char *report);

#endif

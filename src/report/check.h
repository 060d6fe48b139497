/* --check: its options, and the reports of findings. */
#ifndef WT_REPORT_CHECK_H
#define WT_REPORT_CHECK_H

#include "base/option.h"
#include "check/set.h"
#include "debug/core/checks.h"
#include "report/status.h"
#include "report/suppress.h"
#include "runtime/common/checked.h"

struct wt_core_file;
struct wt_emulated;

/** The checks of a debugger's program: its findings' file, and the device. */
struct wt_report_checked {
    const int *file;             /**< file of its findings */
    const struct wt_emulated *e; /**< the device; NULL: host programs */
    int (*pid)(void *context);   /**< the host program's; NULL: there is none */
    void *context;
};

/** {0}: nothing is checked. */
struct wt_report_check {
    struct wt_check_options options;
    struct wt_check_set set; /**< set of a device here, while it is checked */
    int file;                /**< file of that device's findings */
    bool of_core_file;       /**< the findings are a core file's, and are not reported */
    char *maps; /**< maps of a core file: lines of /proc/PID/maps of its program; NULL: not known */
    struct wt_checks offered; /**< to a debugger: */
    struct wt_report_checked of;
    size_t used,
        counted; /**< findings in the file when they were counted last, and those reported */
    bool any;    /**< one of the options was given */
    bool warnings_are_errors;
    bool print_suppressions;
    const char *kernel;  /**< pattern of the kernels whose findings are reported; NULL: all */
    char *sarif, *junit; /**< files, a name a line; NULL: none */
    struct wt_report_suppressions suppressions;
    const char *again[2]; /**< a command that debugs the run, before and after the words for what
                               was found; NULL: none */
};

/**
 * The options, a row each: the function that takes it (wt_report_set_…), its name, its argument,
 * the help, and for manual pages (scripts/check_pages.py) the item behind its name and the text, in
 * mdoc. --check itself has the texts of check/checks.def.
 */
#define WT_CHECK_OPTION_LIST(O, ...)                                                               \
    O(check, "check", "LIST", wt_checks_help, "Ns = Ns Ar LIST", "", __VA_ARGS__),                 \
        O(check_limit, "check-limit", "N",                                                         \
          "report at most N different findings of a process (default: 100)", "Ns = Ns Ar N",       \
          "Reports at most that many different findings of a process; the default is 100.",        \
          __VA_ARGS__),                                                                            \
        O(check_quarantine, "check-quarantine", "SIZE",                                            \
          "keep that much freed memory unusable, so that its use is reported\n"                    \
          "(default: 256M); 0: none",                                                              \
          "Ns = Ns Ar SIZE",                                                                       \
          "Keeps that much freed memory unusable, so that its use is reported; the default is "    \
          "256M.",                                                                                 \
          __VA_ARGS__),                                                                            \
        O(check_stop, "check-stop", NULL, "end the program at the first error, with 115", "",      \
          "Ends the program at the first error, with 115.", __VA_ARGS__),                          \
        O(check_warnings, "check-warnings", "error", "warnings are errors", "Ns = Ns Cm error",    \
          "Takes warnings for errors.", __VA_ARGS__),                                              \
        O(check_kernel, "check-kernel", "GLOB", "report only what kernels of this name do",        \
          "Ns = Ns Ar GLOB", "Reports only what kernels of this name do.", __VA_ARGS__),           \
        O(check_launch, "check-launch", "FIRST-LAST",                                              \
          "check only these launches of a GPU, from 1 on; or FIRST, FIRST-, -LAST",                \
          "Ns = Ns Ar FIRST Ns - Ns Ar LAST", "Checks only these launches of a GPU, from 1 on.",   \
          __VA_ARGS__),                                                                            \
        O(check_lanes, "check-lanes", "ORDER",                                                     \
          "lockstep: lanes of one wave do not race, as on AMD's GPUs; independent:\n"              \
          "they do, as in OpenCL (default: as the GPU and its language have it)",                  \
          "Ns = Ns Cm lockstep | independent",                                                     \
          "Whether lanes of one wave are ordered by their instructions; the default is as the "    \
          "GPU "                                                                                   \
          "and its language have it.",                                                             \
          __VA_ARGS__),                                                                            \
        O(check_init, "check-init", "LEVEL",                                                       \
          "report of uninitialised values also what is copied to the host (copy),\n"               \
          "and each load of them (load)",                                                          \
          "Ns = Ns Cm copy | load",                                                                \
          "Reports of uninitialised values also what is copied to the host, and each load of "     \
          "them.",                                                                                 \
          __VA_ARGS__),                                                                            \
        O(check_config, "check-config", "FILE",                                                    \
          "suppress findings as FILE says; may be given several times\n"                           \
          "('" WT_CHECKS_FILE "' in the working folder is read, too)",                             \
          "Ns = Ns Ar FILE",                                                                       \
          "Suppresses findings as the lines of\n"                                                  \
          ".Ar FILE\n"                                                                             \
          "say.\n"                                                                                 \
          ".Pa wavetrap-checks.conf\n"                                                             \
          "in the working folder is read, too, if it is the user's.",                              \
          __VA_ARGS__),                                                                            \
        O(check_print_suppressions, "check-print-suppressions", NULL,                              \
          "print lines for such a FILE that suppress what was reported", "",                       \
          "Prints lines for such a file that suppress what was reported.", __VA_ARGS__)

/** The options, of a command whose option context is a @p type that has a struct wt_report_check.
 */
#define WT_CHECK_OPTIONS(type, member) WT_CHECK_OPTION_LIST(WT_CHECK_OPTION_ROW, type, member)
#define WT_CHECK_OPTION_ROW(function, name, argument, help, item, page, type, member)              \
    {                                                                                              \
        name, 0, argument, help, WT_OPTION_PART(wt_report_set_##function, type, member)            \
    }

#define WT_CHECK_OPTION_SETTER(function, ...) wt_report_set_##function
/** The functions that take them; their context is a struct wt_report_check. */
wt_option_set_fn WT_CHECK_OPTION_LIST(WT_CHECK_OPTION_SETTER, );
#undef WT_CHECK_OPTION_SETTER

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
/** Amount of what checks of host programs have looked at. */
struct wt_report_looked {
    uint64_t launches, faults; /**< kernels that began, and those that a fault ended */
    bool began;                /**< false: the program could not be started, as it seems */
};

/**
 * Reports the findings of device @p e, or of host programs (NULL), which are in the file @p fd, on
 * stderr and to the files of @p report (wt_report_add()), and writes those of `sarif` and `junit`.
 * Returns an exit status: 0, WT_CHECK_STATUS where an error was found, or WT_EXIT_FAILED if
 * something could not be read or written.
 */
int wt_report_check_report(const char *command, struct wt_report_check *check, int fd,
                           const struct wt_emulated *e, const struct wt_report_looked *looked,
                           const char *report);

#endif

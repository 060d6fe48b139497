/* Exit statuses, which say what a run's reports say. */
#ifndef WT_REPORT_STATUS_H
#define WT_REPORT_STATUS_H

#include "base/fault.h"
#include "base/error.h"

/**
 * Exit statuses of `wavetrap run` and `wavetrap trace` beside the program's own exit word; the
 * other subcommands use 0 and WT_EXIT_FAILED.
 */
enum wt_exit {
    WT_EXIT_ILLEGAL = 116,     /**< an instruction that the GPU does not have */
    WT_EXIT_DIVERGENCE = 117,  /**< lanes disagree on a branch without SPLIT */
    WT_EXIT_STACK = 118,       /**< a stack overflows, or IPDOM's underflows */
    WT_EXIT_MISALIGNED = 119,  /**< a misaligned access or jump */
    WT_EXIT_ACCESS = 120,      /**< memory used as it must not be */
    WT_EXIT_DEADLOCK = 121,    /**< every active warp waits for another one */
    WT_EXIT_OTHER_FAULT = 122, /**< any other mistake of the program */
    WT_EXIT_EXCEPTION = 123,   /**< an exception that the program enabled, and no trap handler */
    WT_EXIT_OVER = 114,        /**< a count is over its --profile-limit */
    WT_EXIT_LIMIT = 124,       /**< --max-issues was reached */
    WT_EXIT_FAILED = 125,      /**< wavetrap itself: bad option, unreadable file, no host memory */
    WT_EXIT_SIGNAL = 128,      /**< plus the signal that stopped it: 130 for Ctrl-C */
};

/** The exit status for a kind of fault. */
int wt_report_fault_status(enum wt_fault_kind kind);

/**
 * The exit status for a program's exit word: the word itself where a status can hold it (0..255).
 * A larger word gives its low 8 bits, or 1 where these are 0, so that failure stays failure.
 */
int wt_report_word_status(uint32_t word);

/** Prints "wavetrap COMMAND: MESSAGE" to stderr and returns WT_EXIT_FAILED. */
int wt_report_failed(const char *command, const struct wt_error *err);

#endif

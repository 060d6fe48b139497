/* How every function of wavetrap that can fail tells what went wrong. */
#ifndef WT_BASE_ERROR_H
#define WT_BASE_ERROR_H

#include <stdarg.h>

/** What a function that can fail returns. WT_OK is 0, so `if (wt_…())` reads "if it failed". */
enum wt_status {
    WT_OK = 0,
    WT_INVALID,     /**< the caller or the outside world gave something malformed */
    WT_IO,          /**< a file, socket or device did not answer as it must */
    WT_NO_MEMORY,   /**< the host ran out of memory */
    WT_UNSUPPORTED, /**< well-formed, but this target cannot do it */
    WT_STATE,       /**< not possible now (for instance: the wave is running) */
    WT_TIMEOUT,     /**< a device did not answer in time */
};

/** The message that goes with a status other than WT_OK: what was wrong, where, what to do. */
struct wt_error {
    enum wt_status status;
    char text[512];
};

/** An error that nobody reads, for calls whose failure has no consequence. */
#define WT_IGNORED (&(struct wt_error){.status = WT_OK})

/**
 * Fills *err, which is never NULL, with a formatted message and returns @p status, so that a
 * function can end in `return wt_fail(err, WT_INVALID, "…", …);`.
 */
enum wt_status wt_fail(struct wt_error *err, enum wt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Puts "PREFIX: " before the message in *err, to say where a lower layer's error happened. */
enum wt_status wt_fail_in(struct wt_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

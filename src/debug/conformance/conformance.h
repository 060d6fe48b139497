/*
 * Does a Debug Module do what the VxDebug specification says? A table of checks, one for each rule
 * that can be seen through the registers; they use the register bus and nothing else, so that they
 * run on an emulator, a simulation and hardware alike.
 *
 * Checks that need something to run write a few instructions where the device starts (or at a place
 * that the caller names), by injected stores, and put back what was there when they are done.
 */
#ifndef WT_DEBUG_CONFORMANCE_CONFORMANCE_H
#define WT_DEBUG_CONFORMANCE_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/core/target.h"
#include "base/error.h"

/** One rule of the specification. */
struct wt_conformance_check {
    const char *name;    /**< "haltreq.only-selected": for people, and to choose it */
    const char *section; /**< heading of the specification: "0x6: DCTRL" */
    const char *reg;     /**< register and field that it is about: "DCTRL.haltreq" */
    const char *title;   /**< what must be so */
};

enum wt_verdict {
    WT_VERDICT_PASS,
    WT_VERDICT_FAIL,
    WT_VERDICT_CANNOT_TELL, /**< this device or its transport does not let it be seen */
};

struct wt_conformance_result {
    const struct wt_conformance_check *check;
    enum wt_verdict verdict;
    char text[320]; /**< what was expected and what came; or why it cannot tell; "" or a remark */
};

/** The facts that the checks found about the device. */
struct wt_conformance_device {
    uint32_t platform;                        /**< as it was read */
    unsigned clusters, cores, warps, threads; /**< cores of a cluster, and so on */
    unsigned xlen;                            /**< 0: not found out */
    bool placed;                              /**< instructions were written at `base` */
    uint64_t base;
};

struct wt_conformance_options {
    unsigned patience_ms; /**< how long a device may take for one request; 0: 1000 */
    bool emulated;        /**< it is our emulator's: `text` names its options that would tell */
    bool base_given;      /**< put instructions at `base`, not where the device starts */
    uint32_t base;
    /** Is this check wanted? NULL: all are. */
    bool (*wanted)(void *context, const struct wt_conformance_check *check);
    /** Takes each result as it comes; may be NULL. */
    void (*result)(void *context, const struct wt_conformance_result *result);
    /** True: end early (and leave the device as at the end). NULL: never. */
    bool (*stop)(void *context);
    void *context;
};

struct wt_conformance_summary {
    unsigned passed, failed, cannot_tell;
    bool stopped; /**< by options->stop */
    struct wt_conformance_device device;
};

/** All checks, in the order of the specification. */
size_t wt_conformance_check_count(void);
/** The check of that index, which is below wt_conformance_check_count(). */
const struct wt_conformance_check *wt_conformance_check(size_t index);

/**
 * Runs the wanted checks on @p target, of whose services it uses `pump` alone (NULL: the device
 * runs by itself). The device is reset at the end and runs its program from the beginning; general
 * and scratch registers keep what the checks left in them. Fails only if the bus does; results up
 * to then were reported, and the device is left so all the same if the bus can be connected again.
 */
enum wt_status wt_conformance_run(const struct wt_target *target,
                                  const struct wt_conformance_options *options,
                                  struct wt_conformance_summary *summary, struct wt_error *err);

#endif

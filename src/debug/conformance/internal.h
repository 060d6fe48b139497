/* Declarations shared by the files of the conformance test. */
#ifndef WT_DEBUG_CONFORMANCE_INTERNAL_H
#define WT_DEBUG_CONFORMANCE_INTERNAL_H

#include "base/bits.h"
#include "debug/conformance/conformance.h"
#include "debug/vortex/dm.h"

/* The bits of DCTRL that the probe has no use for. */
#define DCTRL_ALLHALTED ((uint32_t)1 << 29)
#define DCTRL_ALLRUNNING ((uint32_t)1 << 27)
#define DCTRL_ANYUNAVAIL ((uint32_t)1 << 24)
#define DCTRL_SUMMARY ((uint32_t)0x3f << 24)
#define DCTRL_RESERVED ((uint32_t)0xfff << 12)
#define DCTRL_REQUESTS (DCTRL_HALTREQ | DCTRL_RESUMEREQ | DCTRL_STEPREQ | DCTRL_INJECTREQ)

enum { CAUSE_NONE, CAUSE_EBREAK, CAUSE_HALTREQ, CAUSE_STEP, CAUSE_RESETHALTREQ };

/* CSRs of Vortex that the checks compare registers with. */
enum { CSR_ACTIVE_WARPS = 0xcc3, CSR_NUM_WARPS = 0xfc1, CSR_NUM_CORES = 0xfc2 };

/* The instructions that the checks let warps run, by their byte offset from the base. */
enum {
    AT_COUNT = 0x00,   /* loop: t0 += 1 */
    AT_SPAWN = 0x08,   /* wspawn t1, t2, then AT_COUNT */
    AT_EBREAK = 0x10,  /* ebreak, then AT_AFTER */
    AT_AFTER = 0x14,   /* t0 += 1, for ever */
    AT_EXIT = 0x1c,    /* tmc x0 */
    AT_BARRIER = 0x24, /* bar t1, t2, then AT_WAIT */
    AT_WAIT = 0x28,    /* for ever nothing */
    AT_JUMP = 0x2c,    /* to AT_COUNT */
    AT_LINE = 0x30,    /* t0 += 1 three times, then AT_WAIT */
    AT_DATA = 0x40,    /* a word */
    PLACED_WORDS = 17,
};

/** One run of the checks. */
struct conformance {
    const struct wt_target *target;
    struct wt_bus *bus;
    const struct wt_conformance_options *options;
    struct wt_error *err;
    bool broken; /**< the bus failed: every access is without effect from now on */

    struct wt_conformance_device device;
    uint32_t waves;
    unsigned windows;
    uint32_t dconfig; /**< as it was found, with EH off */

    bool explored;                   /**< what follows is known */
    uint32_t active[DM_MAX_WINDOWS]; /**< WACTIVE after a reset */
    bool has_active, has_other;
    uint32_t warp;  /**< the first that is active after a reset, or warp 0 */
    uint32_t other; /**< the next such */

    bool wmask_known; /**< `wmask` is what was written last */
    uint32_t wmask[DM_MAX_WINDOWS];

    bool base_known, placed;
    uint32_t base;
    uint32_t saved[PLACED_WORDS]; /**< what was there */

    const struct check *check; /**< under way */
    enum wt_verdict verdict;   /**< its verdict */
    bool decided;              /**< it has its verdict */
    char text[320];
};

struct check {
    struct wt_conformance_check about;
    void (*run)(struct conformance *c);
    unsigned number; /**< for those that several rows have */
};

/* Each part of the table ends with a row without a name. */
extern const struct check wt_checks_of_shape[];    /* PLATFORM, DCONFIG, DSELECT */
extern const struct check wt_checks_of_windows[];  /* WMASK, WACTIVE, WSTATUS */
extern const struct check wt_checks_of_module[];   /* DCTRL: dmactive, ndmreset, summary bits */
extern const struct check wt_checks_of_requests[]; /* DCTRL: halt, resume, step */
extern const struct check wt_checks_of_warp[];     /* DPC, INJECT, DSCRATCH */

/* ---- verdicts: the first one of a check counts ---- */

/** The means that would tell where a check cannot. */
enum would {
    WOULD_TIME,      /**< more of it */
    WOULD_THREADS,   /**< more in a warp */
    WOULD_WARPS,     /**< more in a core */
    WOULD_WINDOWS,   /**< more warps than a window has bits */
    WOULD_ABSENT,    /**< fewer warps than windows have bits */
    WOULD_SLOWNESS,  /**< a reset that lasts longer than an access */
    WOULD_SCRATCHES, /**< more of DSCRATCH */
};

/** The check cannot tell, since …; returns false. */
bool cannot(struct conformance *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Likewise, where something would tell: its text says what. */
bool cannot_yet(struct conformance *c, enum would would, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** The check has failed: …; returns false. */
bool failed(struct conformance *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Fails unless both are the same; @p format says what was read, and after what. */
bool expect(struct conformance *c, uint32_t expected, uint32_t came, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Something worth knowing of a check that passes. */
void remark(struct conformance *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- access ---- */

/** Reads a register; 0 once the bus has failed. */
uint32_t rd(struct conformance *c, unsigned reg);
/** Writes a register. */
void wr(struct conformance *c, unsigned reg, uint32_t value);
/** Makes several accesses in one batch. */
void accesses(struct conformance *c, struct wt_bus_op *ops, size_t count);
/** Writes DCTRL with dmactive and these bits. */
void request(struct conformance *c, uint32_t bits);
/** Writes DSELECT: window, warp, thread. */
void dselect(struct conformance *c, unsigned window, uint32_t warp, unsigned thread);
/** Selects a warp's window, it, and its thread 0. */
void select_warp(struct conformance *c, uint32_t warp);

/** A bounded wait, in which the device advances. */
struct patience {
    uint64_t deadline_ns;
    unsigned polls;
};
/** Lets the device advance, and says whether the wait may go on. */
bool more(struct conformance *c, struct patience *p);
/** Waits until the bits @p mask of a register read @p value; false if they do not. */
bool wait_for(struct conformance *c, unsigned reg, uint32_t mask, uint32_t value);
/** Lets the device advance for a while in which what must not happen could. */
void settle(struct conformance *c);

/* ---- WMASK, WACTIVE and WSTATUS of all windows ---- */

/** The bits of window @p window that stand for warps that exist. */
uint32_t window_bits(const struct conformance *c, unsigned window);
/** Makes WMASK in all windows what wanted[] is; only what differs is written. */
void wmask_set(struct conformance *c, const uint32_t wanted[DM_MAX_WINDOWS]);
/** Makes WMASK name all warps. */
void wmask_all(struct conformance *c);
/** Makes WMASK name one warp. */
void wmask_only(struct conformance *c, uint32_t warp);
/** Makes WMASK name no warp. */
void wmask_none(struct conformance *c);
/** Reads a windowed register of every window into words[]. */
void read_windows(struct conformance *c, unsigned reg, uint32_t words[DM_MAX_WINDOWS]);
/** The bit of a warp in WACTIVE or WSTATUS. */
bool warp_bit(struct conformance *c, unsigned reg, uint32_t warp);

/* ---- states that checks begin with; false: the verdict says why there is none ---- */

/** The module is awake. */
bool awake(struct conformance *c);
/** Reset; every warp halted; EH off; c->warp known. */
bool at_reset(struct conformance *c);
/** at_reset, and instructions can be injected. */
bool injectable(struct conformance *c);
/** at_reset, and the checks' instructions are in memory; the warp c->warp is active. */
bool placed(struct conformance *c);
/** placed, and every warp that is active after a reset stands, halted, at AT_COUNT. */
bool counting(struct conformance *c);
/** The last warp that is active after a reset. */
uint32_t last_active(const struct conformance *c);
/** placed, with a second active warp, halted. */
bool two_warps(struct conformance *c, uint32_t *other);
/** Sends every warp that is active after a reset to one of the places; all are halted. */
void send_all(struct conformance *c, unsigned where);
/** Sets the DPC of a halted warp to one of the places. */
bool go_to(struct conformance *c, uint32_t warp, unsigned where);
/** Halts or resumes just this warp, and waits until WSTATUS says so. */
bool halt_warp(struct conformance *c, uint32_t warp);
/** Resumes just this warp, and waits until WSTATUS says so. */
bool resume_warp(struct conformance *c, uint32_t warp);
/** Resumes a warp that may halt again at once. */
void release_warp(struct conformance *c, uint32_t warp);
/** Lets the check's warp run to AT_EBREAK with ebreakh=1, which stays set; false with a verdict if
 * it does not halt there. */
bool run_to_ebreak(struct conformance *c);
/** Steps a warp and waits; false with a verdict if it does not end. */
bool step_warp(struct conformance *c, uint32_t warp);
/** DCTRL.hacause of a warp. */
unsigned hacause(struct conformance *c, uint32_t warp);
/** Ends a reset that was requested; false with a verdict if it does not end. */
bool reset_ends(struct conformance *c);

/* ---- injection ---- */

/** Executes an instruction on the thread that DSELECT names. */
bool inject(struct conformance *c, uint32_t instruction);
/** Reads a general register (on RV64 its low half). */
bool get_x(struct conformance *c, uint32_t warp, unsigned thread, unsigned reg, uint32_t *value);
/** Sets a general register; on RV64 its upper half is 0. */
bool set_x(struct conformance *c, uint32_t warp, unsigned thread, unsigned reg, uint32_t value);
/** Reads a CSR of the warp's thread 0 (on RV64 its low half). */
bool get_csr(struct conformance *c, uint32_t warp, unsigned csr, uint32_t *value);
/** Loads or stores the word at @p addr by an injected instruction. */
bool load_word(struct conformance *c, uint32_t addr, uint32_t *value);
/** Stores the word at @p addr by an injected instruction. */
bool store_word(struct conformance *c, uint32_t addr, uint32_t value);
/** Is warp's t0 counting? Reads it halted, resumes for a while, halts, reads it again. */
bool read_counter(struct conformance *c, uint32_t warp, uint32_t *value);

/** Puts the device into the state that wt_conformance_run() promises. */
void leave(struct conformance *c);

#endif

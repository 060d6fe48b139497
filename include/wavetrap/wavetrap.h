/*
 * The debugger as a library: opens a program as `wavetrap debug` does, runs it forwards and
 * backwards, reads and changes it where it has stopped, and observes its accesses to memory.
 *
 * A session belongs to one thread at a time; only wavetrap_interrupt() may be called from others.
 * There may be several sessions. Functions that can fail return an enum wavetrap_status and fill in
 * *err, which is never NULL. What functions hand over belongs to the session, and is valid until
 * the next call of any of its functions.
 */
#ifndef WAVETRAP_WAVETRAP_H
#define WAVETRAP_WAVETRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WAVETRAP_LANES 128 /**< of a wave, at most */
#define WAVETRAP_TEXT 1024 /**< bytes of a text, with its zero; longer ones are cut off */

struct wavetrap;

/** What a function that can fail returns. WAVETRAP_OK is 0, so `if (wavetrap_…())` reads "if it
 * failed". */
enum wavetrap_status {
    WAVETRAP_OK = 0,
    WAVETRAP_INVALID,     /**< the caller or the outside world gave something malformed */
    WAVETRAP_IO,          /**< a file, socket or device did not answer as it must */
    WAVETRAP_NO_MEMORY,   /**< the host ran out of memory */
    WAVETRAP_UNSUPPORTED, /**< well-formed, but this target cannot do it */
    WAVETRAP_STATE,       /**< not possible now (for instance: the wave is running) */
    WAVETRAP_TIMEOUT,     /**< a device did not answer in time */
};

/** The message that goes with a status other than WAVETRAP_OK: what was wrong, where, what to do.
 */
struct wavetrap_error {
    enum wavetrap_status status;
    char text[512];
};

/** A status in words, "not possible now"; never NULL. */
const char *wavetrap_status_text(enum wavetrap_status status);

/** The version of the library, "0.1.0". */
const char *wavetrap_version(void);

/* ---- sessions ---- */

/** Takes text: output of the code on the device, of commands, and of the debugger. */
typedef void wavetrap_text_fn(void *context, const char *text, size_t length);

/**
 * Opens a program: @p words are those of the command `wavetrap debug`, without the command; NULL
 * ends them. {"-g", "gfx900:cus=2", "--grid=64", "--arg=zeros:256", "kernel.co", NULL} is code for
 * a device, {"-g", "sm", "./program", "argument", NULL} a host program, {"--core", "file", NULL} a
 * core file. Nothing runs yet: code for a device is at its first instruction. Host programs are
 * started by the first run, by the command `wavetrap` of PATH, or the one that the environment's
 * WAVETRAP names; their output goes to the process's. @p text may be NULL: nobody reads.
 * On failure *session is NULL.
 */
enum wavetrap_status wavetrap_open(const char *const *words, wavetrap_text_fn *text, void *context,
                                   struct wavetrap **session, struct wavetrap_error *err);
/** Ends the session; a program that it has started ends, too. NULL is allowed. */
void wavetrap_close(struct wavetrap *session);

/** Executes a command of the console, as docs/debug.md lists them; its output goes to the text
 * function of wavetrap_open(). */
enum wavetrap_status wavetrap_command(struct wavetrap *session, const char *line,
                                      struct wavetrap_error *err);

/* ---- running ---- */

enum wavetrap_stop_kind {
    WAVETRAP_STEPPED,       /**< a step, or a journey in time, is done */
    WAVETRAP_BREAKPOINT,    /**< `point` */
    WAVETRAP_WATCHPOINT,    /**< `point`; the instruction is done */
    WAVETRAP_CATCHPOINT,    /**< `point`: of wavetrap_catch() */
    WAVETRAP_FAULT,         /**< the program made a mistake, which `text` describes */
    WAVETRAP_TRAP,          /**< a breakpoint instruction of the program's own */
    WAVETRAP_INTERRUPTED,   /**< by wavetrap_interrupt(), or for what `text` says */
    WAVETRAP_HISTORY_BEGIN, /**< the recorded run begins here */
    WAVETRAP_HISTORY_END,   /**< the present has been reached again */
    WAVETRAP_ENDED,         /**< the program has ended: `status` */
};

/** Where a run has come to. */
struct wavetrap_stop {
    enum wavetrap_stop_kind kind;
    unsigned point;           /**< the number of the point that it is for; 0: none */
    uint64_t wave;            /**< the selected wave; 0: there is none */
    unsigned lane;            /**< the selected lane: one that it happened to */
    uint64_t pc;              /**< of the wave: its next instruction */
    uint64_t time;            /**< issue time; 0 where it is not told */
    int status;               /**< ENDED: the exit word, or the host program's exit status (128 and
                                   the number of a signal); -1: not known */
    char text[WAVETRAP_TEXT]; /**< the stop for people, as the console prints it; of a step what
                                 others did that it has left out, or "" */
};

/** Runs until something happens; @p backwards: through the recorded run. A program that has not
 * been started, or has ended, begins. */
enum wavetrap_status wavetrap_continue(struct wavetrap *session, bool backwards,
                                       struct wavetrap_stop *stop, struct wavetrap_error *err);

struct wavetrap_step {
    bool instructions; /**< else lines */
    bool over;         /**< calls are stepped over */
    bool backwards;
    uint64_t count; /**< 0 is 1 */
};
/** Steps the selected lane; waves other than its run as far as it needs (docs/debug.md). */
enum wavetrap_status wavetrap_step(struct wavetrap *session, const struct wavetrap_step *how,
                                   struct wavetrap_stop *stop, struct wavetrap_error *err);
/** Runs until the selected frame has returned; @p backwards: until before its call. */
enum wavetrap_status wavetrap_finish(struct wavetrap *session, bool backwards,
                                     struct wavetrap_stop *stop, struct wavetrap_error *err);
/** Goes to an issue time of the recorded run. */
enum wavetrap_status wavetrap_goto(struct wavetrap *session, uint64_t time,
                                   struct wavetrap_stop *stop, struct wavetrap_error *err);
/** The issue time here, and those of the first and the last recorded state. WAVETRAP_UNSUPPORTED:
 * nothing is recorded. */
enum wavetrap_status wavetrap_time(struct wavetrap *session, uint64_t *now, uint64_t *first,
                                   uint64_t *last, struct wavetrap_error *err);
/** Stops what runs, at its next turn; from any thread, or a signal's handler. A session that does
 * not run is stopped as soon as it does. */
void wavetrap_interrupt(struct wavetrap *session);

/* ---- points ---- */

/** Sets a breakpoint at a place ("draw", "mandelbrot.c:46", "*0x80000254"). @p condition: an
 * expression, evaluated for each lane; NULL: none, or what follows " if " in @p place. *number: its
 * number. It may wait for code that is loaded later. */
enum wavetrap_status wavetrap_break(struct wavetrap *session, const char *place,
                                    const char *condition, unsigned *number,
                                    struct wavetrap_error *err);

enum wavetrap_watch_kind { WAVETRAP_CHANGES, WAVETRAP_READS, WAVETRAP_ACCESSES };
/** Watches the memory that an expression names here. @p condition may be NULL. */
enum wavetrap_status wavetrap_watch(struct wavetrap *session, enum wavetrap_watch_kind kind,
                                    const char *expression, const char *condition, unsigned *number,
                                    struct wavetrap_error *err);
/** Stops at events: "fault", "dispatch", … as the console's `catch`. @p condition may be NULL. */
enum wavetrap_status wavetrap_catch(struct wavetrap *session, const char *what,
                                    const char *condition, unsigned *number,
                                    struct wavetrap_error *err);
/** Deletes a point. WAVETRAP_INVALID: no point has that number. */
enum wavetrap_status wavetrap_delete(struct wavetrap *session, unsigned number,
                                     struct wavetrap_error *err);

/* ---- waves and lanes ---- */

/** A set of lanes: bit n % 64 of word n / 64 is lane n. */
struct wavetrap_lanes {
    uint64_t word[2];
};

/** A wave that is there now. */
struct wavetrap_wave {
    uint64_t id; /**< no other wave of the run has it */
    unsigned device, core, slot;
    unsigned lanes;             /**< how many it has */
    struct wavetrap_lanes mask; /**< those that are enabled */
    uint64_t pc;                /**< of its next instruction */
    bool waits;                 /**< at a barrier, or for another wave: `why` */
    bool has_work;              /**< the next five are known: */
    uint64_t dispatch;          /**< the number of the launch */
    uint32_t group[3];          /**< coordinates of its group */
    uint32_t index;             /**< its place in the group */
    uint32_t block[3], grid[3]; /**< work-items of a group, and of the launch; 0: not known */
    char why[96];               /**< for people; "" if it does not wait */
};

/** The waves that are there, by device, core and slot. */
enum wavetrap_status wavetrap_waves(struct wavetrap *session, const struct wavetrap_wave **list,
                                    size_t *count, struct wavetrap_error *err);
/** Selects a lane of a wave for what follows. */
enum wavetrap_status wavetrap_select(struct wavetrap *session, uint64_t wave, unsigned lane,
                                     struct wavetrap_error *err);

/* ---- registers and memory ---- */

/** A register of the device. */
struct wavetrap_register {
    const char *name, *set; /**< "x10", and the set that it is of: "general" */
    const char *alt_name;   /**< another name that people use: "a0"; NULL: none */
    unsigned bytes;         /**< of a value */
    bool per_lane;          /**< each lane has its own; else the wave has one */
    bool read_only;
};
/** All registers, the same all the time. */
const struct wavetrap_register *wavetrap_registers(struct wavetrap *session, size_t *count);

/**
 * Reads a register of a wave: its values of all lanes, lane 0's first, `bytes` each, or the one of
 * the wave. *length: bytes of them. WAVETRAP_INVALID: there is no such register, or @p size is too
 * small.
 */
enum wavetrap_status wavetrap_read_row(struct wavetrap *session, uint64_t wave, const char *name,
                                       void *out, size_t size, size_t *length,
                                       struct wavetrap_error *err);
/** Writes the register of one lane; @p size must be its size. In the recorded past it begins a new
 * future: the recorded one is dropped. */
enum wavetrap_status wavetrap_write_register(struct wavetrap *session, uint64_t wave, unsigned lane,
                                             const char *name, const void *bytes, size_t size,
                                             struct wavetrap_error *err);
/**
 * Reads memory as a lane sees it. @p space: the name of an address space (the console's `info
 * spaces`), or NULL: that of pointers. @p wave 0: as the selected lane sees it.
 */
enum wavetrap_status wavetrap_read_memory(struct wavetrap *session, uint64_t wave, unsigned lane,
                                          const char *space, uint64_t address, void *out,
                                          size_t size, struct wavetrap_error *err);
/** Writes it, likewise; in the past as wavetrap_write_register(). */
enum wavetrap_status wavetrap_write_memory(struct wavetrap *session, uint64_t wave, unsigned lane,
                                           const char *space, uint64_t address, const void *bytes,
                                           size_t size, struct wavetrap_error *err);

/* ---- source ---- */

/** The value of an expression in one lane. */
struct wavetrap_number {
    unsigned lane;
    bool known; /**< else the next ones are 0 */
    bool is_float, is_signed;
    int64_t integer; /**< of a float: 0 */
    double real;     /**< of an integer: the nearest one */
};

/** Prints the value of an expression as the console does, for the selected lane, or those that the
 * expression names ("x@*"). */
enum wavetrap_status wavetrap_print(struct wavetrap *session, const char *expression, char *text,
                                    size_t size, struct wavetrap_error *err);
/** Evaluates a scalar expression, likewise. WAVETRAP_INVALID: it is not a number. */
enum wavetrap_status wavetrap_evaluate(struct wavetrap *session, const char *expression,
                                       const struct wavetrap_number **list, size_t *count,
                                       struct wavetrap_error *err);

/** A function that the selected lane is in. */
struct wavetrap_frame {
    char function[WAVETRAP_TEXT]; /**< as its language has it; "": not known */
    char file[WAVETRAP_TEXT];     /**< "": not known */
    unsigned line;                /**< 0: not known */
    uint64_t pc;
    bool inlined;
};
/** Frame @p level, of which 0 is the innermost. WAVETRAP_INVALID: there is none. */
enum wavetrap_status wavetrap_frame(struct wavetrap *session, unsigned level,
                                    struct wavetrap_frame *frame, struct wavetrap_error *err);
/** The instruction at an address of code; *length: its bytes. */
enum wavetrap_status wavetrap_instruction(struct wavetrap *session, uint64_t address, char *text,
                                          size_t size, unsigned *length,
                                          struct wavetrap_error *err);

/** The names of the variables that the selected frame sees in its blocks, the innermost first;
 * NULL ends them. wavetrap_evaluate() and wavetrap_print() take them. */
enum wavetrap_status wavetrap_locals(struct wavetrap *session, const char *const **names,
                                     struct wavetrap_error *err);

/* ---- the past ---- */

/** What lanes of a wave did at an issue time of the recorded run; wavetrap_goto() goes there. */
struct wavetrap_event {
    uint64_t time, wave, pc;
    struct wavetrap_lanes lanes;
    unsigned depth;           /**< wavetrap_where_from(): instructions between it and the value */
    unsigned line;            /**< 0: not known */
    char file[WAVETRAP_TEXT]; /**< "": not known */
    char name[160];           /**< of the wave, for people */
};

/**
 * The last @p most instructions that stored to the value of an expression, or loaded it (@p loads),
 * the latest first. WAVETRAP_INVALID: it does not lie in memory; WAVETRAP_UNSUPPORTED: nothing is
 * recorded.
 */
enum wavetrap_status wavetrap_who_wrote(struct wavetrap *session, const char *expression,
                                        bool loads, unsigned most,
                                        const struct wavetrap_event **list, size_t *count,
                                        struct wavetrap_error *err);
/** The instructions that the value of an expression was made by, at most @p most of them, the
 * latest first (docs/where-from.md). */
enum wavetrap_status wavetrap_where_from(struct wavetrap *session, const char *expression,
                                         unsigned most, const struct wavetrap_event **list,
                                         size_t *count, struct wavetrap_error *err);

/** A mistake that a check has found (the word "--check=LIST" of wavetrap_open()). */
struct wavetrap_finding {
    unsigned number;              /**< from 1, as `info checks` counts */
    uint64_t time, wave;          /**< before the access; wave 0: the host made it */
    unsigned lane;                /**< the lowest one */
    uint64_t other_time;          /**< a race's other access; */
    uint64_t other_wave;          /**< 0: it has none */
    char text[4 * WAVETRAP_TEXT]; /**< the report, several lines; its first one says the kind */
};
/** The findings so far. WAVETRAP_STATE: nothing is checked. */
enum wavetrap_status wavetrap_findings(struct wavetrap *session,
                                       const struct wavetrap_finding **list, size_t *count,
                                       struct wavetrap_error *err);

/* ---- observation ---- */

enum wavetrap_access_kind { WAVETRAP_READ, WAVETRAP_WRITE, WAVETRAP_ATOMIC };
enum wavetrap_space {
    WAVETRAP_GLOBAL,   /**< that all waves share */
    WAVETRAP_GROUP,    /**< a group's; on Vortex a core's */
    WAVETRAP_PRIVATE,  /**< a lane's own: addresses are offsets in it */
    WAVETRAP_CONSTANT, /**< constants and arguments */
    WAVETRAP_DEVICE,   /**< on-chip memory of the device */
};

/** An access of lanes of one wave by one instruction. */
struct wavetrap_access {
    uint64_t time, wave, pc;
    enum wavetrap_access_kind kind;
    enum wavetrap_space space;
    unsigned size; /**< bytes that a lane accesses */
    bool scalar;   /**< the wave as a whole makes it, by its lowest enabled lane */
    struct wavetrap_lanes lanes;
    uint64_t address[WAVETRAP_LANES]; /**< of each of `lanes` */
};

/** Takes an access. It must call no function of the session. For a host program it is called in a
 * thread of the library's, too, by one thread at a time. */
typedef void wavetrap_access_fn(void *context, const struct wavetrap_access *access);
/**
 * Hands each access to @p fn from now on, in the order of instructions; NULL: to nobody. What runs
 * again after a journey in time is handed over again. When a function that has run the program
 * returns, all accesses until then have been handed over; those of several GPUs of a host program
 * each in their order, those of its child processes not. WAVETRAP_UNSUPPORTED: the program was not
 * started by this session (--pid, --socket), or is elsewhere.
 */
enum wavetrap_status wavetrap_observe(struct wavetrap *session, wavetrap_access_fn *fn,
                                      void *context, struct wavetrap_error *err);

#ifdef __cplusplus
}
#endif

#endif

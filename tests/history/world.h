/*
 * A recorded device with a debugger, and a model to compare it with: an emulator of the same
 * program that records nothing and has no debugger, and that can only be run again from its
 * beginning, with what came from outside (log.h) done again where it was done.
 *
 * For tests of time travel. What does not agree is told on stderr, and ends the process.
 */
#ifndef TESTS_HISTORY_WORLD_H
#define TESTS_HISTORY_WORLD_H

#include "emulator/vortex/vortex.h"
#include "debug/vortex/vortex.h"
#include "target/history.h"
#include "target/vortex.h"

/** Something that came from outside, or that a run did without an issue. */
enum happening_kind {
    HAPPENED_MEMORY, /* memory was written */
    HAPPENED_DEBUG,  /* a register of the debug hardware was written */
    HAPPENED_CLEAR,  /* a fault was cleared */
    HAPPENED_FLUSH,  /* half a line of the console was handed on */
    HAPPENED_RELOAD, /* the program was loaded afresh */
    HAPPENED_RUN,    /* a run came back early: a warp halted, a fault */
};

struct happening {
    enum happening_kind kind;
    uint64_t epoch;       /* resets before it */
    uint64_t time, after; /* issue time before and after it */
    uint64_t until;       /* of a run: where it would have ended for lack of issues */
    bool fault;           /* of a run */
    uint64_t addr;
    uint32_t wave, value;
    uint8_t bytes[16];
    size_t size;
};

struct happenings {
    struct happening *at;
    size_t count, room;
};

#define WORLD_WINDOW 128

/** An instruction that was issued. */
struct issue {
    uint32_t wave;
    wt_lanes mask;
    uint64_t pc;
    uint32_t changed;     /* bits: words of the window (world_options) whose value it changed */
    uint64_t incarnation; /* of the wave's slot */
};

/** The emulator that runs again from its beginning. */
struct model {
    struct wt_emulated session;
    size_t next;    /* happening */
    uint64_t epoch; /* resets until now */
    enum wt_run last;
    struct issue *issue; /* of this epoch, by issue time */
    size_t room;
    uint8_t window[WORLD_WINDOW]; /* now */
};

struct world_options {
    const char *program;     /* a file, which is there until the world is closed */
    struct vx_config config; /* of the device; options.gpu is set to it */
    struct wt_emulated_options options;
    uint64_t interval; /* issues between saved states; 0: as ever */
    uint64_t window;   /* address of WORLD_WINDOW bytes: who changes them is known of each issue */
};

struct world {
    struct world_options how;
    struct wt_emulated session;
    struct wt_bus bus; /* the session's, with a log */
    struct wt_target_services services;
    struct wt_vortex_link link;
    struct wt_target target;
    struct wt_debugger *debugger;
    struct happenings log;
    struct happenings pending; /* while the debugger looks around in the past: counts only if it
                                  becomes a branch */
    bool looking;
    uint64_t look_time;
    uint64_t epoch, resets;
    struct model here;           /* for views of the state now */
    struct model whole;          /* run to the end: its list of issues */
    struct wt_emulated pristine; /* memory as it was loaded */
};

struct world *world_open(const struct world_options *how);
void world_close(struct world *w);

/** The model's machine in the state at `time` of the present run. */
struct wt_machine *world_model(struct world *w, uint64_t time);
/** The issues of the present run, from 0 to `end`. */
const struct issue *world_issues(struct world *w, uint64_t *end);
/** Whether something came from outside at `time`. */
bool world_happened(const struct world *w, uint64_t time);
/** Whether a fault was come upon there. */
bool world_faulted(const struct world *w, uint64_t time);

/** Says what is wrong, and ends the process. */
__attribute__((format(printf, 2, 3), noreturn)) void world_fail(struct world *w, const char *format,
                                                                ...);

#endif

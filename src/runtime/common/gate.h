/*
 * Whose turn it is to use the GPUs of a process whose kernels run within its calls: the program's
 * or its debugger's. The gate is shut by whoever uses the devices: a call of the program, for as
 * long as it lasts, but for the times between two runs of a kernel; or a request of the debugger.
 * The debugger comes first: a kernel waits while one is wanted.
 *
 * "Entered" below: the caller has the gate.
 */
#ifndef WT_RUNTIME_COMMON_GATE_H
#define WT_RUNTIME_COMMON_GATE_H

#include <pthread.h>

#include "base/fault.h"
#include "runtime/common/recording.h"

struct wt_gate {
    pthread_mutex_t lock;
    pthread_cond_t let;       /**< the debugger has left, or changed something */
    pthread_cond_t moved;     /**< a kernel came back from a run */
    _Atomic unsigned waiting; /**< debuggers' requests that wait for the lock: without their number
                                   they might starve beside a kernel that takes it again at once */
    unsigned wanted;          /**< requests that are being served */
    unsigned watchers;        /**< requests that wait for the end of a run */
    uint64_t runs, pokes;
    uint64_t seen;   /**< pokes that the last run has seen */
    uint64_t waited; /**< runs that a request has waited for, or found to be over */
    bool held;       /**< kernels wait for a debugger to come */
    bool followed;   /**< a debugger is there */
    bool stopped;    /**< it has not heard of something yet */
    uint64_t code,
        known; /**< state of the list of code, and of which the debugger knows; 0: none */
    struct wt_hosted *gpu; /**< whose kernel runs; NULL: none does */
    struct wt_fault fault; /**< with which that is to end; kind 0: with none */
};

/** Its initial value. */
#define WT_GATE_OPEN                                                                               \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .let = PTHREAD_COND_INITIALIZER,                        \
        .moved = PTHREAD_COND_INITIALIZER, .code = 1                                               \
    }

/* ---- the program's side ---- */

/** Takes the gate for a call of the program: the debugger is kept out until wt_gate_leave, except
 * in wt_gate_turn and wt_gate_await. */
void wt_gate_enter(struct wt_gate *gate);
/** Gives the gate back at the end of a call. */
void wt_gate_leave(struct wt_gate *gate);
/** In a child after fork(): nobody has the gate, and no debugger is there. */
void wt_gate_forget(struct wt_gate *gate);
/** Before a launch: waits for a debugger, where kernels are held, and until it knows the code. Ends
 * early at Ctrl-C. Entered. */
void wt_gate_await(struct wt_gate *gate);
/** Before the program uses a GPU: waits until its debugger has left the past. Entered. */
void wt_gate_await_present(struct wt_gate *gate, const struct wt_recording *recording);
/** Notes that a kernel of @p gpu has begun. Entered. */
void wt_gate_began(struct wt_gate *gate, struct wt_hosted *gpu);
/** The number of issues until wt_gate_turn() is to be called: few where a debugger is there, else
 * @p without. Entered. */
uint64_t wt_gate_budget(const struct wt_gate *gate, uint64_t without);
/**
 * After a run of the device with @p result, of which the debugger is to be told if it is @p news:
 * lets the debugger in, and waits while it has stopped all waves. True: the kernel is to be run on.
 * False: it is over, by its own end or, with *result WT_RUN_FAULT and the machine's fault set, by
 * wt_gate_fail. Entered.
 */
bool wt_gate_turn(struct wt_gate *gate, enum wt_run *result, bool news);
/** Notes that the kernel has ended. Entered. */
void wt_gate_ended(struct wt_gate *gate);

/* ---- the debugger's side: serve.c, and a family's driver ---- */

/** Takes the gate for a request of the debugger: a kernel gives it up between two runs. */
void wt_gate_enter_as_debugger(struct wt_gate *gate);
/** Gives the gate back after the request. */
void wt_gate_leave_as_debugger(struct wt_gate *gate);
/** Whether something has happened that a debugger has not been told of: a recorded kernel stands
 * still then, until it asks again. Entered. */
bool wt_gate_has_news(const struct wt_gate *gate);
/**
 * Waits until the kernel has come back from a run since the last call, for at most @p ms; no time
 * where no kernel runs. A recorded kernel that stands for the debugger goes on. Entered as the
 * debugger.
 */
void wt_gate_wait(struct wt_gate *gate, unsigned ms);
/** Tells a kernel that stands that the debug hardware's state has changed. Entered as the debugger.
 */
void wt_gate_poke(struct wt_gate *gate);
/** Notes that a debugger is there, or no longer; kernels are held no longer, and no code is known.
 * Entered as the debugger. */
void wt_gate_follow(struct wt_gate *gate, bool follow);
/** Holds kernels until a debugger comes, or releases them. Entered. */
void wt_gate_hold(struct wt_gate *gate, bool hold);
/** The events since the last call, a set of enum wt_wire_happened; *code becomes the state of the
 * list of code. Entered as the debugger. */
int wt_gate_event(struct wt_gate *gate, uint64_t *code);
/** Notes the state of the list that the debugger knows. Entered as the debugger. */
void wt_gate_code_known(struct wt_gate *gate, uint64_t state);
/** Ends the kernel that runs with this fault, at its next wt_gate_turn. Entered. */
void wt_gate_fail(struct wt_gate *gate, const struct wt_fault *fault);

#endif

/* Declarations shared by the files of the program layer. */
#ifndef WT_DEBUG_PROGRAM_INTERNAL_H
#define WT_DEBUG_PROGRAM_INTERNAL_H

#include "base/text.h"
#include "debug/core/going.h"
#include "base/array.h"
#include "base/bits.h"
#include "debug/program/program.h"
#include "debug/source/locations.h"

/* ---- program.c ---- */
/** Tells the front end. */
void pg_tell(struct wt_program *g, const struct wt_news *news);
/** Tells it of a wait. */
void pg_wait(struct wt_program *g, enum wt_wait wait);

/* ---- selection.c ---- */
/**
 * The selected thread's wave, in all its lanes, stands in inlined calls that begin at its
 * instruction: in that of @p line (0: as before), and in @p more that were stepped into.
 */
void pg_enter_calls(struct wt_program *g, unsigned line, unsigned more);
/** The frame that a frame's function was called from; NULL: it is the outermost. */
const struct wt_frame *pg_caller(struct wt_program *g, const struct wt_frame *frame);
/** The frame of the function itself that a frame is in, which may be one of an inlined call. */
const struct wt_frame *pg_function_of(struct wt_program *g, const struct wt_frame *frame);
/** Whether two threads are of one wave. */
bool pg_same_wave(struct wt_program *g, wt_thread a, wt_thread b);
/** Where a frame of the selected thread returns to; false if that is not known. */
bool pg_find_way_out(struct wt_program *g, const struct wt_frame *frame, struct wt_stop_at *out);

/* ---- inserted.c ---- */
/** Sets breakpoints of all kinds as they are now wanted. */
enum wt_status pg_insert_points(struct wt_program *g, struct wt_error *err);
/** The condition of a breakpoint that means one thread and frame; the caller frees it. */
enum wt_status pg_thread_condition(struct wt_program *g, const struct wt_stop_at *at,
                                   struct wt_expr **expr, struct wt_error *err);
/** Inserts a breakpoint of the program layer's own, for one thread and frame. */
enum wt_status pg_insert_internal(struct wt_program *g, const struct wt_stop_at *at,
                                  struct wt_error *err);
/** Removes such a breakpoint. */
void pg_remove_internal(struct wt_program *g, uint64_t addr);
/** Whether a thread has stopped at a breakpoint of pg_insert_internal(), and at none of the user's.
 */
bool pg_is_internal_stop(struct wt_program *g, wt_thread thread);
/** Removes everything that is inserted, and the layer's own breakpoints. */
void pg_remove_all_inserted(struct wt_program *g);
/** The request to the debugger for one range of a watchpoint. */
struct wt_watchpoint_request pg_watch_request(struct wt_program *g, const struct wt_point *p,
                                              struct wt_watchpoint_request part);

/* ---- going.c ---- */
/** Reports a stop that the user wants to see: its frame, unless it was silent. */
void pg_show_stop(const struct wt_program *g, struct wt_stepped *end);
/** Waits until an event has come. */
enum wt_status pg_wait_for_event(struct wt_program *g, struct wt_error *err);
/** Waits for what happens while the program runs. */
enum wt_status pg_wait_for_stop(struct wt_program *g, struct wt_error *err);
/** Whether the user has interrupted since the last stop for it; false when called again. A step
 * that is done at once does not come to the session's loop, which reads signals. */
bool pg_was_interrupted(struct wt_program *g);
/** Lets threads go and waits for what happens. */
enum wt_status pg_resume_and_wait(struct wt_program *g, const struct wt_resume *list, size_t count,
                                  bool backwards, struct wt_error *err);

/* ---- following.c ---- */
/** Who runs with a wave that is followed. */
enum wt_company { WT_COMPANY_NONE, WT_COMPANY_GROUP, WT_COMPANY_ALL };
/** A wave that is followed. */
struct wt_follow {
    enum wt_company company;
    bool held;    /**< nobody else may run: it is an error that it needs others */
    bool widened; /**< all run since it needed them */
};
/** Lists the places of the breakpoints at which others do not stop while a thread, which stands at
 * @p own, is followed: of that of its own line, and that for which its wave has stopped last. */
void pg_list_left_out(struct wt_program *g, wt_thread thread, uint64_t own);
/** Tells of the stops of others that were left out. */
void pg_tell_passed(struct wt_program *g);
/**
 * Does forwards what @p wanted says of one thread, and waits for what happens; others run as far as
 * it needs them, which widens f->company. WT_STATE: it cannot go on by itself, and f->held.
 */
enum wt_status pg_follow(struct wt_program *g, struct wt_follow *f, const struct wt_resume *wanted,
                         struct wt_error *err);

/* ---- holds.c, stops.c ---- */
/** Whether a breakpoint's own condition holds where a thread stands. */
bool pg_condition_holds(struct wt_program *g, const struct wt_point *p, uint64_t pc,
                        wt_thread thread);
/**
 * Whether a breakpoint of the user's holds for a thread that stands at @p pc; @p logs: or a log
 * point that has not printed yet.
 */
bool pg_user_breakpoint_at(struct wt_program *g, uint64_t pc, wt_thread thread, bool logs);
/** Whether an expression holds for a thread where it stands. */
bool pg_holds_for(struct wt_program *g, const struct wt_expr *expr, wt_thread thread);
/** Reads the bytes of a watchpoint's value, p->value.size; false: it cannot be read. */
bool pg_read_watched(struct wt_program *g, const struct wt_point *p, uint8_t *to);
/** Notes the values of all watchpoints as they are now: they may have changed without a stop. */
void pg_refresh_watched(struct wt_program *g);
/** The fault at which the program stands has ended it. */
void pg_end_by_fault(struct wt_program *g);

/* ---- stepped.c: watchpoints on a device that has none ---- */
/** Whether something is watched, and the device cannot do it. */
bool pg_needs_steps(const struct wt_program *g);
/**
 * Does forwards what @p wanted says of the selected thread by single steps, and compares what is
 * watched after each. The event is in g->event, as after pg_wait_for_stop().
 */
enum wt_status pg_step_and_compare(struct wt_program *g, const struct wt_resume *wanted,
                                   struct wt_error *err);

/* ---- host.c ---- */
/** The program is not there any more. */
void pg_forget(struct wt_program *g);
/** The host program is gone: tells how it has ended. */
void pg_end_host(struct wt_program *g);
/** Frees arguments and changes of the environment. */
void pg_free_environment(struct wt_program *g);

/* ---- catch.c ---- */
/** Something has happened, modules have changed above all. */
void pg_catch_news(struct wt_program *g, const struct wt_probe_event *news);
/**
 * Counts the catchpoints of the fault of g->event that stop for it. *caught is the first of them;
 * NULL: none. False: there are catchpoints for it, none of them stops, and the fault is passed on.
 */
bool pg_catch_fault(struct wt_program *g, struct wt_point **caught);
/**
 * Whether the condition of a catchpoint holds where the selected wave stands, in one of @p lanes
 * (0: that of the selected thread); the first such lane is selected. One that cannot be evaluated
 * holds, and that is told.
 */
bool pg_catch_holds(struct wt_program *g, const struct wt_point *p, wt_lanes lanes);
/** Counts and tells the catchpoint of a stop; false if there is none. */
bool pg_report_catch(struct wt_program *g);
/** Handles a wave's arrival at the instructions of a catchpoint; false: this is no stop. */
bool pg_catch_at(struct wt_program *g, struct wt_point *p, uint64_t pc);
/** Puts it to where kernels begin, and, as far as that is known, end. */
void pg_resolve_catch(struct wt_program *g, struct wt_point *p);

/* ---- message.c ---- */
/**
 * The message of a log point for the place @p addr, which needs no stop. NULL: it must stop there,
 * since something in it can only be evaluated then. The caller owns it.
 */
struct wt_expr *pg_compile_log(struct wt_program *g, const struct wt_point *p, uint64_t addr);
/** Whether all places of a log point have the names that its values use. */
enum wt_status pg_check_names(struct wt_program *g, const struct wt_point *p, struct wt_error *err);
/** Tells what a log point has for each lane of the selected wave for which its condition holds. */
void pg_log_lanes(struct wt_program *g, const struct wt_point *p, uint64_t pc);

/* ---- list.c ---- */
/** Removes the breakpoints of a log point that print without a stop. */
void pg_remove_logs(struct wt_program *g, struct wt_point *p);
/** A stop at a point is told: its commands are queued, and its stops counted down. */
void pg_stopped_at(struct wt_program *g, struct wt_point *p);
/** Frees all points. */
void pg_free_points(struct wt_program *g);
/** Adds one with the next number; NULL without host memory. */
struct wt_point *pg_add_point(struct wt_program *g, enum wt_point_kind kind, const char *text,
                              struct wt_error *err);
/** The program is another one now: its watchpoints are gone. */
void pg_forget_watchpoints(struct wt_program *g);
/**
 * The line that a breakpoint's location names, or that of the inlined call which begins at an
 * address and which it names; 0: neither.
 */
unsigned pg_line_wanted(struct wt_program *g, const struct wt_point *p, uint64_t addr);
/* Appends an address to a list in which it is not yet; false without host memory. */
static inline bool pg_add_address(uint64_t **list, size_t *count, size_t *capacity, uint64_t addr)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == addr)
            return true;
    uint64_t *grown = wt_array_grow(*list, capacity, *count + 1, sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[(*count)++] = addr;
    return true;
}

/** Frees the conditions of its addresses. */
void pg_free_compiled(struct wt_point *p);
/** Gives a point another list of addresses, which it takes over. */
void pg_set_addresses(struct wt_point *p, uint64_t *list, size_t count);
/* ---- points.c, resolve.c ---- */
/** Removes a point that cannot be: its number is not used. */
void pg_take_back(struct wt_program *g, struct wt_point *p);
/** Compiles a point's conditions anew. */
enum wt_status pg_compile_condition(struct wt_program *g, struct wt_point *p, struct wt_error *err);
/** Finds the places of all points anew: code has come or gone. */
void pg_resolve_points(struct wt_program *g);

/* ---- watch_condition.c ---- */
/** Makes p->rule from a watchpoint's condition, as the selected frame understands it. */
enum wt_status pg_compile_watch_condition(struct wt_program *g, struct wt_point *p,
                                          struct wt_error *err);
/** As the debugger has it; NULL: there is none. */
struct wt_watch_condition *pg_watch_condition(const struct wt_point *p);
/**
 * At a stop for a watchpoint that the debugger has not decided: whether its condition holds for a
 * lane that made the access, or cannot be evaluated, which g->event.unread then says. Selects the
 * first such lane.
 */
bool pg_watch_condition_holds(struct wt_program *g, const struct wt_point *p);
/** Whether the value of an expression is not 0. */
enum wt_status pg_is_true(const struct wt_view *view, const char *text, bool *holds,
                          struct wt_error *err);
/** Frees it. NULL is allowed. */
void pg_free_watch_rule(struct wt_watch_rule *rule);

/* ---- places.c ---- */
/** What the symbol of each kernel of Vortex 3.0 begins with. */
#define VORTEX_KERNEL "__vx_kentry_"

/** Where kernels begin, those of the runtime, too. The caller frees the list; NULL: none. */
uint64_t *pg_kernel_entries(struct wt_program *g, size_t *count);
/** Whether a location ("f", "ns::f(int)", "FILE:f") names a function. */
bool pg_names_function(const char *location, const char *function);
/** The file that lines without a file mean; NULL: none. */
const char *pg_current_file(struct wt_program *g);
/** Whether an expression is a function. */
bool pg_is_code(struct wt_program *g, const char *expression);
/** Whether an expression may be a function that is loaded later: it is a name. */
bool pg_names_code(const char *expression);

#endif

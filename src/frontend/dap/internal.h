/* Declarations shared by the files of the Debug Adapter Protocol's server. */
#ifndef WT_FRONTEND_DAP_INTERNAL_H
#define WT_FRONTEND_DAP_INTERNAL_H

#include <json-c/json.h>

#include "base/text.h"
#include "frontend/dap/dap.h"
#include "frontend/dap/framing.h"
#include "frontend/dap/json.h"

/** The thread that stands for a program of which no kernel runs: clients want one to pause. */
#define DAP_NO_KERNEL INT32_MAX

/** A request that has not been answered. */
struct dap_request {
    struct json_object *message, *arguments; /**< arguments: of it; NULL: none */
    int64_t seq;
    const char *command;
    struct dap_request *next;
};

enum dap_point_kind { DAP_SOURCE, DAP_FUNCTION, DAP_INSTRUCTION, DAP_DATA, DAP_EXCEPTION };

/** A breakpoint of the client's. */
struct dap_point {
    int64_t id;
    enum dap_point_kind kind;
    char *key;   /**< SOURCE: the file as the client names it; else NULL */
    char *text;  /**< the line, function, address, data id or filter */
    char *place; /**< for the program */
    char *condition, *hit, *log;
    enum wt_point_kind watch; /**< DATA */
    unsigned number;          /**< number of the program's point; 0: there is none */
    char *why;                /**< … since */
    bool told;                /**< the client knows it as verified */
    bool kept;                /**< while a list is replaced: it is in the new one */
};

/** The meaning of a data breakpoint's id. */
struct dap_datum {
    char *expression, *address; /**< as it was named, and the memory that it was */
    wt_thread thread;
    unsigned level;
    uint64_t stop; /**< struct wt_dap.stop at that time */
};

struct dap_frame {
    wt_thread thread;
    unsigned level;
};

enum dap_holder_kind {
    DAP_ARGUMENTS,
    DAP_LOCALS,
    DAP_REGISTERS,
    DAP_REGISTER_SET,
    DAP_LANES,
    DAP_LANE,
    DAP_DISPATCH,
    DAP_CHILDREN, /**< children of `values` */
    DAP_EACH_LANE /**< `values`, lane by lane */
};

/** The meaning of a variablesReference. */
struct dap_holder {
    enum dap_holder_kind kind;
    struct dap_frame frame;
    int lane;        /**< -1: that of the thread */
    const char *set; /**< REGISTER_SET */
    struct wt_values values;
    char *expression; /**< expression of them, without a lane; NULL: it has none */
};

/** A place in the code that the client may go to. */
struct dap_target {
    uint64_t address;
};

/** Why the program stands. */
struct dap_stop {
    const char *reason; /**< as the protocol has it; NULL: as the request says */
    char *description, *text;
    unsigned point[16]; /**< numbers of the program's points */
    size_t point_count;
    bool is_end; /**< the program, or a kernel of a host program, has come to its end, where
                    "stopAtEnd" stops */
    char *exception, *details; /**< a fault's or a mistake's; NULL: it is none */
};

struct wt_dap {
    struct wt_dap_owner owner;
    int in, out;
    struct dap_input input;
    struct dap_request *queue;
    struct dap_request *current; /**< under way; NULL: it is answered */
    int64_t seq;
    bool ended;   /**< no request is served any more */
    bool foreign; /**< … since what came is no protocol */
    bool gone;    /**< the client is */
    struct wt_error why;

    bool initialized, configured, terminated, attaches, stops_on_entry;
    bool joined;        /**< another front end has begun the session */
    bool may_run;       /**< … and this one may set its program going, too */
    bool runs_only;     /**< nothing is to stop it: "noDebug" */
    bool stops_at_end;  /**< it stops before it ends, so that its run can be looked at */
    bool ends_on_host;  /**< … but for a host program */
    unsigned end_point; /**< the point at the ends of a host program's kernels; 0: there is none */
    struct {
        bool lines_from_0, columns_from_0, uris;
        bool types, memory_references, progress, invalidated, memory_events;
    } client;
    struct wt_dap_start start;
    char *start_text; /**< the request's arguments */
    enum wt_thread_mode threads;
    uint64_t thread_page;

    struct wt_program *g; /**< NULL: nothing is debugged */
    bool handling;        /**< a request's function runs */
    bool running;         /**< the program was set going, and its stop is not told */
    bool leaving;         /**< a request waits that ends the run */
    bool pauses;          /**< the run is to stop at the next opportunity */
    bool travels;         /**< a request looks at other times, and comes back: no stop is told
                               of it */
    bool quiet;           /**< what the console says is not for the client */
    uint64_t runs;        /**< g->runs that are told */
    uint64_t stop;        /**< how often it has stopped */
    const char *reason;   /**< reason of a stop for which nothing else is told */
    struct dap_stop why_stopped;
    struct wt_debugger_time at_end; /**< where "stopAtEnd" has stopped; `end` 0: it has not yet */
    bool modules_changed;
    uint64_t told_findings;       /**< findings of checks that were told */
    struct json_object *findings; /**< those that a grid has had; NULL: none */

    char *captured; /**< what the command of the client prints; NULL: it executes none */
    size_t captured_size, captured_room;

    int64_t progress_id;
    bool progress_shown, progress_cancelled;

    struct dap_point **point;
    size_t point_count, point_capacity;
    int64_t last_point;
    unsigned passes_faults; /**< number of the catchpoint by which faults are passed on; 0: none */
    struct dap_datum *datum;
    size_t datum_count, datum_capacity;

    struct dap_frame *frame;
    size_t frame_count, frame_capacity;
    int64_t frame_base;
    struct dap_holder **holder;
    size_t holder_count, holder_capacity;
    int64_t holder_base;
    struct wt_view view; /* dap_view() */
    bool has_view;
    struct dap_target *target;
    size_t target_count, target_capacity;
    int64_t target_base;
};

/** A request: *body (NULL at first) is what its answer has. */
typedef enum wt_status dap_fn(struct wt_dap *d, struct json_object *arguments,
                              struct json_object **body, struct wt_error *err);

/* ---- send.c ---- */
/** Sends an event with @p body, which it takes over; NULL: none. */
void dap_event(struct wt_dap *d, const char *name, struct json_object *body);
/** Answers the request under way, if it is not yet. @p body is taken over. */
void dap_answer(struct wt_dap *d, struct json_object *body);
/** Answers it with a failure. */
void dap_refuse(struct wt_dap *d, const char *text);
/** Answers a message that is no request under way. */
void dap_refuse_message(struct wt_dap *d, int64_t to, const char *command, const char *text);
/** Frees a request. */
void dap_free_request(struct dap_request *r);
/** Sends a sentence to the client. */
void dap_say(struct wt_dap *d, enum wt_dap_category category, const char *text);
/** Forgets requests that wait. */
void dap_free_requests(struct wt_dap *d);

/* ---- handles.c ---- */
/** Forgets frames and variables. */
void dap_forget(struct wt_dap *d);
/** The selected frame, looked up once for each request. It holds until the program runs. */
const struct wt_view *dap_view(struct wt_dap *d);
/** The frame may be another one. */
void dap_forget_view(struct wt_dap *d);
/** Selects a frame. */
enum wt_status dap_enter(struct wt_dap *d, struct dap_frame frame, struct wt_error *err);
/** Selects the one of an id. */
enum wt_status dap_enter_id(struct wt_dap *d, int64_t id, struct wt_error *err);
/** Selects the frame that a request must name, and finds it. */
enum wt_status dap_need_frame(struct wt_dap *d, struct json_object *arguments, int64_t *id,
                              const struct wt_frame **frame, struct wt_error *err);
/** Selects a thread of the client's. */
enum wt_status dap_enter_thread(struct wt_dap *d, struct json_object *arguments,
                                struct wt_error *err);
/** The client's number of the selected thread. */
int64_t dap_thread_id(struct wt_dap *d);
/** A reference of something with children; 0 without host memory. Takes over @p values (may be
 * NULL) and @p expression. */
int64_t dap_hold(struct wt_dap *d, enum dap_holder_kind kind, struct dap_frame frame, int lane,
                 struct wt_values *values, char *expression);
/** The holder of a reference. */
enum wt_status dap_holder_of(struct wt_dap *d, int64_t reference, struct dap_holder **holder,
                             struct wt_error *err);
/** Tells the client that it is to ask again for an area: "variables", "stacks". */
void dap_invalidate(struct wt_dap *d, const char *area);
/** Something was written: what clients have seen of values is void. */
void dap_changed(struct wt_dap *d);
/** A reference of memory as the selected thread sees it: writes it to @p text. */
void dap_reference(struct wt_dap *d, struct wt_address at, char *text, size_t size);
/** The address that a reference means, and the thread that sees it. */
enum wt_status dap_from_reference(struct wt_dap *d, const char *text, struct wt_address *at,
                                  wt_thread *thread, struct wt_error *err);

/* ---- launch.c ---- */
dap_fn dap_initialize, dap_launch, dap_attach, dap_configuration_done, dap_restart, dap_disconnect,
    dap_terminate, dap_cancel;
/** Tells the end of the program, once. */
void dap_tell_end(struct wt_dap *d);
/** Ends the session. */
void dap_close(struct wt_dap *d, bool kill);

/* ---- stops.c ---- */
/** Handles the beginning of a run: the request is answered, what stops meant is void. */
void dap_begin_run(struct wt_dap *d);
/** Tells the stop or the end that a request has led to, or its failure. */
void dap_settle(struct wt_dap *d, enum wt_status status, const struct wt_error *err);
/** Forgets why the program stands. */
void dap_forget_stop(struct dap_stop *stop);
dap_fn dap_exception_info;

/* ---- run.c ---- */
dap_fn dap_continue, dap_next, dap_step_in, dap_step_out, dap_step_back, dap_reverse_continue,
    dap_pause, dap_goto, dap_goto_targets, dap_step_in_targets;

/* ---- points.c, point_sets.c ---- */
dap_fn dap_set_breakpoints, dap_set_function_breakpoints, dap_set_instruction_breakpoints,
    dap_data_breakpoint_info, dap_set_data_breakpoints, dap_set_exception_breakpoints;
/** Sets what the point says in the program. */
void dap_point_set(struct wt_dap *d, struct dap_point *p);
/** Takes it out of the program. */
void dap_point_unset(struct wt_dap *d, struct dap_point *p);
/** Describes it to the client. */
struct json_object *dap_point_body(struct wt_dap *d, struct dap_point *p);
/** Has faults passed on, but for those that have catchpoints, or not. */
void dap_pass_faults(struct wt_dap *d, bool pass);
/** Sets all of them again, in a new session. */
void dap_points_again(struct wt_dap *d);
/** Code has come or gone: tells whose places are known now. */
void dap_points_changed(struct wt_dap *d);
/** The program begins anew: counts of hits, too. */
void dap_points_begin(struct wt_dap *d);
/** A point was hit: what its count of hits says for the next time. */
void dap_point_hit(struct wt_dap *d, unsigned number);
/** The client's point of a number of the program's; NULL: there is none. */
struct dap_point *dap_point_of(struct wt_dap *d, unsigned number);
/** The program has deleted one of its points. */
void dap_point_lost(struct wt_dap *d, unsigned number, const char *why);
/** Frees one. */
void dap_point_free(struct dap_point *p);
/** Adds the filters of exceptions, of the program or of any. */
void dap_put_filters(struct wt_dap *d, struct json_object *capabilities);

/* ---- stack.c ---- */
dap_fn dap_threads, dap_stack_trace, dap_scopes, dap_where;

/* ---- variables.c ---- */
dap_fn dap_variables, dap_set_variable;
/** The text of value @p k, in GDB's notation; NULL: no host memory. The caller frees it. */
char *dap_value_text(const struct wt_view *view, const struct wt_values *values, unsigned k,
                     const struct wt_format *format);
/** Adds value, type, children and memory of a value; takes over @p values. */
void dap_put_value(struct wt_dap *d, struct json_object *o, const char *member,
                   struct wt_values *values, struct dap_frame frame, int lane, char *expression,
                   const struct wt_format *format);
/** The expression of child @p name of a holder, which the caller frees. */
enum wt_status dap_child_expression(struct wt_dap *d, struct dap_holder *h, const char *name,
                                    char **expression, struct wt_error *err);
/** How values are printed, by a request's member "format". */
struct wt_format dap_format_of(struct json_object *arguments, bool top);
/** Assigns, and puts the new value to *body, under the name "value". */
enum wt_status dap_assign(struct wt_dap *d, const char *expression, const char *value,
                          const struct wt_format *format, struct json_object **body,
                          struct wt_error *err);

/* ---- evaluate.c ---- */
dap_fn dap_evaluate, dap_set_expression, dap_completions;

/* ---- code.c ---- */
dap_fn dap_disassemble;

/* ---- grid.c ---- */
dap_fn dap_grid, dap_recording, dap_goto_time, dap_select;

/* ---- trail.c ---- */
dap_fn dap_trail;
/** Adds a place of an access or of an instruction to a list, as an object. */
void dap_put_place(struct json_object *list, const struct wt_check_place *place);
/** The most instructions of a trail, the latest ones; its text says where there are more. */
enum { DAP_TRAIL_STEPS = 400 };
/**
 * Finds how the value of the member "expression" came to be, for the selected lane: the places of
 * the instructions that made it, or with "stores" of the stores to it, the earliest first, one for
 * each line of a wave; the last one is the lane that has it now. The caller owns *trail. WT_STATE:
 * nothing wrote to it; WT_UNSUPPORTED: nothing is recorded.
 */
enum wt_status dap_find_trail(struct wt_dap *d, struct json_object *arguments,
                              struct json_object **trail, struct wt_error *err);

dap_fn dap_read_memory, dap_write_memory;

/* ---- sources.c ---- */
dap_fn dap_source, dap_loaded_sources, dap_modules, dap_breakpoint_locations;
/** The text of a file, as debug information names it; NULL: there is none. The caller frees it. */
char *dap_source_text(struct wt_dap *d, const char *path);
/** Adds the source of a file, as debug information names it. */
void dap_put_source(struct wt_dap *d, struct json_object *o, const char *name);
/** The file that a client's source is in the debug information, which the caller frees: the path
 * itself, where none has it. */
enum wt_status dap_source_name(struct wt_dap *d, struct json_object *source, char **name,
                               struct wt_error *err);
/** A line as the client counts. */
int64_t dap_line_out(const struct wt_dap *d, unsigned line);
/** A line of the client's, from 1. */
int64_t dap_line_in(const struct wt_dap *d, int64_t line);

#endif

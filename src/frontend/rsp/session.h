/*
 * One conversation with a client: what has been negotiated, which threads it looks at, which
 * answer it still waits for. Bytes go in and come out; sockets are the server's business.
 * This header is for the files of the front end and its tests.
 */
#ifndef WT_FRONTEND_RSP_SESSION_H
#define WT_FRONTEND_RSP_SESSION_H

#include <stdio.h>

#include "debug/core/going.h"
#include "debug/core/session.h"
#include "frontend/rsp/agent.h"
#include "frontend/rsp/architecture.h"
#include "frontend/rsp/command.h"
#include "frontend/rsp/packet.h"
#include "frontend/rsp/rsp.h"

struct wt_modules;

/** Registers that go with a stop, at most; each has 64 bits at most. */
#define WT_RSP_EXPEDITED 4

/** All threads of the device belong to one process as GDB sees it. */
#define WT_RSP_PROCESS 1

/** GDB's numbers of signals (include/gdb/signals.def). */
enum {
    WT_RSP_SIGHUP = 1,
    WT_RSP_SIGINT = 2,
    WT_RSP_SIGILL = 4,
    WT_RSP_SIGTRAP = 5,
    WT_RSP_SIGABRT = 6,
    WT_RSP_SIGBUS = 10,
    WT_RSP_SIGSEGV = 11,
};

/** A breakpoint that the client has inserted. */
struct wt_rsp_breakpoint {
    uint64_t addr;
    unsigned type;  /**< 0: Z0, 1: Z1 */
    bool evaluated; /**< it came with conditions or commands, for every lane */
    bool internal;  /**< the client's own, on the way of a step: for one thread */
    bool persist;   /**< stays when the client leaves (its commands ask for it) */
};

/** A name that the user gave to an issue time. */
struct wt_rsp_mark {
    char name[32];
    uint64_t time;
};

/** A watchpoint that the client has inserted, or had before it was told of the present stop. */
struct wt_rsp_watchpoint {
    struct wt_watchpoint_request request;
    bool inserted;
};

/** A thread that has stopped for a watchpoint, and the PC at which it is shown until it is stepped.
 */
struct wt_rsp_shown {
    wt_thread thread;
    uint64_t pc;
    int written; /**< index of a register that is shown as it was there, too; -1: none */
    uint8_t value[8];
};

/** The former contents of the places that the instruction at a breakpoint overwrites (hits.c). */
struct wt_rsp_before {
    uint64_t pc;
    int written;    /**< index of the register that the instruction writes; -1: none */
    wt_lanes lanes; /**< those whose values are in `row`, the lowest lane first */
    uint8_t row[WT_MAX_LANES * 8];
};

/** Non-stop: a wave whose lanes met a breakpoint, and wait for each other to go on (held.c). */
struct wt_rsp_held {
    wt_wave_id wave;
    wt_thread thread;  /**< any thread of the wave */
    wt_lanes met;      /**< lanes that are told of it */
    wt_lanes left;     /**< those that the client has neither stepped nor continued since */
    wt_lanes untold;   /**< those lanes whose stop is still to be told */
    bool passed;       /**< a step of another lane has taken them off the breakpoint */
    bool to_show;      /**< they are to be shown at the breakpoint when that step begins */
    wt_thread stepped; /**< the lane whose step ended last */
    wt_thread bound;   /**< the lane that is to go on to a breakpoint of its own: see held.c */
    struct wt_rsp_before before;
};

/** Lanes that met a breakpoint together, to be told one after another (hits.c). */
struct wt_rsp_hits {
    enum {
        WT_RSP_HITS_NONE,
        WT_RSP_HITS_STANDING, /**< the wave stands at the breakpoint */
        WT_RSP_HITS_STEPPING, /**< the client steps a thread off it */
        WT_RSP_HITS_PASSED,   /**< the wave stands behind it */
    } state;
    wt_thread thread; /**< thread of the hit that was told last */
    bool backwards;   /**< the program was going backwards, and is stepped back */
    uint64_t time;    /**< issue time of the hit, backwards */
    wt_lanes left;    /**< still to be told */
    struct wt_rsp_before before;
    unsigned chosen_lane; /**< lane of the first hit: a warp's thread shows it afterwards */
};

/** A wave that a step of one lane has taken off a breakpoint (follow.c). */
struct wt_rsp_followed {
    wt_wave_id id;
    wt_lanes lanes;      /**< the other lanes that moved, but for those whose steps were answered */
    uint64_t left;       /**< the breakpoint */
    bool inserted_again; /**< the breakpoint was inserted after the step */
};

struct wt_rsp_follow {
    struct wt_rsp_followed *wave;
    size_t wave_count, wave_capacity;
    uint64_t lifted; /**< the breakpoint that was removed last since something was resumed */
    bool has_lifted;
};

/** A client's latest reads of memory since its last resume: they tell which thread a watchpoint is
 *  for. */
struct wt_rsp_reads {
    struct {
        uint64_t addr, size;
        wt_thread thread;
        bool twice; /**< in a row */
    } read[1024];
    size_t count, next;
};

struct wt_rsp_session;

/** The answer that follows when a monitor command that takes long is done. */
struct wt_rsp_errand {
    void (*end)(struct wt_rsp_session *session, const struct wt_event *event, FILE *out); /**< NULL:
                                                                       none is under way */
    struct wt_watchpoint_request where; /**< who-wrote, who-read */
    bool all;
    uint64_t told_ns; /**< when it began, or its progress was last told */
};

struct wt_rsp_session {
    struct wt_client *client; /**< what it is in the debugger's session; not its own */
    struct wt_debugger *debugger;
    const struct wt_topology *topology;
    const struct wt_gdb_architecture *gdb; /**< gdb of topology->arch */
    const struct wt_rsp_options *options;
    struct wt_packet_reader in;
    struct wt_packet_writer out;

    /* Negotiated. */
    bool no_ack, next_no_ack; /**< the reply to QStartNoAckMode is the last one acknowledged */
    bool multiprocess, swbreak, hwbreak, error_message, no_resumed;
    bool lldb;          /**< the client is LLDB */
    bool list_threads;  /**< QListThreadsInStopReply */
    bool error_strings; /**< QEnableErrorStrings */
    bool bare_x;        /**< replies to x have no 'b' (LLDB 19) */
    bool extended;      /**< "!": the connection outlives the program */
    bool nonstop;

    wt_thread general, control; /**< Hg, Hc; 0: any */
    bool waiting;               /**< a stop reply is owed */
    wt_thread *resumed;         /**< all-stop: the threads that the client set going, if not all */
    size_t resumed_count, resumed_capacity; /**< count 0: all */
    bool settling; /**< a client has come: packets wait until what runs has stopped */
    bool lifting;  /**< breakpoints of a client that is gone are removed when all has stopped */
    bool killed;   /**< by vKill or k; until vRun, there is no program */
    bool overrun;  /**< it sent more than fits while packets wait: it is dropped after the stop */
    bool foreign;  /**< it speaks another protocol */
    bool closing;  /**< the server is to close the connection when all is sent */
    bool detached; /**< … because the client has detached */

    struct wt_event last; /**< what the client was last told, or would have been */
    bool put_off;         /**< a stop waits for the next launch (events.c): */
    enum wt_stop_reason put_off_for;

    const struct wt_rsp_command *command; /**< being handled */

    struct wt_thread_info *threads; /**< a copy of the debugger's list */
    size_t thread_count, thread_capacity;
    size_t thread_next; /**< qsThreadInfo */

    struct wt_rsp_breakpoint *breakpoints;
    size_t breakpoint_count, breakpoint_capacity;

    struct wt_watchpoint_request caught; /* mistakes; addr.offset 0: none */
    struct wt_rsp_watchpoint *watchpoints;
    size_t watchpoint_count, watchpoint_capacity;

    struct wt_rsp_reads reads;
    struct wt_rsp_shown *shown; /**< threads that are shown at another PC (watchpoints.c) */
    size_t shown_count, shown_capacity;

    struct wt_event *notices; /**< non-stop: stops to be told; [0] has been sent when `notified` */
    size_t notice_count, notice_capacity;
    bool notified;
    bool first_alone; /**< the reply to "?" tells of one thread, notifications of the others */
    struct {
        wt_thread *thread; /**< in order of number */
        size_t count, capacity;
    } known; /**< non-stop: the threads that the client knows to stand */

    struct wt_rsp_held *held; /**< non-stop: at most one a wave */
    size_t held_count, held_capacity;

    struct wt_rsp_follow follow; /**< LLDB's steps off breakpoints */
    struct wt_rsp_hits hits;
    bool seen;        /**< a person has seen the last stop: the client has asked for threads */
    uint64_t seen_pc; /**< of the thread that stood when it was seen last */
    uint64_t asked_for[64]; /**< where a person has breakpoints: the latest of them, in a ring */
    size_t asked_for_count;
    bool each_lane; /**< every lane's hit is told, also of stops that a person sees */
    bool backwards; /**< the program was last set going backwards */

    struct { /* a write that may begin a call of a function (call.c) */
        bool held;
        wt_thread thread;
        uint64_t addr;
        uint8_t bytes[4];
    } call;

    struct { /* a call that is under way, to be undone if its client goes away (call.c) */
        uint64_t *value; /**< what the registers were, by index; NULL: there is no call */
        wt_thread thread;
        uint64_t addr;
        uint8_t bytes[4];
    } called;

    struct {        /* qXfer: the document that is being read */
        char *name; /**< "OBJECT:ANNEX" */
        char *text;
        size_t length;
    } document;

    struct wt_rsp_errand errand;
    struct wt_rsp_mark *marks; /**< marks of this run of the program, by name */
    size_t mark_count, mark_capacity;

    struct wt_modules *modules; /**< the program, once its symbols were needed; else NULL */
    char *program;              /**< absolute path; NULL: none that a client could use */
    int file;                   /**< file of the program, as it was loaded; -1: none */
    bool file_open;             /**< vFile:open has handed it out */

    unsigned expedited[WT_RSP_EXPEDITED]; /**< indices of those that go with each stop, pc first */
    size_t expedited_count;
    unsigned *core_registers; /**< indices of those that g and G hold, in order of number */
    size_t core_register_count;
    int *register_by_number; /**< index in topology->registers, -1: none */
    size_t register_numbers;

    char *pending; /**< console output that the client cannot take yet */
    size_t pending_length;
    size_t pending_lost; /**< bytes that came after it, and found no room or no memory */

    uint8_t *scratch; /**< memory on its way; WT_PACKET_SIZE bytes */
};

/** A conversation without a partner, for @p client of a session. NULL when memory ran out. */
struct wt_rsp_session *wt_rsp_session_new(struct wt_debugger *debugger, struct wt_client *client,
                                          const struct wt_rsp_options *options);
/** Frees it; its client has left the session before. */
void wt_rsp_session_free(struct wt_rsp_session *session);

/**
 * A client has come: all is as at the beginning; what runs is interrupted. @p by_port: it may be a
 * web page (WT_PACKET_FOREIGN); one at our standard input is none.
 */
void wt_rsp_session_begin(struct wt_rsp_session *session, bool by_port);
/** The client is gone: what runs is halted, unless it detached; its breakpoints are removed. */
void wt_rsp_session_end(struct wt_rsp_session *session);

/** Handles the packets that have come, until none is left or the client should read first. */
void wt_rsp_session_handle(struct wt_rsp_session *session);
/** Bytes have come that there is no room for, since packets wait: only an interrupt is heard. */
void wt_rsp_session_overrun(struct wt_rsp_session *session, const uint8_t *bytes, size_t size);

/* ---- reply.c: replies, and what the program prints ---- */

/** Replies "OK". */
void wt_rsp_ok(struct wt_rsp_session *session);
/** Replies "Enn", or with the text where the client understands it. */
void wt_rsp_error(struct wt_rsp_session *session, const struct wt_error *err);
/** Likewise with a text of the caller's. */
void wt_rsp_refuse(struct wt_rsp_session *session, enum wt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Writes a thread-id in the form that was negotiated. */
void wt_rsp_put_thread(struct wt_rsp_session *session, wt_thread thread);
/** Writes text as the contents of a JSON string. */
void wt_rsp_put_json(struct wt_packet_writer *out, const char *text);
/** Sends what the program has printed, if the client waits for a stop reply: others take none. */
void wt_rsp_send_pending(struct wt_rsp_session *session);
/**
 * Text of the program for the client. Of what cannot be sent now the first 1 MiB is kept; how much
 * is lost behind it is said when it is sent.
 */
void wt_rsp_session_output(struct wt_rsp_session *session, const char *text, size_t length);
/** Sends the debugger's notice for the user (wt_debugger_take_notice), if there is one. */
void wt_rsp_tell_notice(struct wt_rsp_session *session);

/* ---- threads.c ---- */

/** Copies the debugger's thread list; false when it cannot tell (the list is then empty). */
bool wt_rsp_load_threads(struct wt_rsp_session *session);
/** The thread that a command is about, with Hg's as the default. */
wt_thread wt_rsp_thread(struct wt_rsp_session *session);
/** Checks a thread-id that names one thread; false (and the reply is an error) if it does not. */
bool wt_rsp_thread_of(struct wt_rsp_session *session, const struct wt_rsp_thread_id *id,
                      wt_thread *thread);
/** Whether two threads are lanes of one wave. */
bool wt_rsp_same_wave(struct wt_rsp_session *session, wt_thread a, wt_thread b);
/** The name of a thread for people, split: what stands in parentheses at its end goes to note. */
void wt_rsp_thread_text(struct wt_rsp_session *session, wt_thread thread, char *name, size_t size,
                        char *note, size_t note_size);

/* ---- stop.c: stop replies ---- */

/** Writes a stop reply. */
void wt_rsp_put_stop(struct wt_rsp_session *session, const struct wt_event *event);
/** Likewise as the answer to a command, and from now on the stop that the client knows of. */
void wt_rsp_reply_stop(struct wt_rsp_session *session, const struct wt_event *event);
/** Sends in words what a signal cannot say: which instruction of which lanes did what. */
void wt_rsp_tell_text(struct wt_rsp_session *session, const struct wt_event *event);
/** The event that says that a program stands at its beginning, or where it was halted. */
struct wt_event wt_rsp_standing(struct wt_rsp_session *session);
/** LLDB's word for why a thread stopped. */
const char *wt_rsp_lldb_reason(const struct wt_event *event);

/* ---- notices.c: non-stop, where stops are announced one at a time ---- */

/**
 * Queues a stop to be announced. Without memory the connection ends, which the client sees; else it
 * would wait for ever for a stop that was dropped.
 */
void wt_rsp_push_notice(struct wt_rsp_session *session, const struct wt_event *event);
/** Likewise, but for a thread that the client knows to stand already. */
void wt_rsp_note_stop(struct wt_rsp_session *session, const struct wt_event *event);
/** Sends the notification of the first queued stop, unless one is unanswered. */
void wt_rsp_notify(struct wt_rsp_session *session);
/** Forgets all queued stops, and which threads the client knows to stand. */
void wt_rsp_forget_notices(struct wt_rsp_session *session);
/** Notes whether the client knows a thread to stand; false without host memory. */
bool wt_rsp_set_known(struct wt_rsp_session *session, wt_thread thread, bool stopped);
/** Whether the client knows a thread to stand. */
bool wt_rsp_knows_stopped(const struct wt_rsp_session *session, wt_thread thread);
/** Forgets which threads the client knows to stand, and which waves are held. */
void wt_rsp_forget_known(struct wt_rsp_session *session);

/* ---- held.c: non-stop, the lanes that met a breakpoint together ---- */

/**
 * A thread has stopped, and its event is about to be queued. A lane that merely stopped with its
 * wave, but met the breakpoint as well, gets a stop of its own: @p event is changed to it.
 */
void wt_rsp_note_held(struct wt_rsp_session *session, struct wt_event *event);
/**
 * The client sets threads going. Lanes of a wave that waits for others are taken out of the list:
 * the client takes them for running. Returns how many actions are left at the list's beginning.
 */
size_t wt_rsp_hold(struct wt_rsp_session *session, struct wt_resume *list, size_t count);
/** The client inserts a breakpoint: a lane may be on its way there. */
void wt_rsp_note_way(struct wt_rsp_session *session, uint64_t addr);
/** A step begins: the lanes that it takes off their breakpoint are shown at it from now on. */
void wt_rsp_show_held(struct wt_rsp_session *session);

/* ---- events.c ---- */

/** Takes note of what has happened in the debugger, and tells the client if it waits for that. */
void wt_rsp_session_event(struct wt_rsp_session *session, const struct wt_event *event);
/** After the events: what is to be done once nothing runs. */
void wt_rsp_session_settle(struct wt_rsp_session *session);

/* ---- breakpoints.c ---- */

/**
 * Removes the client's breakpoints and watchpoints. Breakpoints that are to stay when it leaves are
 * removed only with @p persistent_too.
 */
void wt_rsp_remove_breakpoints(struct wt_rsp_session *session, bool persistent_too);
/** Compiles agent bytecode whose registers have the numbers that the client knows (agent.h). */
enum wt_status wt_rsp_compile(struct wt_rsp_session *session, const uint8_t *bytes, size_t length,
                              struct wt_expr **expr, int *missing, struct wt_error *err);

/* ---- state.c, call.c: memory, and calls of functions ---- */

/** Reads as much of [addr, addr + size) as there is, from its beginning; *done bytes. */
enum wt_status wt_rsp_read_memory(struct wt_rsp_session *session, uint64_t addr, void *out,
                                  size_t size, size_t *done, struct wt_error *err);

/**
 * Holds a write to memory back that begins the call of a function which other lanes would run, too;
 * false: it does not, and is to be done.
 */
bool wt_rsp_hold_call(struct wt_rsp_session *session, uint64_t addr, const void *bytes,
                      size_t size);
/**
 * A register of @p thread is to be written. True: it would go on with the call whose first write is
 * held back; that is forgotten, and the reply says why.
 */
bool wt_rsp_refuse_call(struct wt_rsp_session *session, wt_thread thread);
/** The client does something else: does the write that was held back, if there is one. */
enum wt_status wt_rsp_release_call(struct wt_rsp_session *session, struct wt_error *err);
/** Something is resumed: a call whose client has put pc and sp back is over. */
void wt_rsp_note_returned(struct wt_rsp_session *session);
/** The client goes away, and nothing runs: undoes the call that it leaves unfinished, if any. */
void wt_rsp_undo_call(struct wt_rsp_session *session);
/** The registers of a call are no longer there: the program has been started afresh. */
void wt_rsp_forget_call(struct wt_rsp_session *session);
/** Puts what is held back into bytes read from @p addr. */
void wt_rsp_show_call(const struct wt_rsp_session *session, uint64_t addr, void *bytes,
                      size_t size);

/* ---- watchpoints.c ---- */

/** The client reads memory. */
void wt_rsp_note_read(struct wt_rsp_session *session, uint64_t addr, uint64_t size);
/** Z2, Z3, Z4, or z. */
void wt_rsp_watch(struct wt_rsp_session *session, const struct wt_rsp_args *args, bool insert);
/** Removes the client's watchpoints. Nothing fails. */
void wt_rsp_remove_watchpoints(struct wt_rsp_session *session);
/** Forgets watchpoints that the client has removed for good: it goes on without them. */
void wt_rsp_forget_watchpoints(struct wt_rsp_session *session);
/** A stop is told: if it is for a watchpoint, the client may have to be shown another PC. */
void wt_rsp_show_watchpoint(struct wt_rsp_session *session, const struct wt_event *event);
/** Shows a thread at @p pc from now on; NULL when memory ran out. */
struct wt_rsp_shown *wt_rsp_show_at(struct wt_rsp_session *session, wt_thread thread, uint64_t pc);
/** Puts into the value of register @p index what the thread is shown with, if it is. */
void wt_rsp_show_register(const struct wt_rsp_session *session, wt_thread thread, unsigned index,
                          uint8_t *value);
/** The register has been written: it is shown as it is. */
void wt_rsp_forget_written(struct wt_rsp_session *session, wt_thread thread, unsigned index);
/** The PC at which a thread is shown; NULL: its own. */
const uint64_t *wt_rsp_shown_pc(const struct wt_rsp_session *session, wt_thread thread);
/** Whether a step of the thread is done already; if so it is shown as it is from now on. */
bool wt_rsp_take_shown(struct wt_rsp_session *session, wt_thread thread);
/** The thread's wave goes on (0: all do). */
void wt_rsp_forget_shown(struct wt_rsp_session *session, wt_thread thread);

/* ---- follow.c: LLDB's steps off breakpoints ---- */

/** The client inserts, or removes, a breakpoint. */
void wt_rsp_follow_insert(struct wt_rsp_session *session, uint64_t addr);
/** The client removes a breakpoint. */
void wt_rsp_follow_remove(struct wt_rsp_session *session, uint64_t addr);
/** The client is about to set threads going. */
void wt_rsp_follow_resume(struct wt_rsp_session *session, const struct wt_resume *list,
                          size_t count);
/** Whether the step of one thread was done by the step of another lane of its wave. */
bool wt_rsp_went_along(struct wt_rsp_session *session, const struct wt_resume *list, size_t count);
/** Waves have moved by something else than the client's steps. */
void wt_rsp_forget_followed(struct wt_rsp_session *session);

/* ---- hits.c: the lanes that met a breakpoint together ---- */

/** All-stop: an event is about to be told. */
void wt_rsp_note_hits(struct wt_rsp_session *session, const struct wt_event *event);
/**
 * The client sets threads going. True: another lane has met the breakpoint of the last stop; that
 * is the reply, and nothing runs.
 */
bool wt_rsp_next_hit(struct wt_rsp_session *session, const struct wt_resume *list, size_t count);
/** Likewise when the client sets a thread going backwards. */
bool wt_rsp_next_hit_back(struct wt_rsp_session *session, const struct wt_resume *resume);
/** The client shows the last stop to a person. */
void wt_rsp_see_stop(struct wt_rsp_session *session);
/** Nothing more is to be told of the last stop. */
void wt_rsp_close_hits(struct wt_rsp_session *session);
/** Whether GDB itself looks at what the breakpoint at @p pc is for: a condition, a thread. */
bool wt_rsp_client_decides(const struct wt_rsp_session *session, uint64_t pc);
/**
 * Keeps what the instruction at before->pc, which a wave stands at, is going to overwrite of
 * @p lanes. False if it cannot be read.
 */
bool wt_rsp_keep_before(struct wt_rsp_session *session, wt_thread thread, wt_lanes lanes,
                        struct wt_rsp_before *before);
/** Shows a thread at the breakpoint, as @p lane stood there; false when memory ran out. */
bool wt_rsp_show_before(struct wt_rsp_session *session, const struct wt_rsp_before *before,
                        wt_thread thread, unsigned lane);

/* ---- target_xml.c, query.c, waves.c ---- */

/** Documents of qXfer. Each returns malloc'd text, or NULL when memory ran out. */
char *wt_rsp_target_xml(const struct wt_topology *topology, bool lldb, size_t *length);
/** qXfer:memory-map:read. */
char *wt_rsp_memory_map(const struct wt_topology *topology, size_t *length);
/** Those of our own depend on the annex, and fail with a message. */
char *wt_rsp_waves_json(struct wt_rsp_session *session, const char *annex, size_t annex_length,
                        size_t *length, struct wt_error *err);
/** qXfer:wavetrap-lanes:read, likewise. */
char *wt_rsp_lanes_json(struct wt_rsp_session *session, const char *annex, size_t annex_length,
                        size_t *length, struct wt_error *err);

/* ---- the handlers, by file ---- */

typedef void wt_rsp_handler(struct wt_rsp_session *session, const struct wt_rsp_args *args);

/* run.c: going */
wt_rsp_handler wt_rsp_vcont_query, wt_rsp_vcont, wt_rsp_continue, wt_rsp_continue_signal,
    wt_rsp_step, wt_rsp_step_signal, wt_rsp_vctrlc, wt_rsp_reverse_continue, wt_rsp_reverse_step;

/* events.c: why the program stands */
wt_rsp_handler wt_rsp_question;

/* notices.c: non-stop */
wt_rsp_handler wt_rsp_vstopped, wt_rsp_set_nonstop;

/* life.c: the program's life */
wt_rsp_handler wt_rsp_detach, wt_rsp_kill, wt_rsp_vkill, wt_rsp_vrun, wt_rsp_vattach, wt_rsp_R,
    wt_rsp_extend;

/* state.c: registers and memory */
wt_rsp_handler wt_rsp_g, wt_rsp_G, wt_rsp_p, wt_rsp_P, wt_rsp_m, wt_rsp_M, wt_rsp_x, wt_rsp_X,
    wt_rsp_search, wt_rsp_crc;

/* breakpoints.c: with conditions and commands */
wt_rsp_handler wt_rsp_insert, wt_rsp_remove;

/* query.c: what there is */
wt_rsp_handler wt_rsp_supported, wt_rsp_no_ack, wt_rsp_set_thread, wt_rsp_alive, wt_rsp_qC,
    wt_rsp_attached, wt_rsp_first_threads, wt_rsp_more_threads, wt_rsp_extra_info, wt_rsp_xfer,
    wt_rsp_accept;

/* file.c: the program's file */
wt_rsp_handler wt_rsp_vfile;

/* monitor.c: commands for people */
wt_rsp_handler wt_rsp_rcmd;

/* ---- errand.c: monitor commands that take long ---- */

/** A sentence for after a command that changed what the client remembers of the program. */
const char *wt_rsp_stale(const struct wt_rsp_session *session);

/** Ends a monitor command: its text, in "O" packets, and OK. Frees the text. */
void wt_rsp_end_rcmd(struct wt_rsp_session *session, char *text, size_t length);
/** The debugger has begun what `monitor` asked for: @p errand ends it. */
void wt_rsp_begin_errand(struct wt_rsp_session *session, const struct wt_rsp_errand *errand);
/** It is done. */
void wt_rsp_end_errand(struct wt_rsp_session *session, const struct wt_event *event);
/** Tells how far it has come, every other second. */
void wt_rsp_tell_progress(struct wt_rsp_session *session);

/** `monitor NAME ARGS`: writes its answer to @p out. */
typedef void wt_rsp_monitor(struct wt_rsp_session *session, const char *args, FILE *out);

/* monitor_time.c: time travel */
wt_rsp_monitor wt_rsp_generate_core;
wt_rsp_monitor wt_rsp_time, wt_rsp_goto, wt_rsp_hash, wt_rsp_mark, wt_rsp_unmark,
    wt_rsp_stop_at_end;

/* monitor_writes.c */
wt_rsp_monitor wt_rsp_who_read, wt_rsp_who_wrote;

/* ---- monitor_checks.c: what checks have found ---- */

wt_rsp_monitor wt_rsp_check, wt_rsp_info_checks, wt_rsp_allocation;
/** Stops for no mistake any more. */
void wt_rsp_stop_catching(struct wt_rsp_session *s);
/** Whether a stop is for a watchpoint of a client. */
static inline bool wt_rsp_is_watchpoint(const struct wt_event *event)
{
    return event->reason == WT_STOP_WATCHPOINT && !wt_event_is_mistake(event);
}

/* lldb.c: what LLDB asks beyond GDB's protocol */
wt_rsp_handler wt_rsp_thread_suffix, wt_rsp_list_threads, wt_rsp_error_strings, wt_rsp_host_info,
    wt_rsp_process_info, wt_rsp_region_info, wt_rsp_watchpoint_info, wt_rsp_threads_json,
    wt_rsp_thread_stop_info;

#endif

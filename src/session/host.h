/* Host programs under `wavetrap debug`: their processes, and the sessions of their GPUs. */
#ifndef WT_SESSION_HOST_H
#define WT_SESSION_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wt_code_register;
struct wt_family;
struct wt_loop;
struct wt_modules;
struct wt_session;
struct wt_shell;

struct wt_session_host;

struct wt_session_host_options {
    const char *program;            /**< NULL: none, only processes that run are gone to */
    const struct wt_family *family; /**< that of a GPU which no program uses */
    const char **gpu;               /**< as --gpu has it, one for each GPU */
    size_t gpu_count;               /**< 0: as `exec` has it without */
    const char *schedule;           /**< --schedule, or NULL */
    const char *fill;               /**< --fill, or NULL */
    bool no_jit;                    /**< --no-jit */
    uint64_t memory;                /**< --memory, in bytes; 0: as `exec` has it without */
    const char *token;              /**< --token, or NULL */
    const char *command;            /**< that starts programs: `wavetrap`; NULL: this one */
    uint64_t history_memory;        /**< bytes for recording kernels; 0: they are not */
    bool unrecorded;                /**< the user wants no recording */
    int signal_fd;                  /**< as wt_session_interrupts_fd() */
    int streams[2]; /**< where the program's stdout and stderr go to; 0: where ours do */
    /** Whether the user wants an end while no loop runs; NULL: whoever sends a signal does. */
    bool (*interrupted)(void *context);
    /** Watches signal_fd in a loop. */
    enum wt_status (*watch_signals)(void *context, struct wt_loop *loop, struct wt_error *err);
    void (*output)(void *context, const char *text,
                   size_t length); /**< text that breakpoints print */
    void *context;
};

/** Nothing is started yet: the session is that of no program. */
enum wt_status wt_session_host_open(const struct wt_session_host_options *options,
                                    struct wt_session_host **host, struct wt_error *err);
/** Ends a program that it has started, and leaves one that it was attached to. NULL is ignored. */
void wt_session_host_close(struct wt_session_host *host);

/** The session of the program under debugging; of no program until one is started. Owned by the
 * host. */
struct wt_session *wt_session_host_session(struct wt_session_host *host);
/** Its modules, owned by the host. */
struct wt_modules *wt_session_host_modules(struct wt_session_host *host);
/** The family of its GPUs. */
const struct wt_family *wt_session_host_family(const struct wt_session_host *host);
/** Disassembles an instruction: struct wt_shell_options.disassemble. */
unsigned wt_session_host_instruction(struct wt_session_host *host, uint64_t addr,
                                     const uint8_t *bytes, size_t length, char *text, size_t size);
/** A register that code has named: struct wt_shell_options.code_register. */
bool wt_session_host_code_register(struct wt_session_host *host, uint64_t pc, size_t n,
                                   struct wt_code_register *reg);
/** The console that goes from session to session. */
void wt_session_host_serve(struct wt_session_host *host, struct wt_shell *console);

/** The operations of struct wt_program_host, with the host where they have a context. */
enum wt_status wt_session_host_start(struct wt_session_host *host, const char *arguments,
                                     char *const *environment, bool *ended, struct wt_error *err);
/** Debugs the GPUs of a program that runs: a process id, or an address (base/token.h). */
enum wt_status wt_session_host_attach(struct wt_session_host *host, const char *where,
                                      struct wt_error *err);
/** Reads the program's modules and devices anew. */
void wt_session_host_refresh(struct wt_session_host *host);
/** The connection has ended: waits for a process that was started here. *known: its end is told, by
 * its exit status in *code and in words. *again: it has opened GPUs again, and is connected. */
void wt_session_host_finish(struct wt_session_host *host, bool *known, bool *again, int *code,
                            char *text, size_t size);
/** Leaves the program, or ends it. */
void wt_session_host_leave(struct wt_session_host *host, bool kill);
/** Kills the program if this session has started it; from any thread. */
void wt_session_host_abandon(const struct wt_session_host *host);
/** Whether the program was gone to by an address: its process is not one of this system's. */
bool wt_session_host_is_elsewhere(const struct wt_session_host *host);
/** Whether this session has started the program, and ends it; from any thread. */
bool wt_session_host_is_own(const struct wt_session_host *host);
/** The process of the program; 0: there is none. */
int wt_session_host_pid(const struct wt_session_host *host);

/** Arguments as a line for the shell; the caller frees it. NULL without host memory. */
char *wt_session_host_line(char *const *arguments);

#endif

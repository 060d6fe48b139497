/*
 * A host program that uses emulated GPUs of one family, in its own process, as the target of a
 * debugger. The program goes on when the debugger goes.
 *
 * A front end attaches by wt_process_open(). Or it starts the program, as `wavetrap exec` does,
 * with WAVETRAP_HELD=PROGRAM:DEBUGGER in its environment (two process ids): then the program's
 * kernels wait for a debugger, unless process DEBUGGER ends before one has come. It calls
 * wt_process_wait() until the program has opened its GPUs, and wt_process_open(). The program runs
 * (wt_debugger_running()); wt_debugger_interrupt() stops its GPU, wt_debugger_run() sets it going.
 *
 * wt_process_open_none() is for the time before and after.
 *
 * At the news WT_PROBE_MODULES_CHANGED the front end calls wt_process_refresh(); observers of
 * `modules` (locations of breakpoints) insert what belongs into code that has come. Kernels that
 * are launched meanwhile wait until the next wt_debugger_pump(), by which all breakpoints are in
 * memory. The end of the program is WT_EVENT_EXITED.
 */
#ifndef WT_TARGET_PROCESS_H
#define WT_TARGET_PROCESS_H

#include "debug/core/debugger.h"
#include "debug/process/link.h"
#include "debug/source/modules.h"
#include "target/family.h"
#include "target/no_process.h"

struct wt_code_register;
struct wt_process;

/** How a family's host programs are debugged. */
struct wt_process_ops {
    const char *socket; /**< the kind of its programs' sockets (base/private_dir.h) */
    uint32_t wire;      /**< WT_WIRE_FAMILY() (object/process_wire.h) */
    size_t own_bytes;   /**< own bytes of p->own, which begins with a struct wt_process_link */
    unsigned lanes;     /**< lanes of its waves */
    /** After the greeting. NULL: nothing is to be done. */
    enum wt_status (*begin)(struct wt_process *p, struct wt_error *err);
    /** Puts what only the family offers into @p services, whose context is p->wire. NULL: nothing.
     */
    void (*offer)(struct wt_target_services *services);
    /** Without a program that runs: adds to p->image, the memory, and to p->modules what the file
     * @p program (NULL: none) contains for the device. NULL: there is never anything. */
    enum wt_status (*show_file)(struct wt_process *p, const char *program, struct wt_error *err);
    /** Likewise: as of struct wt_no_process. */
    uint32_t (*answer_none)(const void *of_file, const struct wt_wire_request *request,
                            const void *more, void *out);
    /** Gives the memory that a program has left that has ended, in the order of addresses. NULL: it
     * is that of the first GPU. */
    void (*final_memory)(struct wt_process *p, wt_process_piece_fn *found, void *context);
    /** Frees p->code, which is not NULL. NULL: there never is any. */
    void (*free_code)(void *code);
    /** Brings p->modules up to date. */
    enum wt_status (*refresh)(struct wt_process *p, struct wt_error *err);
    /** As of struct wt_family, for code that the process has loaded. NULL: that of the family. */
    unsigned (*instruction_text)(struct wt_process *p, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size);
    /** As of struct wt_family, for code that the process has loaded. NULL: code has none. */
    bool (*code_register)(struct wt_process *p, uint64_t pc, size_t n,
                          struct wt_code_register *reg);
    /** The debug hardware's registers of GPU @p gpu. NULL: those of the family's first model. */
    enum wt_status (*registers)(struct wt_process_link *link, uint32_t gpu,
                                const struct wt_hw_table **table, struct wt_error *err);
    /** Frees what p->own, which is there, has got behind its link. NULL: nothing. */
    void (*end)(struct wt_process *p);
};

struct wt_process {
    const struct wt_family *family;
    void *own;                          /**< own of the family; NULL: no program */
    struct wt_process_link *wire;       /**< likewise: the connection with which it begins */
    struct wt_modules *modules;         /**< the code that its runtime has loaded */
    void *code;                         /**< the family's knowledge of that code; or NULL */
    struct wt_target_services services; /**< none, or time travel */
    struct wt_target target;
    struct wt_debugger *debugger;
    /* Without a program that runs. */
    struct wt_link no_link;          /**< the target's */
    struct wt_no_process none;       /**< its context */
    struct wt_memory_image image;    /**< that is shown, with `modules` */
    struct wt_memory_image file;     /**< file of the program's file, while its end is shown */
    struct wt_modules *file_modules; /**< likewise; or NULL */
    void *file_code;                 /**< likewise; or NULL */
};

/**
 * Connects to the program at @p place and opens a debugger of all its GPUs of @p family; the
 * program keeps running. With @p history (not 0) kernels are recorded from the next one on that
 * begins on an idle GPU, with so many bytes of the program's memory, where the family can do so:
 * the debugger can go back to the beginning of the kernel that runs. On failure nothing is left to
 * close. *process stays where it is in memory.
 */
enum wt_status wt_process_open(struct wt_process *process, const struct wt_family *family,
                               const struct wt_process_place *place,
                               const struct wt_debugger_options *options, uint64_t history,
                               struct wt_error *err);

/**
 * Waits at most @p ms for the program at @p place to open its GPUs, so that wt_process_open() can
 * connect. *family becomes theirs; NULL: it has not opened any. A program with an address is not
 * waited for: WT_IO, if it does not answer; place->pid becomes its process.
 */
enum wt_status wt_process_wait(struct wt_process_place *place, unsigned ms,
                               const struct wt_family **family, struct wt_error *err);

/**
 * Looks for GPUs of the process at @p place of other families than @p debugged, and of those in
 * *known (bits, in the order of wt_families). Kernels there that wait for a debugger run: none will
 * come. *found becomes the family, which *known gets; NULL: there are no such GPUs, or the process
 * is reached by an address, where it has one family only.
 */
enum wt_status wt_process_release_others(const struct wt_process_place *place,
                                         const struct wt_family *debugged, uint32_t *known,
                                         const struct wt_family **found, struct wt_error *err);

/**
 * Brings the list of modules up to date: to be called at the news WT_PROBE_MODULES_CHANGED, and at
 * stops. Observers of the list are told of modules that have come and gone. Code whose bytes cannot
 * be read is left out.
 */
enum wt_status wt_process_refresh(struct wt_process *process, struct wt_error *err);

/** Disassembles as the operation instruction_text of struct wt_family does. */
unsigned wt_process_instruction_text(struct wt_process *process, uint64_t pc, const uint8_t *bytes,
                                     size_t available, char *text, size_t size);

/** Register @p n of those that the code at @p pc has under names of its own; false: no more. */
bool wt_process_code_register(struct wt_process *process, uint64_t pc, size_t n,
                              struct wt_code_register *reg);

/**
 * The debugger of a GPU that no program uses: it has no waves. Its modules and its memory, which
 * cannot be written, are those in the file @p program (NULL: none) as far as the family finds any,
 * at addresses of no meaning.
 */
enum wt_status wt_process_open_none(struct wt_process *process, const struct wt_family *family,
                                    const char *program, const struct wt_debugger_options *options,
                                    struct wt_error *err);

/**
 * After the end of @p ended: @p none shows its modules, and the memory that its kernels have left,
 * as far as its family keeps that; @p ended has no modules then, and can only be closed. Else @p
 * none shows the program's file.
 */
void wt_process_show_end(struct wt_process *none, struct wt_process *ended);
/** Whether the connection has ended because the program has closed its GPUs, and goes on. */
bool wt_process_has_closed(const struct wt_process *process);
/** Shows the program's file again. */
void wt_process_show_file(struct wt_process *none);

/** Lets the program go on. */
void wt_process_close(struct wt_process *process);

#endif

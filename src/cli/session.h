/*
 * A session: an emulated device with a program in it, and the debugger's view of it. The one place
 * where the emulator's side and the debugger's side of the register bus meet.
 */
#ifndef WT_CLI_SESSION_H
#define WT_CLI_SESSION_H

#include "bus/bus.h"
#include "debug/core/target.h"
#include "cli/options.h"
#include "debug/core/debugger.h"
#include "debug/source/symbols.h"
#include "object/image.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/search.h"
#include "emulator/vortex/vortex.h"

/** The bytes of a --load, kept for when the program is loaded afresh. */
struct cli_loaded {
    uint8_t *bytes;
    size_t length;
    uint64_t addr;
};

struct cli_session {
    const struct cli_options *options;
    const char *program; /**< NULL: there is none */
    struct wt_image image;
    struct wt_symbols *symbols; /**< NULL if the program is no ELF file */
    uint64_t moved;             /**< how far from its symbols' addresses the program lies */
    struct vx_device *device;
    struct wt_machine *machine; /**< the same device */
    struct cli_loaded *loaded;
    FILE *console;          /**< where the program's lines go; NULL drops them */
    bool console_slots;     /**< with "#slot: " */
    bool console_broken;    /**< a line could not be written */
    bool fault_told;        /**< pump has told of the present fault */
    struct wt_watch *watch; /**< what the debugger watches */
    size_t watches;
    struct wt_watchpoint_hit *hit; /**< room for WT_WATCH_HITS, once something was watched */
    struct wt_timeline *timeline;  /**< NULL: the run is not recorded */
    struct wt_search search;       /**< of the recorded run, the last one */
    struct wt_watch *query_watch;  /**< what it is for */
    struct wt_target_services services;
    struct wt_bus *bus;
    struct wt_target target;
    struct wt_debugger *debugger; /**< NULL until cli_session_debug */
};

/**
 * Loads @p program (NULL: none, memory is empty) into a new device, ready to run from its first
 * instruction. The console goes to stdout; the caller may set session->console to another stream.
 * On failure nothing is left to close. @p options must outlive the session, which stays where it is
 * in memory.
 */
enum wt_status cli_session_open(struct cli_session *session, const struct cli_options *options,
                                const char *program, struct wt_error *err);

/** Puts the register bus and the services of the emulator in front of the device (s->target). */
enum wt_status cli_session_attach(struct cli_session *session, struct wt_error *err);

/** The Debug Module's registers, for who serves them. */
struct wt_bus_device cli_session_registers(struct cli_session *session);

/**
 * cli_session_attach, then a debugger (s->debugger) that has every warp halted before its first
 * instruction. @p output takes what breakpoint commands print; may be NULL. The caller closes it
 * with wt_debugger_close() before it closes the session.
 */
enum wt_status cli_session_debug(struct cli_session *session,
                                 void (*output)(void *context, const char *text, size_t length),
                                 void *output_context, struct wt_error *err);

/** Frees everything; a session that failed to open may be closed, too. */
void cli_session_close(struct cli_session *session);

/** An address as people write it: a number, a symbol, or symbol+number. */
enum wt_status cli_session_address(struct cli_session *session, const char *text, uint64_t *addr,
                                   struct wt_error *err);

#endif

/*
 * An emulated device with a program in it, as a target of the debugger: the one place where the
 * emulator's side and the debugger's side meet.
 */
#ifndef WT_TARGET_EMULATED_H
#define WT_TARGET_EMULATED_H

#include <stdio.h>

#include "bus/bus.h"
#include "debug/core/debugger.h"
#include "debug/core/target.h"
#include "debug/source/symbols.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/search.h"
#include "emulator/vortex/vortex.h"
#include "object/image.h"

/** A file whose bytes are put into memory: "PATH@PLACE". */
struct wt_load_file {
    const char *path;
    size_t path_length; /**< of the part before the '@' */
    const char *place;  /**< an address as wt_emulated_address takes it */
};

/** What the user chooses of the device, its memory and its debugger. */
struct wt_emulated_options {
    struct vx_config config;
    uint64_t base; /**< where a raw binary goes, when base_given */
    bool base_given;
    struct wt_load_file *load;
    size_t load_count;
    bool console_slots;          /**< console lines begin with "#slot: " */
    bool dm_only;                /**< the debugger gets no memory port */
    enum wt_thread_mode threads; /**< what a debugger's thread is */
    uint64_t history_memory;     /**< bytes of host memory for the recording; 0: no recording */
};

/** The bytes of a struct wt_load_file, kept for when the program is loaded again. */
struct wt_loaded {
    uint8_t *bytes;
    size_t length;
    uint64_t addr;
};

struct wt_emulated {
    const struct wt_emulated_options *options;
    const char *program; /**< NULL: none, memory is empty */
    struct wt_image image;
    struct wt_symbols *symbols; /**< NULL if the program is no ELF file */
    uint64_t moved;             /**< load address minus the symbols' address */
    struct vx_device *device;
    struct wt_machine *machine; /**< the same device */
    struct wt_loaded *loaded;
    FILE *console;          /**< where the program's lines go; NULL drops them */
    bool console_broken;    /**< a line could not be written */
    bool fault_reported;    /**< pump has reported the present fault */
    struct wt_watch *watch; /**< the debugger's watches */
    size_t watch_count;
    struct wt_watchpoint_hit *hit; /**< room for WT_WATCH_HITS, once something was watched */
    struct wt_timeline *timeline;  /**< NULL: the run is not recorded */
    struct wt_search search;       /**< the last search of the recorded run */
    struct wt_watch *query_watch;  /**< its watches */
    struct wt_target_services services;
    struct wt_bus *bus;
    struct wt_target target;
    struct wt_debugger *debugger; /**< NULL until wt_emulated_debug */
};

/**
 * Loads @p program (NULL: none, memory is empty) into a new device, ready to run from its first
 * instruction. The console goes to stdout; the caller may set e->console to another stream. On
 * failure nothing is left to close. @p options must outlive the device, and *e stays where it is
 * in memory.
 */
enum wt_status wt_emulated_open(struct wt_emulated *e, const struct wt_emulated_options *options,
                                const char *program, struct wt_error *err);

/** Puts the register bus and the emulator's services in front of the device (e->target). */
enum wt_status wt_emulated_attach(struct wt_emulated *e, struct wt_error *err);

/** The Debug Module's registers, for a server of them. */
struct wt_bus_device wt_emulated_registers(struct wt_emulated *e);

/**
 * wt_emulated_attach, then a recording (unless history_memory is 0) and a debugger (e->debugger)
 * that has every wave halted before its first instruction. @p output takes what breakpoint commands
 * print; may be NULL. The caller closes it with wt_debugger_close() before it closes the device.
 */
enum wt_status wt_emulated_debug(struct wt_emulated *e,
                                 void (*output)(void *context, const char *text, size_t length),
                                 void *output_context, struct wt_error *err);

/** Frees everything; a device that failed to open may be closed, too. */
void wt_emulated_close(struct wt_emulated *e);

/** Parses an address: a number, a symbol, or symbol+number. */
enum wt_status wt_emulated_address(struct wt_emulated *e, const char *text, uint64_t *addr,
                                   struct wt_error *err);

/** Puts the program and the loaded files into memory, and resets the device. */
enum wt_status wt_emulated_load(struct wt_emulated *e, struct wt_error *err);

#endif

/*
 * Commands on the registers of a GPU's debug hardware, by name: `wavetrap dm` for the Debug Module
 * of Vortex, `wavetrap reg` for any family.
 */
#ifndef WT_CLI_REGISTER_SESSION_H
#define WT_CLI_REGISTER_SESSION_H

#include "bus/bus.h"
#include "cli/place.h"
#include "target/emulated.h"

struct cli_registers {
    const struct wt_hw_table *table;
    const char *list; /**< the command that lists the registers, for messages */
    struct wt_bus *bus;
    struct wt_emulated *device; /**< NULL: the bus leads elsewhere */
    /** Commands are a stream of words ("run 100 DCTRL.haltreq=1"), and fields of one register that
     * follow one another are written at once; else each argument or line is one command. */
    bool stream;
    /** A further command of one word, or NULL. */
    const char *command;
    enum wt_status (*obey)(struct cli_registers *r, struct wt_error *err);
    /* private: a write that waits for further fields of its register */
    bool pending;
    struct cli_place pending_place;
    uint32_t pending_word;
};

/**
 * Carries out the commands of @p script (a file, "-" is stdin; NULL: none, or stdin if there are no
 * @p commands either), then @p commands, which NULL ends. Stops at the first that fails.
 */
enum wt_status cli_registers_run(struct cli_registers *r, const char *script, char **commands,
                                 struct wt_error *err);

#endif

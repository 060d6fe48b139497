/*
 * The contents of registers and memory before a program writes them: zeros, or something else by
 * which a program that reads too early shows itself. It is part of a GPU's configuration, the
 * key "fill", so that core files and drivers in host programs have it, too.
 */
#ifndef WT_EMULATOR_MACHINE_FILL_H
#define WT_EMULATOR_MACHINE_FILL_H

#include "emulator/machine/config.h"

/** Takes "zero", a pattern ("0xffc00000") or "random:SEED"; WT_INVALID. */
enum wt_status wt_fill_parse(const char *text, struct wt_fill *fill, struct wt_error *err);

/** Fills @p size bytes. Random numbers follow from the seed and @p place alone, which says what is
 * filled: an address, or what wt_fill_place() makes. */
void wt_fill_bytes(const struct wt_fill *fill, uint64_t place, void *bytes, size_t size);

/** Things that are filled. */
enum wt_filled {
    WT_FILLED_MEMORY = 1, /**< memory that all waves share */
    WT_FILLED_LOCAL,      /**< local memory of a group */
    WT_FILLED_REGISTERS,  /**< registers that have a value in each lane */
    WT_FILLED_SCALARS,    /**< registers of the wave */
    WT_FILLED_FLAGS,      /**< VCC, accumulators */
    WT_FILLED_PRIVATE,    /**< private memory of a wave's lanes */
};

/** A place: a thing, and the number of the wave, group or launch that it is of. */
static inline uint64_t wt_fill_place(enum wt_filled thing, uint64_t number)
{
    return (uint64_t)thing << 56 ^ number;
}

/** Takes the value of WT_FILL_KEY. WT_INVALID: it makes no sense. */
enum wt_status wt_config_take_fill(void *config, const char *text, struct wt_error *err);
/** Prints it as wt_fill_parse takes it; "" for zeros. */
void wt_config_print_fill(const void *config, char *text, size_t size);
/** The key "fill" of every family. */
#define WT_FILL_KEY                                                                                \
    {                                                                                              \
        "fill",                                                                                    \
            "the contents of registers and memory before they are written: zero, a pattern of\n"   \
            "               32 bits such as 0xffc00000, or random:SEED (zero)",                    \
            .kind = WT_CONFIG_OWN, .take = wt_config_take_fill, .print = wt_config_print_fill      \
    }

#endif

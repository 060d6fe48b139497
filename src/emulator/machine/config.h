/* The configuration of a GPU, the part of --gpu behind "FAMILY:": a struct of the family's own, and
 * a table of the keys that set its members. */
#ifndef WT_EMULATOR_MACHINE_CONFIG_H
#define WT_EMULATOR_MACHINE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "emulator/machine/schedule.h"
#include "base/error.h"

enum wt_fill_kind { WT_FILL_ZERO, WT_FILL_PATTERN, WT_FILL_RANDOM };

/** Contents of registers and memory before they are written (fill.h). */
struct wt_fill {
    enum wt_fill_kind kind;
    uint64_t value; /**< a pattern of 32 bits, which is repeated; the seed of random numbers */
};

/*
 * schedule: which wave has its turn when.
 * fill: what registers and memory hold before they are written.
 * processes: among which a long launch of a host program is dealt out (runtime/common/apart.h); 0
 * and 1: it is not.
 */
#define WT_CONFIG_MEMBERS                                                                          \
    struct wt_schedule schedule;                                                                   \
    struct wt_fill fill;                                                                           \
    unsigned processes;

/** The part of a configuration that every family has. */
struct wt_device_config {
    WT_CONFIG_MEMBERS
};

/** The first member of a family's configuration: its members, and `device`. */
#define WT_CONFIG_HEAD                                                                             \
    union {                                                                                        \
        struct wt_device_config device;                                                            \
        struct {                                                                                   \
            WT_CONFIG_MEMBERS                                                                      \
        };                                                                                         \
    }

/** A key, and the member that it sets. */
struct wt_config_key {
    const char *name;
    const char *about; /**< for the help: what it is, its range and default */
    size_t offset;     /**< offset of the member */
    enum {
        WT_CONFIG_NUMBER,  /**< unsigned */
        WT_CONFIG_ADDRESS, /**< uint64_t, printed in hexadecimal */
        WT_CONFIG_WORD,    /**< bool: one of two words */
        WT_CONFIG_OWN,     /**< by the two functions */
    } kind;
    uint64_t least, most; /**< limits of numbers and addresses */
    const char *words[2]; /**< for false, for true */
    bool rare;            /**< printed only if it is not 0 */
    size_t given; /**< offset of a bool that says that the key was given; 0: there is none */
    /** Takes a value; its sentence follows "NAME=VALUE: ". */
    enum wt_status (*take)(void *config, const char *value, struct wt_error *err);
    void (*print)(const void *config, char *text, size_t size); /**< the value; also of a number */
};

/** The key "processes" of families with groups. */
#define WT_PROCESSES_KEY                                                                           \
    {                                                                                              \
        "processes",                                                                               \
            "among which groups of a host program's long launches are dealt out, where they "      \
            "need\n"                                                                               \
            "               no order, 1..64 (1)",                                                  \
            .offset = offsetof(struct wt_device_config, processes), .least = 1, .most = 64,        \
            .rare = true                                                                           \
    }

/** A family's configuration. */
struct wt_config {
    const char *gpu; /**< with its article, for messages: "an sm" */
    size_t size;     /**< bytes of the struct, which begins with WT_CONFIG_HEAD */
    const struct wt_config_key *keys;
    unsigned count;
    void (*set_default)(void *config);
    /** Whether the values fit each other: WT_INVALID, and why not. NULL: they always do. */
    enum wt_status (*check)(const void *config, struct wt_error *err);
};

/** Applies "KEY=VALUE,…"; WT_INVALID leaves @p config as it was. */
enum wt_status wt_config_parse(const struct wt_config *table, void *config, const char *text,
                               struct wt_error *err);
/** The configuration as wt_config_parse takes it, in 1024 bytes or less; the schedule is no part of
 * it. */
void wt_config_print(const struct wt_config *table, const void *config, char *text, size_t size);
/** Lists the keys, a line each. */
void wt_config_help(const struct wt_config *table, FILE *out);

#endif

/*
 * Registers and their fields as tables: for tools that list, show and set them by name. A family's
 * table is the single source for decoding, for `wavetrap reg --list` and for the documentation.
 */
#ifndef WT_BASE_HW_REGISTERS_H
#define WT_BASE_HW_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Whether software reads or writes a field. */
enum wt_hw_access { WT_HW_R, WT_HW_W, WT_HW_RW };

/** One field of a register. */
struct wt_hw_field {
    const char *name;
    const char *alias; /**< a shorter name, or NULL */
    uint8_t msb, lsb;
    enum wt_hw_access access;
    const char *const *values; /**< names of the values 0, 1, …, ended by NULL; or NULL */
    const char *about;
    const char *longer; /**< a longer name, or NULL */
};

/** How many rows a table of fields or registers has. */
#define WT_HW_COUNT(table) (sizeof(table) / sizeof *(table))

/** A field; after its text, other members may stand: .values, .alias, .longer. */
#define WT_HW_FIELD(field, most, least, may, text, ...)                                            \
    {                                                                                              \
        .name = field, .msb = most, .lsb = least, .access = WT_HW_##may, .about = text,            \
        __VA_ARGS__                                                                                \
    }

/** One register. */
struct wt_hw_register {
    uint16_t addr; /**< word address on the bus; of an indirect register its index */
    const char *name;
    const struct wt_hw_field *fields;
    size_t field_count;
    const char *about;
    bool indirect; /**< reached through the table's index and data registers */
    bool memory;   /**< a layout of a word that is on no bus: of a message, of a saved register */
};

/** A register on the bus, whose last arguments are its fields, WT_HW_FIELD(…) each. */
#define WT_HW_REGISTER(address, title, text, ...)                                                  \
    WT_HW_ROW(address, title, text, .indirect = false, __VA_ARGS__)
/** An indirect register by its index. */
#define WT_HW_INDIRECT(number, title, text, ...)                                                   \
    WT_HW_ROW(number, title, text, .indirect = true, __VA_ARGS__)
/** The layout of a word that is on no bus. */
#define WT_HW_LAYOUT(title, text, ...) WT_HW_ROW(0, title, text, .memory = true, __VA_ARGS__)
#define WT_HW_ROW(address, title, text, how, ...)                                                  \
    {                                                                                              \
        .addr = address, .name = title, .about = text,                                             \
        .fields = (const struct wt_hw_field[]){__VA_ARGS__},                                       \
        .field_count = WT_HW_COUNT(((const struct wt_hw_field[]){__VA_ARGS__})), how               \
    }

/** The registers of a family. */
struct wt_hw_table {
    const struct wt_hw_register *registers;
    size_t count;
    /** The register whose field says which indirect register the data register is; NULL: there
     * are no indirect registers. */
    const struct wt_hw_register *index;
    const struct wt_hw_field *index_field;
    uint16_t data;                   /**< address of the data register */
    const char *models;              /**< which of the family's GPUs have them; NULL: all */
    const struct wt_hw_table *other; /**< registers of its other GPUs; NULL: there are no more */
};

/** A register by its name (@p length characters, any case); NULL if there is none. */
const struct wt_hw_register *wt_hw_find(const struct wt_hw_table *table, const char *name,
                                        size_t length);
/** The register at an address of the bus; NULL if it has no name. */
const struct wt_hw_register *wt_hw_at(const struct wt_hw_table *table, uint16_t addr);
/** A field by one of its names, any case; NULL if the register has none such. */
const struct wt_hw_field *wt_hw_find_field(const struct wt_hw_register *reg, const char *name,
                                           size_t length);
/** The name of a field's value, or NULL. */
const char *wt_hw_value_name(const struct wt_hw_field *field, uint32_t value);

/** Prints "NAME=VALUE", with the value's name, of the field in @p word. */
void wt_hw_print_field(FILE *out, const struct wt_hw_field *field, uint32_t word);
/** Prints "NAME = 0x… FIELD=VALUE …" and a newline. */
void wt_hw_print(FILE *out, const struct wt_hw_register *reg, uint32_t word);
/** Prints "NAME = 0x…", and a line for each field that is not 0, with its meaning. */
void wt_hw_explain(FILE *out, const struct wt_hw_register *reg, uint32_t word);
/** Prints all registers and fields: bits, names, access, meaning. */
void wt_hw_list(FILE *out, const struct wt_hw_table *table);

#endif

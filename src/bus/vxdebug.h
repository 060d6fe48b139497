/*
 * The registers and fields of the Debug Module of Vortex's debug extension (VxDebug specification,
 * "Debug Module Registers") as a table: for tools that show or set them by name.
 */
#ifndef WT_BUS_VXDEBUG_H
#define WT_BUS_VXDEBUG_H

#include <stddef.h>
#include <stdint.h>

/** The "Access" column of the specification. */
enum wt_dm_access { WT_DM_R, WT_DM_W, WT_DM_RW };

struct wt_dm_field {
    const char *name;
    const char *alias; /**< the short name of the specification's figures, or NULL */
    uint8_t msb, lsb;
    enum wt_dm_access access;
    const char *const *values; /**< names of the values 0, 1, …, ended by NULL; or NULL */
    const char *about;
};

struct wt_dm_register {
    uint16_t addr; /**< word address */
    const char *name;
    const struct wt_dm_field *fields;
    size_t field_count;
    const char *about;
};

/** All registers, by address. */
extern const struct wt_dm_register wt_vxdebug_registers[];
extern const size_t wt_vxdebug_register_count;

/** A register by its name (@p length characters, any case); NULL if there is none. */
const struct wt_dm_register *wt_vxdebug_register(const char *name, size_t length);

/** A field by its name, its alias or its name in the specification's tables, any case; NULL if the
 * register has none such. */
const struct wt_dm_field *wt_vxdebug_field(const struct wt_dm_register *reg, const char *name,
                                           size_t length);

/** The name of a field's value, or NULL. */
const char *wt_vxdebug_value_name(const struct wt_dm_field *field, uint32_t value);

#endif

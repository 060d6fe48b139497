/* Registers and fields as people name them: "DCTRL", "DCTRL.haltreq", "0x6". */
#ifndef WT_CLI_PLACE_H
#define WT_CLI_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hw_registers.h"
#include "base/error.h"

struct cli_place {
    uint16_t addr;
    const struct wt_hw_register *reg; /**< NULL: an address without a name */
    const struct wt_hw_field *field;  /**< NULL: the whole register */
};

/** Parses @p length characters. @p list is what lists the registers, for messages: "wavetrap dm
 * --registers". */
enum wt_status cli_place_parse(const struct wt_hw_table *table, const char *list, const char *text,
                               size_t length, struct cli_place *place, struct wt_error *err);

/** A value for a place: a number that fits, or a name that the field gives to one. */
enum wt_status cli_place_parse_value(const char *text, const struct cli_place *place,
                                     uint32_t *value, struct wt_error *err);

/** The value of a place in @p word, the contents of its register. */
uint32_t cli_place_value(const struct cli_place *place, uint32_t word);

/** Prints a line: the register with its fields, or the field. */
void cli_place_print(const struct cli_place *place, uint32_t word);

#endif

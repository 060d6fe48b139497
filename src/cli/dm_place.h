/* Places of the Debug Module as people name them: "DCTRL", "DCTRL.haltreq", "0x6". */
#ifndef WT_CLI_DM_PLACE_H
#define WT_CLI_DM_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "bus/vxdebug.h"
#include "wavetrap/error.h"

struct cli_place {
    uint16_t addr;
    const struct wt_dm_register *reg; /**< NULL: an address without a name */
    const struct wt_dm_field *field;  /**< NULL: the whole register */
};

/** Parses @p length characters. */
enum wt_status cli_place_parse(const char *text, size_t length, struct cli_place *place,
                               struct wt_error *err);

/** A value for a place: a number that fits, or a name that the field gives to one. */
enum wt_status cli_place_parse_value(const char *text, const struct cli_place *place,
                                     uint32_t *value, struct wt_error *err);

/** What a place's register @p word holds there. */
uint32_t cli_place_value(const struct cli_place *place, uint32_t word);

/** Prints a line: the register with its fields, or the field. */
void cli_place_print(const struct cli_place *place, uint32_t word);

/** Prints all registers and fields: bits, names, access, meaning. */
void cli_place_list(void);

#endif

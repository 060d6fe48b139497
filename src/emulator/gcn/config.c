/* What --gpu gfx900:… says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"

#define MOST_CU 64

void gcn_config_default(struct gcn_config *config)
{
    *config = (struct gcn_config){.cu = 4};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &config->schedule, WT_IGNORED);
}

void gcn_config_help(FILE *out)
{
    fprintf(out, "  %-12s %s\n", "cu", "compute units, 1..64 (4)");
}

enum wt_status gcn_config_parse(struct gcn_config *config, const char *text, struct wt_error *err)
{
    assert(config && text && err);
    unsigned cu = config->cu;
    while (*text) {
        char item[64], *end;
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        if (strncmp(item, "cu=", 3) != 0)
            return wt_fail(err, WT_INVALID, "a gfx900 has no '%s' (--gpu help lists what it has)",
                           item);
        errno = 0;
        const unsigned long number = strtoul(item + 3, &end, 0);
        if (end == item + 3 || *end || errno || number < 1 || number > MOST_CU)
            return wt_fail(err, WT_INVALID, "%s: must be 1 to %u", item, MOST_CU);
        cu = (unsigned)number;
    }
    config->cu = cu;
    return WT_OK;
}

/* Parses the options of --gpu gen9:…. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/internal.h"

#define MOST_SUBSLICES 9

void gen_config_default(struct gen_config *config)
{
    *config = (struct gen_config){.subslices = 3};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &config->schedule, WT_IGNORED);
}

void gen_config_help(FILE *out)
{
    fprintf(out, "  %-12s %s\n", "subslices", "of eight EUs with seven threads each, 1..9 (3)");
}

void gen_config_print(const struct gen_config *config, char *text, size_t size)
{
    snprintf(text, size, "subslices=%u", config->subslices);
}

const struct gen_config *gen_device_config(const struct gen_device *device)
{
    return &device->config;
}

enum wt_status gen_config_parse(struct gen_config *config, const char *text, struct wt_error *err)
{
    static const char key[] = "subslices=";
    assert(config && text && err);
    unsigned subslices = config->subslices;
    while (*text) {
        char item[64], *end;
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        if (strncmp(item, key, sizeof key - 1) != 0)
            return wt_fail(err, WT_INVALID, "a gen9 has no '%s' (--gpu help lists what it has)",
                           item);
        errno = 0;
        const char *digits = item + sizeof key - 1;
        const unsigned long number = strtoul(digits, &end, 0);
        if (end == digits || *end || errno || number < 1 || number > MOST_SUBSLICES)
            return wt_fail(err, WT_INVALID, "%s: must be 1 to %u", item, MOST_SUBSLICES);
        subslices = (unsigned)number;
    }
    config->subslices = subslices;
    return WT_OK;
}

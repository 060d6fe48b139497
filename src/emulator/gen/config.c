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
    fprintf(
        out, "  %-12s %s\n", "bounds",
        "accesses outside a surface: stop, or as hardware does, read 0 and write nothing (stop)");
}

void gen_config_print(const struct gen_config *config, char *text, size_t size)
{
    snprintf(text, size, "subslices=%u%s", config->subslices,
             config->hardware_bounds ? ",bounds=hardware" : "");
}

const struct gen_config *gen_device_config(const struct gen_device *device)
{
    return &device->config;
}

/* One "key=value". */
static enum wt_status parse_item(struct gen_config *config, const char *item, struct wt_error *err)
{
    static const char subslices[] = "subslices=", bounds[] = "bounds=";
    char *end;
    if (strncmp(item, bounds, sizeof bounds - 1) == 0) {
        const char *word = item + sizeof bounds - 1;
        config->hardware_bounds = strcmp(word, "hardware") == 0;
        return config->hardware_bounds || strcmp(word, "stop") == 0
                   ? WT_OK
                   : wt_fail(err, WT_INVALID, "%s: must be stop or hardware", item);
    }
    if (strncmp(item, subslices, sizeof subslices - 1) != 0)
        return wt_fail(err, WT_INVALID, "a gen9 has no '%s' (--gpu help lists what it has)", item);
    errno = 0;
    const char *digits = item + sizeof subslices - 1;
    const unsigned long number = strtoul(digits, &end, 0);
    if (end == digits || *end || errno || number < 1 || number > MOST_SUBSLICES)
        return wt_fail(err, WT_INVALID, "%s: must be 1 to %u", item, MOST_SUBSLICES);
    config->subslices = (unsigned)number;
    return WT_OK;
}

enum wt_status gen_config_parse(struct gen_config *config, const char *text, struct wt_error *err)
{
    assert(config && text && err);
    enum wt_status status;
    struct gen_config parsed = *config;
    while (*text) {
        char item[64];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        if ((status = parse_item(&parsed, item, err)) != WT_OK)
            return status;
    }
    *config = parsed;
    return WT_OK;
}

/* Parses the options of --gpu gfx900:…. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"

#define MOST_CU 64
#define MOST_SE 4
#define MOST_SH 2
#define CU_PER_ARRAY 16
#define MOST_IMPRECISE 1000

void gcn_config_default(struct gcn_config *config)
{
    *config = (struct gcn_config){.cu = 4, .sh = 1, .debug = true};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &config->schedule, WT_IGNORED);
}

void gcn_config_help(FILE *out)
{
    fprintf(out, "  %-12s %s\n", "cu", "compute units, 1..64 (4); at most 16 a shader array");
    fprintf(out, "  %-12s %s\n", "se", "shader engines, 1..4 (as many as the compute units need)");
    fprintf(out, "  %-12s %s\n", "sh", "shader arrays of an engine, 1..2 (1)");
    fprintf(out, "  %-12s %s\n", "imprecise",
            "instructions by which memory violations are late, 0..1000 (0)");
    fprintf(out, "  %-12s %s\n", "debug", "'all' or 'none': wave control and address watch (all)");
}

unsigned gcn_config_engines(const struct gcn_config *c)
{
    return c->se ? c->se : (c->cu + c->sh * CU_PER_ARRAY - 1) / (c->sh * CU_PER_ARRAY);
}

bool gcn_config_fits(const struct gcn_config *c)
{
    const unsigned arrays = gcn_config_engines(c) * c->sh;
    return c->cu >= 1 && c->cu <= MOST_CU && c->se <= MOST_SE && c->sh >= 1 && c->sh <= MOST_SH &&
           c->cu >= arrays && c->cu <= arrays * CU_PER_ARRAY;
}

void gcn_config_print(const struct gcn_config *c, char *text, size_t size)
{
    char late[32] = "";
    if (c->imprecise)
        snprintf(late, sizeof late, ",imprecise=%u", c->imprecise);
    snprintf(text, size, "cu=%u,se=%u,sh=%u,debug=%s%s", c->cu, gcn_config_engines(c), c->sh,
             c->debug ? "all" : "none", late);
}

const struct gcn_config *gcn_device_config(const struct gcn_device *device)
{
    return &device->config;
}

struct number {
    const char *key;
    unsigned least, most, *to;
};

static bool is_key(const char *item, const char *key)
{
    return strncmp(item, key, strlen(key)) == 0;
}

static enum wt_status take_item(struct gcn_config *c, const char *item, struct wt_error *err)
{
    char *end;
    const struct number numbers[] = {{"cu=", 1, MOST_CU, &c->cu},
                                     {"se=", 1, MOST_SE, &c->se},
                                     {"sh=", 1, MOST_SH, &c->sh},
                                     {"imprecise=", 0, MOST_IMPRECISE, &c->imprecise}};
    const struct number *n = numbers, *const last = n + sizeof numbers / sizeof *n;
    while (n < last && !is_key(item, n->key))
        n++;
    if (strcmp(item, "debug=all") == 0 || strcmp(item, "debug=none") == 0) {
        c->debug = item[6] == 'a';
        return WT_OK;
    }
    if (is_key(item, "debug="))
        return wt_fail(err, WT_INVALID, "%s: must be 'all' or 'none'", item);
    if (n == last)
        return wt_fail(err, WT_INVALID, "a gfx900 has no '%s' (--gpu help lists what it has)",
                       item);
    errno = 0;
    const char *value = item + strlen(n->key);
    const unsigned long number = strtoul(value, &end, 0);
    if (end == value || *end || errno || number < n->least || number > n->most)
        return wt_fail(err, WT_INVALID, "%s: must be %u to %u", item, n->least, n->most);
    *n->to = (unsigned)number;
    return WT_OK;
}

enum wt_status gcn_config_parse(struct gcn_config *config, const char *text, struct wt_error *err)
{
    assert(config && text && err);
    enum wt_status status;
    struct gcn_config c = *config;
    while (*text) {
        char item[64];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        if ((status = take_item(&c, item, err)) != WT_OK)
            return status;
    }
    if (!gcn_config_fits(&c))
        return wt_fail(err, WT_INVALID,
                       "cu=%u does not fit se=%u,sh=%u: a shader array has 1 to %u compute units",
                       c.cu, gcn_config_engines(&c), c.sh, CU_PER_ARRAY);
    *config = c;
    return WT_OK;
}

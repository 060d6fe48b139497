/* Parses the options of --gpu sm:…. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/internal.h"

void sm_config_default(struct sm_config *config)
{
    *config = (struct sm_config){.sms = 1, .cc = 50, .memory = UINT64_C(16) << 30};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &config->schedule, WT_IGNORED);
}

void sm_config_help(FILE *out)
{
    fprintf(out, "  %-12s %s\n", "cc", "compute capability that programs are told, 5.0..9.0 (5.0)");
    fprintf(out, "  %-12s %s\n", "sms", "SMs, 1..16 (1)");
    fprintf(out, "  %-12s %s\n", "memory", "memory that programs are told, 16M..64G (16G)");
    fprintf(out, "  %-12s %s\n", "error-delay",
            "issues by which warp errors are late, 0..1000 (0)");
    fprintf(out, "  %-12s %s\n", "memory-delay",
            "issues by which L1 errors are late, beyond BPT.DRAIN, 0..1000 (0)");
    fprintf(out, "  %-12s %s\n", "bounds",
            "accesses outside of all buffers: stop, or as hardware does, only where no block of\n"
            "               2 MiB with a buffer is (stop)");
}

void sm_config_print(const struct sm_config *c, char *text, size_t size)
{
    snprintf(text, size, "cc=%u.%u,sms=%u,memory=%uM,error-delay=%u,memory-delay=%u%s", c->cc / 10,
             c->cc % 10, c->sms, (unsigned)(c->memory >> 20), c->error_delay, c->memory_delay,
             c->hardware_bounds ? ",bounds=hardware" : "");
}

/* "5.2" is 52. */
static bool take_capability(const char *text, unsigned *cc)
{
    if (strlen(text) != 3 || text[1] != '.' || text[0] < '5' || text[0] > '9' || text[2] < '0' ||
        text[2] > '9')
        return false;
    *cc = (unsigned)(text[0] - '0') * 10 + (unsigned)(text[2] - '0');
    return *cc <= 90;
}

static bool take_number(const char *text, unsigned least, unsigned most, unsigned *value)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 0);
    if (end == text || *end || errno || *text == '-' || number < least || number > most)
        return false;
    *value = (unsigned)number;
    return true;
}

/* "4G" */
static bool take_memory(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 0);
    const unsigned shift = *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (end == text || errno || *text == '-' || !shift || end[1] || number > 1 << 20)
        return false;
    *bytes = (uint64_t)number << shift;
    return *bytes >= UINT64_C(16) << 20 && *bytes <= UINT64_C(64) << 30;
}

enum wt_status sm_config_parse(struct sm_config *config, const char *text, struct wt_error *err)
{
    assert(config && text && err);
    struct sm_config c = *config;
    const struct {
        const char *key;
        unsigned least, most, *value;
    } keys[] = {{"sms=", 1, SM_MOST_SMS, &c.sms},
                {"error-delay=", 0, 1000, &c.error_delay},
                {"memory-delay=", 0, 1000, &c.memory_delay}};
    while (*text) {
        char item[64];
        bool known = false;
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        if (strncmp(item, "cc=", 3) == 0) {
            if (!take_capability(item + 3, &c.cc))
                return wt_fail(err, WT_INVALID, "%s: must be 5.0 to 9.0", item);
            continue;
        }
        if (strncmp(item, "memory=", 7) == 0) {
            if (!take_memory(item + 7, &c.memory))
                return wt_fail(err, WT_INVALID, "%s: must be 16M to 64G", item);
            continue;
        }
        if (strncmp(item, "bounds=", 7) == 0) {
            c.hardware_bounds = strcmp(item + 7, "hardware") == 0;
            if (!c.hardware_bounds && strcmp(item + 7, "stop") != 0)
                return wt_fail(err, WT_INVALID, "%s: must be stop or hardware", item);
            continue;
        }
        for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !known; i++) {
            const size_t key = strlen(keys[i].key);
            known = strncmp(item, keys[i].key, key) == 0;
            if (known && !take_number(item + key, keys[i].least, keys[i].most, keys[i].value))
                return wt_fail(err, WT_INVALID, "%s: must be %u to %u", item, keys[i].least,
                               keys[i].most);
        }
        if (!known)
            return wt_fail(err, WT_INVALID, "an SM has no '%s' (--gpu help lists what it has)",
                           item);
    }
    *config = c;
    return WT_OK;
}

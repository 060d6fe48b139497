/* Parses the options of --gpu vortex:…, and checks their limits. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/vortex/internal.h"

/* A key, the value that it sets, and its range; values are numbers in C notation unless `words`
 * lists names. */
struct key {
    const char *name;
    size_t offset;
    enum { UNSIGNED, ADDRESS, FLAG, PROFILE } kind;
    uint64_t least, most;
    const char *words[2]; /* FLAG: the word for false, the word for true */
    const char *about;
};

#define AT(member) offsetof(struct vx_config, member)

static const struct key keys[] = {
    {"profile", AT(profile), PROFILE, 0, 0, {0}, "version of Vortex: v2 (2025)"},
    {"clusters", AT(clusters), UNSIGNED, 1, 127, {0}, "clusters, 1..127 (1)"},
    {"cores", AT(cores), UNSIGNED, 1, 511, {0}, "cores of a cluster, 1..511 (1)"},
    {"warps", AT(warps), UNSIGNED, 1, 511, {0}, "warps of a core, 1..511 (4)"},
    {"threads",
     AT(threads),
     UNSIGNED,
     1,
     128,
     {0},
     "threads of a warp, a power of two, 1..128 (4)"},
    {"xlen", AT(xlen), UNSIGNED, 32, 64, {0}, "32 or 64 (as the program says, else 32)"},
    {"startup",
     AT(startup),
     ADDRESS,
     0,
     UINT64_MAX,
     {0},
     "address of the first instruction (the program's entry)"},
    {"arg", AT(argument), ADDRESS, 0, UINT64_MAX, {0}, "kernel argument: mscratch at reset (0)"},
    {"console", AT(console_addr), ADDRESS, 0, 0xffffffff, {0}, "address of the console (0x40)"},
    {"slots",
     AT(console_slots),
     UNSIGNED,
     1,
     4096,
     {0},
     "bytes of the console, one a slot, a power of two (64)"},
    {"exit", AT(exit_addr), ADDRESS, 0, 0xffffffffffff, {0}, "address of the exit word (0x88)"},
    {"branches",
     AT(follow_rtl_branches),
     FLAG,
     0,
     0,
     {"fault", "rtl"},
     "divergent branch without SPLIT: fault, or rtl: the last active lane decides (fault)"},
    {"misaligned",
     AT(allow_misaligned),
     FLAG,
     0,
     0,
     {"fault", "allow"},
     "misaligned loads and stores: fault or allow (fault)"},
    {"ebreak-pc",
     AT(ebreak_pc_after),
     FLAG,
     0,
     0,
     {"at", "after"},
     "DPC of an EBREAK halt: at the ebreak, or after it as in the RTL of 2025 (at)"},
    {"dm-clock",
     AT(dm_clock),
     UNSIGNED,
     0,
     1000000,
     {0},
     "core cycles between two accesses of the Debug Module; 0: its requests are done at once (0)"},
    {"host-level",
     AT(host_level),
     UNSIGNED,
     1,
     3,
     {0},
     "the most that is used of the host's x86-64 levels, 1..3; the same results at each (3)"},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

void vx_config_default(struct vx_config *config)
{
    assert(config);
    const struct vx_profile *profile = vx_profiles[0];
    *config = (struct vx_config){
        .profile = profile,
        .clusters = 1,
        .cores = 1,
        .warps = 4,
        .threads = 4,
        .startup = profile->startup_addr,
        .console_addr = profile->console_addr,
        .console_slots = profile->console_slots,
        .exit_addr = profile->exit_addr,
        .host_level = 3,
    };
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &config->schedule, WT_IGNORED);
}

void vx_config_help(FILE *out)
{
    for (unsigned i = 0; i < KEYS; i++)
        fprintf(out, "  %-12s %s\n", keys[i].name, keys[i].about);
}

void vx_config_print(const struct vx_config *config, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned i = 0; i < KEYS && used < size; i++) {
        const struct key *key = &keys[i];
        const char *member = (const char *)config + key->offset;
        const char *comma = i ? "," : "";
        switch (key->kind) {
        case PROFILE:
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", comma, key->name,
                                     config->profile->name);
            break;
        case FLAG:
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", comma, key->name,
                                     key->words[*(const bool *)member]);
            break;
        case UNSIGNED:
            used += (size_t)snprintf(text + used, size - used, "%s%s=%u", comma, key->name,
                                     *(const unsigned *)member);
            break;
        case ADDRESS:
            used += (size_t)snprintf(text + used, size - used, "%s%s=0x%" PRIx64, comma, key->name,
                                     *(const uint64_t *)member);
            break;
        }
    }
    assert(used < size);
}

static enum wt_status set_profile(struct vx_config *config, const char *value, struct wt_error *err)
{
    assert(value && err);
    for (size_t i = 0; i < vx_profile_count; i++) {
        const struct vx_profile *profile = vx_profiles[i];
        if (strcmp(profile->name, value))
            continue;
        config->profile = profile;
        config->startup = profile->startup_addr;
        config->console_addr = profile->console_addr;
        config->console_slots = profile->console_slots;
        config->exit_addr = profile->exit_addr;
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "there is no Vortex profile '%s'; there is: %s", value,
                   vx_profiles[0]->name);
}

static enum wt_status set(struct vx_config *config, const struct key *key, const char *value,
                          struct wt_error *err)
{
    char *member = (char *)config + key->offset;
    if (key->kind == PROFILE)
        return set_profile(config, value, err);
    if (key->kind == FLAG) {
        for (int i = 0; i < 2; i++) {
            if (strcmp(value, key->words[i]) == 0) {
                *(bool *)member = i;
                return WT_OK;
            }
        }
        return wt_fail(err, WT_INVALID, "%s=%s: must be %s or %s", key->name, value, key->words[0],
                       key->words[1]);
    }
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end || errno || *value == '-')
        return wt_fail(err, WT_INVALID, "%s=%s: not a number", key->name, value);
    if (number < key->least || number > key->most)
        return wt_fail(err, WT_INVALID, "%s=%s: must be %llu to %llu", key->name, value,
                       (unsigned long long)key->least, (unsigned long long)key->most);
    if (key->kind == UNSIGNED)
        *(unsigned *)member = (unsigned)number;
    else
        *(uint64_t *)member = number;
    if (key->offset == AT(startup))
        config->startup_given = true;
    return WT_OK;
}

static bool power_of_two(unsigned n)
{
    return n && (n & (n - 1)) == 0;
}

static enum wt_status check(const struct vx_config *config, struct wt_error *err)
{
    if (!power_of_two(config->threads))
        return wt_fail(err, WT_INVALID, "threads=%u: must be a power of two", config->threads);
    if (!power_of_two(config->console_slots))
        return wt_fail(err, WT_INVALID, "slots=%u: must be a power of two", config->console_slots);
    if (config->xlen != 0 && config->xlen != 32 && config->xlen != 64)
        return wt_fail(err, WT_INVALID, "xlen=%u: must be 32 or 64", config->xlen);
    const uint64_t warps = (uint64_t)config->clusters * config->cores * config->warps;
    if (warps > 32768)
        return wt_fail(err, WT_INVALID,
                       "%u clusters of %u cores of %u warps are %llu warps; the Debug Module can "
                       "select 32768",
                       config->clusters, config->cores, config->warps, (unsigned long long)warps);
    return WT_OK;
}

enum wt_status vx_config_parse(struct vx_config *config, const char *text, struct wt_error *err)
{
    assert(config && text && err);
    struct vx_config result = *config;
    while (*text) {
        char item[128];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        char *value = strchr(item, '=');
        if (!value)
            return wt_fail(err, WT_INVALID, "'%s' is not of the form key=value", item);
        *value++ = 0;
        unsigned i = 0;
        while (i < KEYS && strcmp(keys[i].name, item))
            i++;
        if (i == KEYS)
            return wt_fail(err, WT_INVALID, "a Vortex has no '%s' (--gpu help lists what it has)",
                           item);
        const enum wt_status status = set(&result, &keys[i], value, err);
        if (status)
            return status;
    }
    const enum wt_status status = check(&result, err);
    if (!status)
        *config = result;
    return status;
}

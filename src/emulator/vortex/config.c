/* The options of --gpu vortex:…, and their limits. */
#include <string.h>

#include "emulator/vortex/internal.h"

static void take_layout(struct vx_config *config, const struct vx_profile *profile)
{
    config->profile = profile;
    config->startup = profile->startup_addr;
    config->console_addr = profile->console_addr;
    config->console_slots = profile->console_slots;
    config->exit_addr = profile->exit_addr;
}

void vx_config_default(void *config)
{
    struct vx_config *c = config;
    *c = (struct vx_config){
        .clusters = 1, .cores = 1, .warps = 4, .threads = 4, .line = 64, .host_level = 3};
    take_layout(c, vx_profiles[0]);
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &c->schedule, WT_IGNORED);
}

static enum wt_status take_profile(void *config, const char *value, struct wt_error *err)
{
    for (size_t i = 0; i < vx_profile_count; i++)
        if (strcmp(vx_profiles[i]->name, value) == 0) {
            take_layout(config, vx_profiles[i]);
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "there is no such Vortex profile; there is: %s",
                   vx_profiles[0]->name);
}

static void print_profile(const void *config, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct vx_config *)config)->profile->name);
}

#define AT(member) .offset = offsetof(struct vx_config, member)
#define ADDRESS(member) AT(member), WT_CONFIG_ADDRESS

static const struct wt_config_key keys[] = {
    {"profile", "version of Vortex: v2 (2025)", .kind = WT_CONFIG_OWN, .take = take_profile,
     .print = print_profile},
    {"clusters", "clusters, 1..127 (1)", AT(clusters), .least = 1, .most = 127},
    {"cores", "cores of a cluster, 1..511 (1)", AT(cores), .least = 1, .most = 511},
    {"warps", "warps of a core, 1..511 (4)", AT(warps), .least = 1, .most = 511},
    {"threads", "threads of a warp, a power of two, 1..128 (4)", AT(threads), .least = 1,
     .most = 128},
    {"xlen", "32 or 64 (as the program says, else 32)", AT(xlen), .least = 32, .most = 64},
    {"startup", "address of the first instruction (the program's entry)", ADDRESS(startup),
     .most = UINT64_MAX, .given = offsetof(struct vx_config, startup_given)},
    {"arg", "kernel argument: mscratch at reset (0)", ADDRESS(argument), .most = UINT64_MAX},
    {"console", "address of the console (0x40)", ADDRESS(console_addr), .most = 0xffffffff},
    {"slots", "bytes of the console, one a slot, a power of two (64)", AT(console_slots),
     .least = 1, .most = 4096},
    {"exit", "address of the exit word (0x88)", ADDRESS(exit_addr), .most = 0xffffffffffff},
    {"branches",
     "divergent branch without SPLIT: fault, or rtl: the last active lane decides (fault)",
     AT(follow_rtl_branches), WT_CONFIG_WORD, .words = {"fault", "rtl"}},
    {"misaligned", "misaligned loads and stores: fault or allow (fault)", AT(allow_misaligned),
     WT_CONFIG_WORD, .words = {"fault", "allow"}},
    {"ebreak-pc", "DPC of an EBREAK halt: at the ebreak, or after it as in the RTL of 2025 (at)",
     AT(ebreak_pc_after), WT_CONFIG_WORD, .words = {"at", "after"}},
    {"dm-clock",
     "core cycles between two accesses of the Debug Module; 0: its requests are done at once (0)",
     AT(dm_clock), .most = 1000000},
    {"line", "bytes of a cache line, in which profiles count, a power of two, 4..4096 (64)",
     AT(line), .least = 4, .most = 4096},
    {"host-level",
     "the most that is used of the host's x86-64 levels, 1..3; the same results at each (3)",
     AT(host_level), .least = 1, .most = 3},
    WT_FILL_KEY,
};

static bool power_of_two(unsigned n)
{
    return n && (n & (n - 1)) == 0;
}

static enum wt_status check(const void *checked, struct wt_error *err)
{
    const struct vx_config *config = checked;
    if (!power_of_two(config->threads))
        return wt_fail(err, WT_INVALID, "threads=%u: must be a power of two", config->threads);
    if (!power_of_two(config->console_slots))
        return wt_fail(err, WT_INVALID, "slots=%u: must be a power of two", config->console_slots);
    if (!power_of_two(config->line))
        return wt_fail(err, WT_INVALID, "line=%u: must be a power of two", config->line);
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

const struct wt_config vx_config_table = {
    .gpu = "a Vortex",
    .size = sizeof(struct vx_config),
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .set_default = vx_config_default,
    .check = check,
};

/* The options of --gpu vortex:…, and their limits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/fill.h"
#include "emulator/vortex/internal.h"

static void take_layout(struct vx_config *config, const struct vx_profile *profile)
{
    config->profile = profile;
    config->startup = profile->startup_addr;
    config->console_addr = profile->console_addr;
    config->console_slots = profile->console_slots;
    config->exit_addr = profile->exit_addr;
}

void vx_config_use_profile(struct vx_config *config, const struct vx_profile *profile)
{
    const struct vx_profile *old = config->profile;
    const struct vx_config kept = *config;
    take_layout(config, profile);
    if (kept.startup_given)
        config->startup = kept.startup;
    if (kept.console_addr != old->console_addr)
        config->console_addr = kept.console_addr;
    if (kept.console_slots != old->console_slots)
        config->console_slots = kept.console_slots;
    if (kept.exit_addr != old->exit_addr)
        config->exit_addr = kept.exit_addr;
}

void vx_config_default(void *config)
{
    struct vx_config *c = config;
    *c = (struct vx_config){.clusters = 1,
                            .cores = 1,
                            .warps = 4,
                            .threads = 4,
                            .line = 64,
                            .host_level = 3,
                            .jit = 256};
    take_layout(c, vx_profiles[0]);
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &c->schedule, WT_IGNORED);
}

static enum wt_status take_profile(void *config, const char *value, struct wt_error *err)
{
    const struct vx_profile *profile = vx_profile_named(value);
    if (!profile)
        return wt_fail(err, WT_INVALID, "there is no such Vortex profile; there are %s and %s",
                       vx_profiles[0]->name, vx_profiles[1]->name);
    vx_config_use_profile(config, profile);
    ((struct vx_config *)config)->profile_given = true;
    return WT_OK;
}

/* Parses three sizes: "4", "4x2", "4x2x1". One that is left out is 1. */
static enum wt_status take_three(uint32_t *three, const char *value, struct wt_error *err)
{
    const char *at = value;
    for (unsigned i = 0; i < 3; i++) {
        char *end = NULL;
        const unsigned long long n = *at ? strtoull(at, &end, 10) : 1;
        if (*at && (*at < '0' || *at > '9' || n > UINT32_MAX || (*end && (*end != 'x' || i == 2))))
            return wt_fail(err, WT_INVALID, "must be one to three numbers, such as 4x2x1");
        three[i] = (uint32_t)n;
        at = !*at ? at : *end ? end + 1 : end;
        if (end && *end && !*at)
            return wt_fail(err, WT_INVALID, "a number is missing after the last x");
    }
    return WT_OK;
}

static void print_three(const uint32_t *three, char *text, size_t size)
{
    if (three[0] | three[1] | three[2])
        snprintf(text, size, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, three[0], three[1], three[2]);
}

#define THREE(member)                                                                              \
    static enum wt_status take_##member(void *config, const char *value, struct wt_error *err)     \
    {                                                                                              \
        return take_three(((struct vx_config *)config)->launch.member, value, err);                \
    }                                                                                              \
    static void print_##member(const void *config, char *text, size_t size)                        \
    {                                                                                              \
        print_three(((const struct vx_config *)config)->launch.member, text, size);                \
    }
THREE(grid)
THREE(block)
THREE(cluster)

static void print_profile(const void *config, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct vx_config *)config)->profile->name);
}

#define AT(member) .offset = offsetof(struct vx_config, member)
#define ADDRESS(member) AT(member), WT_CONFIG_ADDRESS

static const struct wt_config_key keys[] = {
    {"profile", "version of Vortex: v2 (2025) or v3 (2026) (as the program says, else v2)",
     .kind = WT_CONFIG_OWN, .take = take_profile, .print = print_profile},
    {"clusters", "clusters, 1..127 (1)", AT(clusters), .least = 1, .most = 127},
    {"cores", "cores of a cluster, 1..511 (1)", AT(cores), .least = 1, .most = 511},
    {"warps", "warps of a core, 1..511 (4)", AT(warps), .least = 1, .most = 511},
    {"threads", "threads of a warp, a power of two, 1..128 (4)", AT(threads), .least = 1,
     .most = 128},
    {"xlen", "32 or 64 (as the program says, else 32)", AT(xlen), .least = 32, .most = 64},
    {"startup", "address of the first instruction (the program's entry)", ADDRESS(startup),
     .most = UINT64_MAX, .given = offsetof(struct vx_config, startup_given)},
    {"arg", "kernel argument: mscratch at reset (0)", ADDRESS(argument), .most = UINT64_MAX},
    {"kernel", "v3: address of the kernel's function, CSR vx_cta_entry (0)", ADDRESS(launch.entry),
     .most = UINT64_MAX, .rare = true},
    {"grid", "v3: CTAs, as 4x2x1 (one for each core)", .kind = WT_CONFIG_OWN, .take = take_grid,
     .print = print_grid},
    {"block", "v3: threads of a CTA, as 8x4x1 (one warp)", .kind = WT_CONFIG_OWN,
     .take = take_block, .print = print_block},
    {"cluster", "v3: CTAs of a cluster, as 2x1x1 (1)", .kind = WT_CONFIG_OWN, .take = take_cluster,
     .print = print_cluster},
    {"lmem", "v3: bytes of local memory of a CTA, 0..16384 (0)", AT(launch.local_size), .least = 0,
     .most = 16384, .rare = true},
    {"console", "address of the console (0x40)", ADDRESS(console_addr), .most = 0xffffffff},
    {"slots", "consoles, a power of two (64); v2: a byte for each", AT(console_slots), .least = 1,
     .most = 4096},
    {"ring",
     "v3: who empties the console's rings in memory: the device, or host: its program (device; "
     "host "
     "under a libvortex.so of the user's own)",
     AT(ring_of_host), WT_CONFIG_WORD, .words = {"device", "host"}, .rare = true},
    {"exit", "address of the exit word (v2: 0x88, v3: 0x8348)", ADDRESS(exit_addr),
     .most = 0xffffffffffff},
    {"branches",
     "divergent branch without SPLIT: fault, or rtl: the last active lane decides (fault)",
     AT(follow_rtl_branches), WT_CONFIG_WORD, .words = {"fault", "rtl"}},
    {"divergence",
     "without SPLIT, lanes stay together (branches=), or auto: they part at any branch, and meet "
     "at "
     "the lowest PC, which no Vortex does (split)",
     AT(part_lanes), WT_CONFIG_WORD, .words = {"split", "auto"}},
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
    {"jit",
     "visits of an instruction after which code of the host is made for it and what follows,\n"
     "               1..60000; 0: never (256)",
     AT(jit), .most = 60000},
    {"vectors",
     "bits of the longest vectors in that code of 16 and 32 threads: '512', where the host has\n"
     "               them, or '256' (512)",
     AT(vectors_256), WT_CONFIG_WORD, .words = {"512", "256"}, .rare = true},
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
    const struct vx_launch *l = &config->launch;
    const bool launches = l->entry || l->local_size || l->grid[0] || l->block[0] || l->cluster[0];
    if (launches && config->profile_given && !config->profile->launch_unit)
        return wt_fail(err, WT_INVALID,
                       "kernel, grid, block, cluster and lmem are for profile=v3: %s has no launch "
                       "unit",
                       config->profile->name);
    if (config->profile->console_ring && config->console_slots != 64)
        return wt_fail(err, WT_INVALID, "slots=%u: the ring of profile v3 has 64",
                       config->console_slots);
    struct vx_config full = *config;
    vx_launch_defaults(&full);
    for (unsigned i = 0; i < 3 && config->profile->launch_unit; i++)
        if (full.launch.cluster[i] && full.launch.grid[i] % full.launch.cluster[i])
            return wt_fail(err, WT_INVALID,
                           "a cluster of %" PRIu32 " CTAs does not divide the grid's %" PRIu32,
                           full.launch.cluster[i], full.launch.grid[i]);
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

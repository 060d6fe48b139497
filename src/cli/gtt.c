/* `wavetrap gtt`: translates addresses through the tables of Intel's GPUs, found in a memory image.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "emulator/gen/gtt/gtt.h"

/* A file of --memory. */
struct memory {
    uint8_t *bytes;
    size_t length;
    uint64_t physical; /* physical of its first byte */
};

struct gtt_options {
    struct wt_gtt gtt;
    struct memory *memory;
    size_t memory_count, memory_capacity;
    uint64_t table_bytes; /* --ggtt-size, or 0 */
    /* Registers of --reg. */
    bool has_pgtbl_ctl, has_pgtbl_ctl2, has_gmch_ctrl;
    uint32_t pgtbl_ctl, pgtbl_ctl2;
    uint16_t gmch_ctrl;
};

/* ---- options ---- */

static enum wt_status set_gen(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    if (strlen(value) != 1 || *value < '4' || *value > '9')
        return wt_fail(err, WT_INVALID, "'%.40s' is not a generation: 4 to 9 are known", value);
    o->gtt.gen = (unsigned)(*value - '0');
    return WT_OK;
}

static enum wt_status set_variant(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    if (strcmp(value, "hsw") == 0)
        o->gtt.variant = WT_GTT_HASWELL;
    else if (strcmp(value, "byt") == 0)
        o->gtt.variant = WT_GTT_BAYTRAIL;
    else
        return wt_fail(err, WT_INVALID,
                       "'%.40s' is not a variant: hsw (Haswell) and byt (Bay Trail) are", value);
    return WT_OK;
}

static enum wt_status set_ppgtt(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    if (strcmp(value, "32") == 0)
        o->gtt.kind = WT_GTT_PROCESS32;
    else if (strcmp(value, "48") == 0)
        o->gtt.kind = WT_GTT_PROCESS48;
    else
        return wt_fail(err, WT_INVALID, "'%.40s' is not a size of addresses: 32 or 48", value);
    return WT_OK;
}

static enum wt_status set_root(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    const size_t most = sizeof o->gtt.root / sizeof o->gtt.root[0];
    if (o->gtt.root_count == most)
        return wt_fail(err, WT_INVALID, "more than %zu roots", most);
    return wt_parse_number(value, &o->gtt.root[o->gtt.root_count++], err);
}

static enum wt_status set_size(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    enum wt_status status;
    if ((status = wt_parse_number(value, &o->table_bytes, err)) != WT_OK)
        return status;
    if (!o->table_bytes || o->table_bytes % 4096)
        return wt_fail(err, WT_INVALID, "a table's length is a multiple of 4096 bytes");
    return WT_OK;
}

static enum wt_status set_memory(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    enum wt_status status;
    struct memory m = {0};
    struct wt_error ignored;
    const char *at = strrchr(value, '@');
    /* A file's name may contain '@'. */
    if (at && wt_parse_number(at + 1, &m.physical, &ignored) != WT_OK)
        at = NULL;
    char *path = at ? strndup(value, (size_t)(at - value)) : strdup(value);
    struct memory *grown =
        wt_array_grow(o->memory, &o->memory_capacity, o->memory_count + 1, sizeof *o->memory);
    if (!path || !grown) {
        free(path);
        o->memory = grown ? grown : o->memory;
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    o->memory = grown;
    status = wt_file_read(path, &m.bytes, &m.length, err);
    free(path);
    if (status != WT_OK)
        return status;
    o->memory[o->memory_count++] = m;
    return WT_OK;
}

static enum wt_status set_register(void *context, const char *value, struct wt_error *err)
{
    struct gtt_options *o = context;
    enum wt_status status;
    uint64_t number;
    const char *equals = strchr(value, '=');
    const size_t length = equals ? (size_t)(equals - value) : strlen(value);
    if (!equals)
        return wt_fail(err, WT_INVALID, "'%.40s' has no value: NAME=NUMBER", value);
    if ((status = wt_parse_number(equals + 1, &number, err)) != WT_OK)
        return status;
    if (length == 9 && strncasecmp(value, "PGTBL_CTL", length) == 0 && number <= UINT32_MAX) {
        o->has_pgtbl_ctl = true;
        o->pgtbl_ctl = (uint32_t)number;
    } else if (length == 10 && strncasecmp(value, "PGTBL_CTL2", length) == 0 &&
               number <= UINT32_MAX) {
        o->has_pgtbl_ctl2 = true;
        o->pgtbl_ctl2 = (uint32_t)number;
    } else if (length == 9 && strncasecmp(value, "GMCH_CTRL", length) == 0 &&
               number <= UINT16_MAX) {
        o->has_gmch_ctrl = true;
        o->gmch_ctrl = (uint16_t)number;
    } else {
        return wt_fail(
            err, WT_INVALID,
            "'%.40s': PGTBL_CTL and PGTBL_CTL2 (32 bits) and GMCH_CTRL (16 bits) are known", value);
    }
    return WT_OK;
}

static const struct wt_option own_options[] = {
    {"gen", 0, "N", "the GPU's generation: 4 to 9", WT_OPTION_SET(set_gen)},
    {"variant", 0, "NAME", "of gen7: hsw (Haswell) or byt (Bay Trail)", WT_OPTION_SET(set_variant)},
    {"memory", 0, "FILE[@PHYSICAL]",
     "physical memory that holds the tables; of the first byte\nat address 0 without @; again for "
     "more",
     WT_OPTION_SET(set_memory)},
    {"reg", 0, "NAME=VALUE",
     "a register: PGTBL_CTL, PGTBL_CTL2, GMCH_CTRL; its fields\nare printed",
     WT_OPTION_SET(set_register)},
    {"ppgtt", 0, "32|48", "through a per-process table of addresses of that size",
     WT_OPTION_SET(set_ppgtt)},
    {"root", 0, "PHYSICAL",
     "where the table begins, from gen6 on; with --ppgtt=32 on\ngen8 and gen9 four times: PDP0 to "
     "PDP3",
     WT_OPTION_SET(set_root)},
    {"ggtt-size", 0, "BYTES", "length of the global table, from gen6 on", WT_OPTION_SET(set_size)},
    {0},
};

/* ---- registers ---- */

static void print_pgtbl_ctl(const char *name, unsigned at, uint32_t value)
{
    const struct wt_pgtbl_ctl c = wt_pgtbl_ctl(value);
    printf("%s (0x%x) = 0x%08" PRIx32 "\n", name, at, value);
    printf("  bits 31:12, 7:4  base    0x%" PRIx64 "\n", c.base);
    printf("  bits 3:1         size    %u: %" PRIu64 " KB, %" PRIu64 " entries\n", c.size_code,
           c.bytes >> 10, c.bytes / 4);
    printf("  bit 0            enable  %u\n", c.enabled);
    if (c.unknown_size)
        puts("unknown page table size, assuming 512KB");
}

static void print_registers(const struct gtt_options *o)
{
    if (o->has_pgtbl_ctl)
        print_pgtbl_ctl("PGTBL_CTL", 0x2020, o->pgtbl_ctl);
    if (o->has_pgtbl_ctl2)
        print_pgtbl_ctl("PGTBL_CTL2", 0x20c4, o->pgtbl_ctl2);
    if (o->has_gmch_ctrl && o->gtt.gen >= 5) {
        const struct wt_gmch_ctrl c = wt_gmch_ctrl(o->gtt.gen, o->gmch_ctrl);
        printf("GMCH_CTRL = 0x%04" PRIx16 "\n", o->gmch_ctrl);
        if (c.gtt_bytes)
            printf("  table   %" PRIu64 " KB\n", c.gtt_bytes >> 10);
        else
            puts(o->gtt.gen == 5 ? "  table   as PGTBL_CTL says" : "  table   none");
        if (o->gtt.gen > 5)
            printf("  stolen  %" PRIu64 " MB\n", c.stolen_bytes >> 20);
    }
}

/* The report of the driver's probe of the global table. */
static void print_probe(struct wt_gtt *gtt)
{
    const uint64_t limit = (uint64_t)1 << 32;
    uint64_t reach = wt_gtt_reach(gtt->gen, gtt->bytes);
    printf("i915_ggtt_probe_hw: %s\n", wt_gtt_probe_function(gtt->gen));
    if (reach > limit) {
        printf(
            "We never expected a Global GTT with more than 32bits of address space! Found %" PRIu64
            "M!\n",
            reach >> 20);
        reach = limit;
        gtt->bytes = limit / 4096 * (gtt->gen < 8 ? 4 : 8);
    }
    printf("GGTT size = %" PRIu64 "M\n", reach >> 20);
}

/* ---- tables ---- */

/* The register with the address of the flat table of gen4 and gen5: PGTBL_CTL, or PGTBL_CTL2 with
 * --ppgtt. */
static enum wt_status flat_table(struct gtt_options *o, struct wt_error *err)
{
    const bool global = o->gtt.kind == WT_GTT_GLOBAL;
    const char *name = global ? "PGTBL_CTL" : "PGTBL_CTL2";
    if (o->gtt.root_count || o->table_bytes)
        return wt_fail(err, WT_INVALID, "gen%u has its table's place and size in %s: --reg=%s=0x…",
                       o->gtt.gen, name, name);
    if (global ? !o->has_pgtbl_ctl : !o->has_pgtbl_ctl2)
        return wt_fail(err, WT_INVALID, "%s says where the table is: --reg=%s=0x…", name, name);
    const struct wt_pgtbl_ctl c = wt_pgtbl_ctl(global ? o->pgtbl_ctl : o->pgtbl_ctl2);
    o->gtt.enabled = c.enabled;
    o->gtt.root[0] = c.base;
    o->gtt.root_count = 1;
    o->gtt.bytes = c.bytes;
    if (o->gtt.gen == 5 && global) {
        if (!o->has_gmch_ctrl)
            return wt_fail(err, WT_INVALID,
                           "gen5 takes the table's size from GMCH_CTRL: --reg=GMCH_CTRL=0x…");
        const uint64_t bytes = wt_gmch_ctrl(5, o->gmch_ctrl).gtt_bytes;
        o->gtt.bytes = bytes ? bytes : c.bytes;
    }
    return WT_OK;
}

static enum wt_status find_table(struct gtt_options *o, struct wt_error *err)
{
    struct wt_gtt *gtt = &o->gtt;
    if (gtt->gen < 6)
        return flat_table(o, err);
    gtt->enabled = true;
    if (!gtt->root_count)
        return wt_fail(err, WT_INVALID, "where is the table? --root=PHYSICAL is missing");
    gtt->bytes = o->table_bytes     ? o->table_bytes
                 : o->has_gmch_ctrl ? wt_gmch_ctrl(gtt->gen, o->gmch_ctrl).gtt_bytes
                                    : (uint64_t)(gtt->gen < 8 ? 2 : 8) << 20;
    return WT_OK;
}

static bool read_memory(void *context, uint64_t physical, void *bytes, size_t size)
{
    const struct gtt_options *o = context;
    for (size_t i = o->memory_count; i-- > 0;) {
        const struct memory *m = &o->memory[i];
        if (physical >= m->physical && physical - m->physical < m->length &&
            size <= m->length - (physical - m->physical)) {
            memcpy(bytes, m->bytes + (physical - m->physical), size);
            return true;
        }
    }
    return false;
}

/* Batches and surface states have addresses in canonical form: bits 63:48 are copies of bit 47. */
static uint64_t uncanonical(const struct wt_gtt *gtt, uint64_t address)
{
    const bool upper = gtt->kind == WT_GTT_PROCESS48 && address >> 47 == 0x1ffff;
    return upper ? address & UINT64_C(0xffffffffffff) : address;
}

static bool translate(struct gtt_options *o, uint64_t address)
{
    struct wt_gtt_walk walk;
    wt_gtt_walk(&o->gtt, read_memory, o, uncanonical(&o->gtt, address), &walk);
    wt_gtt_print(stdout, "", &walk, address);
    return walk.mapped;
}

static enum wt_status run_all(struct gtt_options *o, int argc, char **argv, bool *all,
                              struct wt_error *err)
{
    enum wt_status status;
    if (!o->gtt.gen && (o->has_gmch_ctrl || optind < argc))
        return wt_fail(err, WT_INVALID, "which generation? --gen=4 to --gen=9");
    if (!o->gtt.gen)
        o->gtt.gen = 4; /* only its registers are decoded */
    if (o->gtt.gen == 4 && o->has_gmch_ctrl)
        return wt_fail(err, WT_INVALID, "gen4 has its table's size in PGTBL_CTL, not in GMCH_CTRL");
    if (o->gtt.gen > 5 && (o->has_pgtbl_ctl || o->has_pgtbl_ctl2))
        return wt_fail(err, WT_INVALID,
                       "gen%u has no PGTBL_CTL: --root=PHYSICAL says where the table is",
                       o->gtt.gen);
    print_registers(o);
    if (optind == argc) {
        if (!o->has_pgtbl_ctl && !o->has_pgtbl_ctl2 && !o->has_gmch_ctrl)
            return wt_fail(err, WT_INVALID, "an ADDRESS or --reg is needed");
        return WT_OK;
    }
    if ((status = find_table(o, err)) != WT_OK || (status = wt_gtt_check(&o->gtt, err)) != WT_OK)
        return status;
    if (o->gtt.kind == WT_GTT_GLOBAL)
        print_probe(&o->gtt);
    for (int i = optind; i < argc; i++) {
        uint64_t address;
        if ((status = wt_parse_number(argv[i], &address, err)) != WT_OK)
            return status;
        *all &= translate(o, address);
    }
    return WT_OK;
}

static int run(int argc, char **argv)
{
    struct gtt_options o = {0};
    struct wt_error err;
    bool all = true;
    int status = wt_subcommand_parse(&cli_gtt, argc, argv, &o, NULL, 0, true);
    if (status == WT_SUBCOMMAND_GO)
        status = run_all(&o, argc, argv, &all, &err) ? wt_subcommand_fail(&cli_gtt, &err) : !all;
    for (size_t i = 0; i < o.memory_count; i++)
        free(o.memory[i].bytes);
    free(o.memory);
    return status;
}

const struct wt_subcommand cli_gtt = {
    .name = "gtt",
    .operands = "[ADDRESS]…",
    .summary =
        "Translates graphics addresses through the page tables of Intel's GPUs. Each entry that\n"
        "the walk reads is printed.",
    .options = own_options,
    .notes =
        "Without an ADDRESS the registers are decoded. The exit status is 1 where an address does\n"
        "not translate.\n",
    .run = run,
};

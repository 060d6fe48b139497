/* Translation: the entry formats, and the walk from a root to a page. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "emulator/gen/gtt/entries.h"
#include "emulator/gen/gtt/gtt.h"

enum { PRESENT = 1 << 0 }; /* in the entries of each generation */

/* How an entry holds an address: its bits under `low` stay where they are, those under `high` move
 * 28 bits up. */
struct format {
    const char *name;
    unsigned bytes;
    uint64_t low, high;
    void (*describe)(uint64_t entry, char *text, size_t size);
};

/* Text that grows by words with ", " between them. */
struct gen_words {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void word(struct gen_words *w, const char *format, ...)
{
    if (w->used + 3 >= w->size)
        return;
    if (w->used)
        w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, ", ");
    va_list args;
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    assert(w->used < w->size);
}

static void present(struct gen_words *w, uint64_t entry)
{
    word(w, entry & PRESENT ? "valid" : "not valid");
}

/* ---- formats ---- */

static void gen4_pte(uint64_t entry, char *text, size_t size)
{
    static const char *const types[4] = {"main memory, uncached", "local memory", "type 2",
                                         "system memory, cached"};
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, "%s", types[entry >> 1 & 3]);
}

static void gen6_pte(uint64_t entry, char *text, size_t size)
{
    static const char *const caches[4] = {"cache control 0", "uncached", "LLC", "LLC and MLC"};
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, "%s", caches[entry >> 1 & 3]);
}

static void gen7_pte(uint64_t entry, char *text, size_t size)
{
    static const char *const caches[4] = {"cache control 0", "uncached", "LLC", "L3 and LLC"};
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, "%s", caches[entry >> 1 & 3]);
}

static void haswell_pte(uint64_t entry, char *text, size_t size)
{
    static const char *const caches[16] = {
        [0x0] = "uncached",
        [0x2] = "write-back in LLC, age 3",
        [0x3] = "write-back in LLC, age 0",
        [0x6] = "write-through in eLLC and LLC, age 0",
        [0x7] = "write-through in eLLC and LLC, age 3",
        [0x8] = "write-back in eLLC and LLC, age 3",
        [0xb] = "write-back in eLLC and LLC, age 0",
    };
    const unsigned cache = (unsigned)(entry >> 1 & 7) | (unsigned)(entry >> 11 & 1) << 3;
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    if (caches[cache])
        word(&w, "%s", caches[cache]);
    else
        word(&w, "cache control 0x%x", cache);
}

static void baytrail_pte(uint64_t entry, char *text, size_t size)
{
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, entry & 2 ? "writable" : "read-only");
    word(&w, entry & 4 ? "snooped" : "not snooped");
}

static void only_present(uint64_t entry, char *text, size_t size)
{
    struct gen_words w = {text, size, 0};
    present(&w, entry);
}

/* The index into the private PAT, with what linux puts there. */
static void ppat(struct gen_words *w, uint64_t entry, bool pat)
{
    static const char *const uses[8] = {
        [0] = "write-back", [2] = "display in eLLC", [3] = "uncached", [4] = "cached"};
    const unsigned index =
        (unsigned)pat << 2 | (entry & GEN8_PCD ? 2 : 0) | (entry & GEN8_PWT ? 1 : 0);
    if (uses[index])
        word(w, "PPAT %u (%s)", index, uses[index]);
    else
        word(w, "PPAT %u", index);
}

static void gen8_pte(uint64_t entry, char *text, size_t size)
{
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, entry & GEN8_WRITABLE ? "writable" : "read-only");
    ppat(&w, entry, entry & GEN8_PAT);
}

/* A PDE or PDPE: it points to a table, or maps a page itself. */
static void gen8_directory(uint64_t entry, char *text, size_t size)
{
    struct gen_words w = {text, size, 0};
    present(&w, entry);
    word(&w, entry & GEN8_WRITABLE ? "writable" : "read-only");
    ppat(&w, entry, entry & GEN8_PS && entry & GEN8_LARGE_PAT);
    if (entry & GEN8_PS)
        word(&w, "maps a page (PS)");
}

static void gen8_pde(uint64_t entry, char *text, size_t size)
{
    gen8_directory(entry, text, size);
    struct gen_words w = {text, size, strlen(text)};
    if (entry & GEN8_PDE_IPS && !(entry & GEN8_PS))
        word(&w, "64 KiB pages (IPS)");
}

#define LOW32 UINT64_C(0xfffff000)

static const struct format gen4 = {"PTE", 4, LOW32, 0xf0, gen4_pte};
static const struct format gen6 = {"PTE", 4, LOW32, 0xff0, gen6_pte};
static const struct format gen7 = {"PTE", 4, LOW32, 0xff0, gen7_pte};
static const struct format haswell = {"PTE", 4, LOW32, 0x7f0, haswell_pte};
static const struct format baytrail = {"PTE", 4, LOW32, 0xff0, baytrail_pte};
static const struct format gen6_directory = {"PDE", 4, LOW32, 0xff0, only_present};
static const struct format gen8_global = {"PTE", 8, GEN8_ADDRESS, 0, only_present};
/* From the leaf up: each level translates 9 more bits of the address. */
static const struct format gen8_level[4] = {
    {"PTE", 8, GEN8_ADDRESS, 0, gen8_pte},
    {"PDE", 8, GEN8_ADDRESS, 0, gen8_pde},
    {"PDPE", 8, GEN8_ADDRESS, 0, gen8_directory},
    {"PML4E", 8, GEN8_ADDRESS, 0, gen8_directory},
};

static const struct format *flat_format(const struct wt_gtt *gtt)
{
    switch (gtt->variant) {
    case WT_GTT_HASWELL:
        return &haswell;
    case WT_GTT_BAYTRAIL:
        return &baytrail;
    case WT_GTT_PLAIN:
        break;
    }
    return gtt->gen < 6 ? &gen4 : gtt->gen == 6 ? &gen6 : &gen7;
}

/* ---- the walk ---- */

__attribute__((format(printf, 2, 3))) static bool fault(struct wt_gtt_walk *walk,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(walk->fault, sizeof walk->fault, format, args);
    va_end(args);
    return false;
}

/* Reads entry @p index of the table at @p table; false where that ends the walk. */
static bool step(struct wt_gtt_walk *walk, const struct format *format, uint64_t table,
                 uint32_t index, wt_gtt_read *read, void *context)
{
    assert(walk->level_count < sizeof walk->level / sizeof walk->level[0]);
    const uint64_t at = table + (uint64_t)index * format->bytes;
    uint8_t raw[8];
    if (!read(context, at, raw, format->bytes))
        return fault(walk, "%s 0x%" PRIx32 " lies at 0x%" PRIx64 ", where there is no memory",
                     format->name, index, at);
    struct wt_gtt_level *level = &walk->level[walk->level_count++];
    const uint64_t entry = wt_load_le(raw, format->bytes);
    *level = (struct wt_gtt_level){
        .name = format->name,
        .index = index,
        .at = at,
        .bytes = format->bytes,
        .entry = entry,
        .address = (entry & format->low) | (entry & format->high) << 28,
    };
    format->describe(entry, level->flags, sizeof level->flags);
    if (!(entry & PRESENT))
        return fault(walk, "%s 0x%" PRIx32 " at 0x%" PRIx64 " is 0x%" PRIx64 ": not valid (bit 0)",
                     format->name, index, at, entry);
    return true;
}

static void page_size(char *text, size_t size, uint64_t bytes)
{
    const char units[] = {'K', 'M', 'G'};
    unsigned unit = 0;
    for (bytes >>= 10; bytes >= 1024; bytes >>= 10)
        unit++;
    snprintf(text, size, "%" PRIu64 " %ciB", bytes, units[unit]);
}

/* The last entry read maps a page of @p bytes. */
static void mapped(struct wt_gtt_walk *walk, uint64_t address, uint64_t bytes, const char *access)
{
    struct wt_gtt_level *leaf = &walk->level[walk->level_count - 1];
    char size[24];
    leaf->address &= ~(bytes - 1); /* low bits of a large page's entry are flags */
    page_size(size, sizeof size, bytes);
    walk->mapped = true;
    walk->page_bytes = bytes;
    walk->physical = leaf->address | (address & (bytes - 1));
    snprintf(walk->attributes, sizeof walk->attributes, "%s page%s%s", size, *access ? ", " : "",
             access);
}

/* The flags of a leaf, as describe() writes them, behind "valid". */
static const char *beside_valid(const struct wt_gtt_level *leaf)
{
    const char *comma = strstr(leaf->flags, ", ");
    return comma ? comma + 2 : "";
}

static void walk_flat(const struct wt_gtt *gtt, const struct format *format, wt_gtt_read *read,
                      void *context, uint64_t address, struct wt_gtt_walk *walk)
{
    const uint64_t count = gtt->bytes / format->bytes;
    if (address >> 12 >= count) {
        fault(walk,
              "entry 0x%" PRIx64 " is beyond the table: %" PRIu64 " bytes hold %" PRIu64
              " entries, for addresses below 0x%" PRIx64,
              address >> 12, gtt->bytes, count, count << 12);
        return;
    }
    if (step(walk, format, gtt->root[0], (uint32_t)(address >> 12), read, context))
        mapped(walk, address, 4096, beside_valid(&walk->level[0]));
}

static void walk_gen6(const struct wt_gtt *gtt, wt_gtt_read *read, void *context, uint64_t address,
                      struct wt_gtt_walk *walk)
{
    if (address >> 31) {
        fault(walk,
              "PDE 0x%" PRIx64 " is beyond the directory: 512 entries map addresses below 2 GiB",
              address >> 22);
        return;
    }
    if (step(walk, &gen6_directory, gtt->root[0], (uint32_t)(address >> 22), read, context) &&
        step(walk, flat_format(gtt), walk->level[0].address, address >> 12 & 0x3ff, read, context))
        mapped(walk, address, 4096, beside_valid(&walk->level[1]));
}

/* The levels from `top` (3: PML4E) down. */
static void walk_gen8_tree(uint64_t table, unsigned top, wt_gtt_read *read, void *context,
                           uint64_t address, struct wt_gtt_walk *walk)
{
    bool writable = true, pages_64k = false;
    for (unsigned depth = top;; depth--) {
        const unsigned shift = 12 + 9 * depth;
        uint32_t index = address >> shift & 0x1ff;
        if (!depth && pages_64k)
            index &= ~UINT32_C(15); /* the hardware reads one of the 16 entries of a page */
        if (!step(walk, &gen8_level[depth], table, index, read, context))
            return;
        const struct wt_gtt_level *level = &walk->level[walk->level_count - 1];
        writable &= (level->entry & GEN8_WRITABLE) != 0;
        const bool leaf = !depth || level->entry & GEN8_PS;
        if (leaf && depth == 3) {
            fault(walk,
                  "PML4E 0x%" PRIx32 " at 0x%" PRIx64 " has PS (bit 7), which is reserved there",
                  level->index, level->at);
            return;
        }
        if (leaf) {
            char access[80];
            struct gen_words w = {access, sizeof access, 0};
            word(&w, writable ? "writable" : "read-only");
            ppat(&w, level->entry, level->entry & (depth ? GEN8_LARGE_PAT : GEN8_PAT));
            mapped(walk, address, !depth && pages_64k ? 65536 : (uint64_t)1 << shift, access);
            return;
        }
        pages_64k = depth == 1 && level->entry & GEN8_PDE_IPS;
        table = level->address;
    }
}

static void walk_gen8_32(const struct wt_gtt *gtt, wt_gtt_read *read, void *context,
                         uint64_t address, struct wt_gtt_walk *walk)
{
    const unsigned index = (unsigned)(address >> 30);
    if (address >> 32) {
        fault(walk, "the address has more than the 32 bits that this table translates");
        return;
    }
    if (index >= gtt->root_count) {
        fault(walk, "PDP%u is not known: the table has %u root%s", index, gtt->root_count,
              wt_plural(gtt->root_count));
        return;
    }
    walk->level[walk->level_count++] = (struct wt_gtt_level){
        .name = "PDP",
        .index = index,
        .in_register = true,
        .bytes = 8,
        .entry = gtt->root[index],
        .address = gtt->root[index],
    };
    walk_gen8_tree(gtt->root[index], 1, read, context, address, walk);
}

void wt_gtt_walk(const struct wt_gtt *gtt, wt_gtt_read *read, void *context, uint64_t address,
                 struct wt_gtt_walk *walk)
{
    assert(read);
    *walk = (struct wt_gtt_walk){0};
    if (!gtt->enabled)
        fault(walk, "the table is off: bit 0 of %s is 0",
              gtt->kind == WT_GTT_GLOBAL ? "PGTBL_CTL" : "PGTBL_CTL2");
    else if (gtt->gen < 6)
        walk_flat(gtt, &gen4, read, context, address, walk);
    else if (gtt->kind == WT_GTT_GLOBAL)
        walk_flat(gtt, gtt->gen < 8 ? flat_format(gtt) : &gen8_global, read, context, address,
                  walk);
    else if (gtt->gen < 8)
        walk_gen6(gtt, read, context, address, walk);
    else if (gtt->kind == WT_GTT_PROCESS32)
        walk_gen8_32(gtt, read, context, address, walk);
    else if (address >> 48)
        fault(walk, "the address has more than the 48 bits that this table translates");
    else
        walk_gen8_tree(gtt->root[0], 3, read, context, address, walk);
    assert(walk->mapped != (walk->fault[0] != 0));
}

void wt_gtt_print(FILE *out, const char *indent, const struct wt_gtt_walk *walk, uint64_t address)
{
    for (unsigned i = 0; i < walk->level_count; i++) {
        const struct wt_gtt_level *l = &walk->level[i];
        fprintf(out, "%s%-5s ", indent, l->name);
        if (l->in_register)
            fprintf(out, "%5" PRIu32 "  0x%" PRIx64 "\n", l->index, l->entry);
        else
            fprintf(out, "0x%03" PRIx32 "  at 0x%" PRIx64 ": 0x%0*" PRIx64 "  0x%" PRIx64 ", %s\n",
                    l->index, l->at, (int)l->bytes * 2, l->entry, l->address, l->flags);
    }
    if (walk->mapped)
        fprintf(out, "%s0x%" PRIx64 " -> 0x%" PRIx64 "  %s\n", indent, address, walk->physical,
                walk->attributes);
    else
        fprintf(out, "%s0x%" PRIx64 ": fault: %s\n", indent, address, walk->fault);
}

enum wt_status wt_gtt_check(const struct wt_gtt *gtt, struct wt_error *err)
{
    if (gtt->gen < 4 || gtt->gen > 9)
        return wt_fail(err, WT_INVALID, "gen%u is not known: gen4 to gen9 are", gtt->gen);
    if (gtt->variant != WT_GTT_PLAIN && gtt->gen != 7)
        return wt_fail(err, WT_INVALID, "Haswell and Bay Trail are variants of gen7, not of gen%u",
                       gtt->gen);
    if (gtt->kind == WT_GTT_PROCESS48 && gtt->gen < 8)
        return wt_fail(err, WT_INVALID,
                       "gen%u has no table of 48-bit addresses: gen8 and gen9 have", gtt->gen);
    if (!gtt->root_count)
        return wt_fail(err, WT_INVALID, "the physical address of the table is not known");
    const unsigned most = gtt->gen >= 8 && gtt->kind == WT_GTT_PROCESS32 ? 4 : 1;
    if (gtt->root_count > most)
        return wt_fail(err, WT_INVALID, "this table has %s, not %u",
                       most == 1 ? "one root" : "four roots, PDP0 to PDP3", gtt->root_count);
    for (unsigned i = 0; i < gtt->root_count; i++)
        if (gtt->root[i] & 0xfff)
            return wt_fail(err, WT_INVALID,
                           "a table begins at a page: 0x%" PRIx64 " is not a multiple of 4096",
                           gtt->root[i]);
    return WT_OK;
}

/* The report on the driver's buffer objects, in the words and columns of linux. */
#include "runtime/i915/gem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where sizes are mixed: "2M, 64K, 4K", or "M" for a single mapping. */
static const char *page_sizes_text(uint32_t sizes, bool list, char *text, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } known[] = {{WT_GEM_PAGE_2M, "2M"}, {WT_GEM_PAGE_64K, "64K"}, {WT_GEM_PAGE_4K, "4K"}};
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (sizes == known[i].bit)
            return known[i].name;
        if (sizes & known[i].bit)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", known[i].name);
    }
    assert(used < size);
    return sizes && !list ? "M" : text;
}

static const char *cache_text(enum wt_gem_cache cache, bool has_llc)
{
    switch (cache) {
    case WT_GEM_CACHE_LLC:
        return has_llc ? " LLC" : " snooped";
    case WT_GEM_CACHE_L3_LLC:
        return " L3+LLC";
    case WT_GEM_CACHE_WT:
        return " WT";
    case WT_GEM_CACHE_NONE:
        break;
    }
    return " uncached";
}

static void describe_planes(FILE *out, const char *word, const struct wt_gem_plane planes[2])
{
    fprintf(out, ", %s [", word);
    for (unsigned i = 0; i < 2; i++)
        fprintf(out, "%s(%" PRIu32 "x%" PRIu32 ", stride=%" PRIu32 ", offset=%" PRIu32 ")",
                i ? ", " : "", planes[i].width, planes[i].height, planes[i].stride,
                planes[i].offset);
    fputc(']', out);
}

static void describe_view(FILE *out, const struct wt_gem_vma *vma, enum wt_gem_format format)
{
    switch (vma->view) {
    case WT_GEM_VIEW_NORMAL:
        fputs(", normal", out);
        break;
    case WT_GEM_VIEW_PARTIAL:
        fprintf(out, ", partial [%08" PRIx64 "+%" PRIx32 "]", vma->partial_offset,
                vma->partial_size);
        break;
    case WT_GEM_VIEW_ROTATED:
        describe_planes(out, "rotated", vma->planes);
        break;
    case WT_GEM_VIEW_REMAPPED:
        if (format == WT_GEM_5_2) /* earlier drivers do not know it, and print nothing */
            describe_planes(out, "remapped", vma->planes);
        break;
    }
}

static void describe_vmas(FILE *out, const struct wt_gem_object *object, enum wt_gem_format format)
{
    for (size_t i = 0; i < object->vma_count; i++) {
        const struct wt_gem_vma *vma = &object->vmas[i];
        char pages[32];
        fprintf(out, " (%sgtt offset: %08" PRIx64 ", size: %08" PRIx64, vma->global ? "g" : "pp",
                vma->start, vma->size);
        if (format != WT_GEM_4_14)
            fprintf(out, ", pages: %s",
                    page_sizes_text(vma->page_sizes, false, pages, sizeof pages));
        if (vma->global)
            describe_view(out, vma, format);
        if (vma->fence >= 0)
            fprintf(out, " , fence: %" PRId32 "%s", vma->fence, vma->fence_active ? "*" : "");
        fputc(')', out);
    }
}

void wt_gem_describe(FILE *out, const struct wt_gem_object *object, bool has_llc,
                     enum wt_gem_format format)
{
    static const char tilings[] = {' ', 'X', 'Y'};
    fprintf(out, "%016" PRIx64 ": ", object->object);
    if (format != WT_GEM_5_2)
        fputc(object->active ? '*' : ' ', out);
    fprintf(out, "%c%c%c%c %8" PRIu64 "KiB %02" PRIx32 " %02" PRIx32 " %s%s%s",
            object->pin_global ? 'p' : ' ', tilings[object->tiling],
            object->userfault_count ? 'g' : ' ', object->mapped ? 'M' : ' ', object->size / 1024,
            object->read_domains, object->write_domain, cache_text(object->cache, has_llc),
            object->dirty ? " dirty" : "", object->purgeable ? " purgeable" : "");
    if (object->name)
        fprintf(out, " (name: %" PRId32 ")", object->name);
    if (format == WT_GEM_5_2)
        describe_vmas(out, object, format);
    fprintf(out, " (pinned x %" PRIu32 ")", object->pinned);
    if (format != WT_GEM_5_2) {
        if (object->pin_global)
            fputs(" (global)", out);
        describe_vmas(out, object, format);
    }
    if (object->is_stolen)
        fprintf(out, " (stolen: %08" PRIx64 ")", object->stolen);
    if (format == WT_GEM_5_2 && object->pin_global)
        fputs(" (global)", out);
    if (object->engine[0])
        fprintf(out, " (%s)", object->engine);
    if (object->frontbuffer)
        fprintf(out, " (frontbuffer: 0x%03" PRIx32 ")", object->frontbuffer);
}

/* ---- summary ---- */

struct sum {
    uint64_t count, bytes;
};

static void add(struct sum *sum, const struct wt_gem_object *object)
{
    sum->count++;
    sum->bytes += object->size;
}

static void print_sum(FILE *out, const struct sum *sum, const char *what)
{
    fprintf(out, "%" PRIu64 " %s, %" PRIu64 " bytes\n", sum->count, what, sum->bytes);
}

static void print_owner(FILE *out, const struct wt_gem_owner *owner)
{
    if (owner->objects)
        fprintf(out,
                "%s: %" PRIu64 " objects, %" PRIu64 " bytes (%" PRIu64 " active, %" PRIu64
                " inactive, %" PRIu64 " global, %" PRIu64 " shared, %" PRIu64 " unbound)\n",
                owner->name, owner->objects, owner->bytes, owner->active, owner->inactive,
                owner->global, owner->shared, owner->unbound);
}

static void print_owners(FILE *out, const struct wt_gem_state *state, bool processes_first)
{
    print_owner(out, &state->batch_pool);
    if (!processes_first)
        print_owner(out, &state->contexts);
    for (size_t i = 0; i < state->process_count; i++)
        print_owner(out, &state->processes[i]);
    if (processes_first)
        print_owner(out, &state->contexts);
}

/* The counts of linux 4.14 to 4.17. */
static void print_counts(FILE *out, const struct wt_gem_state *state, enum wt_gem_format format)
{
    struct sum all = {0}, unbound = {0}, bound = {0}, purgeable = {0}, mapped = {0}, huge = {0},
               display = {0};
    uint32_t huge_sizes = 0;
    char text[32];
    for (size_t i = 0; i < state->object_count; i++) {
        const struct wt_gem_object *object = &state->objects[i];
        add(&all, object);
        add(object->vma_count ? &bound : &unbound, object);
        if (object->vma_count && object->pin_global)
            add(&display, object);
        if (object->purgeable)
            add(&purgeable, object);
        if (object->mapped)
            add(&mapped, object);
        if (object->page_sizes > WT_GEM_PAGE_4K) {
            add(&huge, object);
            huge_sizes |= object->page_sizes;
        }
    }
    print_sum(out, &all, "objects");
    print_sum(out, &unbound, "unbound objects");
    print_sum(out, &bound, "bound objects");
    print_sum(out, &purgeable, "purgeable objects");
    print_sum(out, &mapped, "mapped objects");
    if (format != WT_GEM_4_14)
        fprintf(out, "%" PRIu64 " huge-paged objects (%s) %" PRIu64 " bytes\n", huge.count,
                page_sizes_text(huge_sizes, true, text, sizeof text), huge.bytes);
    print_sum(out, &display, "display objects (globally pinned)");
}

void wt_gem_summary(FILE *out, const struct wt_gem_state *state, enum wt_gem_format format)
{
    char text[32];
    if (format == WT_GEM_5_2) {
        struct sum shrinkable = {0};
        for (size_t i = 0; i < state->object_count; i++)
            if (!state->objects[i].is_stolen) /* stolen memory cannot be given back */
                add(&shrinkable, &state->objects[i]);
        print_sum(out, &shrinkable, "shrinkable objects");
        fputc('\n', out);
        print_owners(out, state, true);
        return;
    }
    print_counts(out, state, format);
    if (!state->has_totals)
        return;
    fprintf(out, "%" PRIu64 " [0x%016" PRIx64 "] gtt total\n", state->gtt_total,
            state->mappable_end);
    if (format != WT_GEM_4_14)
        fprintf(out, "Supported page sizes: %s\n",
                page_sizes_text(state->page_sizes, true, text, sizeof text));
    fputc('\n', out);
    print_owners(out, state, false);
}

/* ---- lists ---- */

static int by_stolen_place(const void *a, const void *b)
{
    const struct wt_gem_object *const *x = a, *const *y = b;
    return ((*x)->stolen > (*y)->stolen) - ((*x)->stolen < (*y)->stolen);
}

static uint64_t global_bytes(const struct wt_gem_object *object)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < object->vma_count; i++)
        bytes += object->vmas[i].global ? object->vmas[i].size : 0;
    return bytes;
}

enum wt_status wt_gem_list(FILE *out, const struct wt_gem_state *state, enum wt_gem_format format,
                           bool stolen, struct wt_error *err)
{
    size_t count = 0;
    uint64_t bytes = 0, global = 0;
    const struct wt_gem_object **listed = calloc(state->object_count + 1, sizeof *listed);
    if (!listed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < state->object_count; i++)
        if (stolen ? state->objects[i].is_stolen : state->objects[i].vma_count > 0)
            listed[count++] = &state->objects[i];
    if (stolen) {
        qsort(listed, count, sizeof *listed, by_stolen_place);
        fputs("Stolen:\n", out);
    }
    for (size_t i = 0; i < count; i++) {
        fputs("   ", out);
        wt_gem_describe(out, listed[i], state->has_llc, format);
        fputc('\n', out);
        bytes += listed[i]->size;
        global += global_bytes(listed[i]);
    }
    fprintf(out, "Total %zu objects, %" PRIu64 " bytes, %" PRIu64 " GTT size\n", count, bytes,
            global);
    free(listed);
    return WT_OK;
}

/* ---- in words ---- */

/* linux include/uapi/drm/i915_drm.h, I915_GEM_DOMAIN_*. */
static const char *const domain_names[] = {"CPU",         "RENDER", "SAMPLER", "COMMAND",
                                           "INSTRUCTION", "VERTEX", "GTT",     "WC"};

static void explain_domains(FILE *out, const char *what, uint32_t domains)
{
    bool first = true;
    fprintf(out, "      %02" PRIx32 "  %s: ", domains, what);
    if (!domains)
        fputs("none", out);
    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(domains >> bit & 1))
            continue;
        if (bit < sizeof domain_names / sizeof domain_names[0])
            fprintf(out, "%s%s", first ? "" : ", ", domain_names[bit]);
        else
            fprintf(out, "%sbit %u", first ? "" : ", ", bit);
        first = false;
    }
    fputc('\n', out);
}

void wt_gem_explain(FILE *out, const struct wt_gem_object *object, enum wt_gem_format format)
{
    if (object->active && format != WT_GEM_5_2)
        fputs("      *   the GPU uses it\n", out);
    if (object->pin_global)
        fputs("      p   pinned in the global table, for display\n", out);
    if (object->tiling)
        fprintf(out, "      %c   %c-tiled\n", object->tiling == WT_GEM_TILING_X ? 'X' : 'Y',
                object->tiling == WT_GEM_TILING_X ? 'X' : 'Y');
    if (object->userfault_count)
        fputs("      g   mapped to user space through the aperture\n", out);
    if (object->mapped)
        fputs("      M   mapped in the kernel\n", out);
    explain_domains(out, "caches that may hold a copy to read", object->read_domains);
    explain_domains(out, "cache that may hold newer data", object->write_domain);
}

void wt_gem_state_free(struct wt_gem_state *state)
{
    for (size_t i = 0; i < state->object_count; i++)
        free(state->objects[i].vmas);
    free(state->objects);
    free(state->processes);
    *state = (struct wt_gem_state){0};
}

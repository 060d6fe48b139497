/* A state of the driver's buffer objects, as the JSON that gem_state.c reads. It is written without
 * a library, since programs load the driver. */
#include <inttypes.h>

#include "runtime/i915/gem.h"

static void put_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
            putc('?', out); /* a program's name may be any bytes */
        else
            putc(*text, out);
    putc('"', out);
}

static void put_pages(FILE *out, const char *name, uint32_t set)
{
    const char *comma = "";
    fprintf(out, "\"%s\": [", name);
    for (unsigned bit = 0; bit < 32; bit++)
        if (set >> bit & 1) {
            fprintf(out, "%s%" PRIu32, comma, (uint32_t)1 << bit);
            comma = ", ";
        }
    fputs("]", out);
}

static void put_flag(FILE *out, const char *name, bool value)
{
    fprintf(out, ", \"%s\": %s", name, value ? "true" : "false");
}

static void put_planes(FILE *out, const struct wt_gem_vma *v)
{
    const unsigned count = v->planes[1].width ? 2 : 1;
    fputs(", \"planes\": [", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out,
                "%s{\"width\": %" PRIu32 ", \"height\": %" PRIu32 ", \"stride\": %" PRIu32
                ", \"offset\": %" PRIu32 "}",
                i ? ", " : "", v->planes[i].width, v->planes[i].height, v->planes[i].stride,
                v->planes[i].offset);
    fputs("]", out);
}

static void put_vma(FILE *out, const struct wt_gem_vma *v)
{
    static const char *const views[] = {"normal", "partial", "rotated", "remapped"};
    fprintf(out, "{\"start\": %" PRIu64 ", \"size\": %" PRIu64 ", ", v->start, v->size);
    put_pages(out, "pages", v->page_sizes);
    put_flag(out, "ggtt", v->global);
    put_flag(out, "active", v->active);
    if (v->global)
        fprintf(out, ", \"view\": \"%s\"", views[v->view]);
    if (v->global && v->view == WT_GEM_VIEW_PARTIAL)
        fprintf(out, ", \"offset\": %" PRIu64 ", \"length\": %" PRIu32, v->partial_offset,
                v->partial_size);
    if (v->global && v->view >= WT_GEM_VIEW_ROTATED)
        put_planes(out, v);
    if (v->fence >= 0) {
        fprintf(out, ", \"fence\": %" PRId32, v->fence);
        put_flag(out, "fence_active", v->fence_active);
    }
    fputs("}", out);
}

static void put_object(FILE *out, const struct wt_gem_object *o)
{
    static const char *const tilings[] = {"none", "X", "Y"};
    static const char *const caches[] = {"none", "LLC", "L3_LLC", "WT"};
    fprintf(out,
            "{\"object\": \"0x%" PRIx64 "\", \"size\": %" PRIu64 ", \"read_domains\": %" PRIu32
            ", \"write_domain\": %" PRIu32 ", \"tiling\": \"%s\", \"cache_level\": \"%s\"",
            o->object, o->size, o->read_domains, o->write_domain, tilings[o->tiling],
            caches[o->cache]);
    put_flag(out, "active", o->active);
    put_flag(out, "mapped", o->mapped);
    put_flag(out, "dirty", o->dirty);
    put_flag(out, "purgeable", o->purgeable);
    put_flag(out, "shared", o->shared);
    fprintf(out,
            ", \"pin_global\": %" PRIu32 ", \"userfault_count\": %" PRIu32 ", \"pinned\": %" PRIu32
            ", \"name\": %" PRId32 ", \"frontbuffer\": %" PRIu32 ", ",
            o->pin_global, o->userfault_count, o->pinned, o->name, o->frontbuffer);
    put_pages(out, "page_sizes", o->page_sizes);
    if (o->is_stolen)
        fprintf(out, ", \"stolen\": %" PRIu64, o->stolen);
    fputs(", \"engine\": ", out);
    put_string(out, o->engine);
    fputs(", \"vmas\": [", out);
    for (size_t i = 0; i < o->vma_count; i++) {
        fputs(i ? ", " : "", out);
        put_vma(out, &o->vmas[i]);
    }
    fputs("]}", out);
}

static void put_owner(FILE *out, const struct wt_gem_owner *o)
{
    fputs("{\"name\": ", out);
    put_string(out, o->name);
    fprintf(out,
            ", \"objects\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"active\": %" PRIu64
            ", \"inactive\": %" PRIu64 ", \"global\": %" PRIu64 ", \"shared\": %" PRIu64
            ", \"unbound\": %" PRIu64 "}",
            o->objects, o->bytes, o->active, o->inactive, o->global, o->shared, o->unbound);
}

void wt_gem_state_write(FILE *out, const struct wt_gem_state *s)
{
    fprintf(out, "{\"batch\": %" PRIu64 ", ", s->batch);
    if (s->has_totals)
        fprintf(out, "\"gtt_total\": %" PRIu64 ", ", s->gtt_total);
    fprintf(out, "\"mappable_end\": %" PRIu64 ", ", s->mappable_end);
    put_pages(out, "page_sizes", s->page_sizes);
    put_flag(out, "has_llc", s->has_llc);
    fputs(", \"batch_pool\": ", out);
    put_owner(out, &s->batch_pool);
    fputs(", \"contexts\": ", out);
    put_owner(out, &s->contexts);
    fputs(", \"processes\": [", out);
    for (size_t i = 0; i < s->process_count; i++) {
        fputs(i ? ", " : "", out);
        put_owner(out, &s->processes[i]);
    }
    fputs("], \"objects\": [", out);
    for (size_t i = 0; i < s->object_count; i++) {
        fputs(i ? ", " : "", out);
        put_object(out, &s->objects[i]);
    }
    fputs("]}\n", out);
}

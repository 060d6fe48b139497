/* A state of the driver's buffer objects, from JSON. */
#include <assert.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/i915/gem.h"

/* The types of fields. */
enum kind {
    FLAG,   /* bool */
    U32,    /* uint32_t; true and false count as 1 and 0 */
    U64,    /* uint64_t, also as a string "0x…" */
    I32,    /* int32_t */
    STRING, /* char[], its size in `size` */
    WORD,   /* an enum: the index in `words` */
    PAGES,  /* a set of page sizes: 4096, "64K" or an array of such */
};

struct field {
    const char *name;
    enum kind kind;
    size_t offset, size;
    const char *const *words;
};

#define FIELD(type, member, kind)                                                                  \
    {                                                                                              \
#member, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member), NULL     \
    }
#define FIELD_WORD(type, name, member, words)                                                      \
    {                                                                                              \
        name, WORD, offsetof(struct type, member), 0, words                                        \
    }

static const char *const tilings[] = {"none", "X", "Y", NULL};
static const char *const caches[] = {"none", "LLC", "L3_LLC", "WT", NULL};
static const char *const views[] = {"normal", "partial", "rotated", "remapped", NULL};

static const struct field object_fields[] = {
    FIELD(wt_gem_object, object, U64),
    FIELD(wt_gem_object, active, FLAG),
    FIELD(wt_gem_object, pin_global, U32),
    FIELD_WORD(wt_gem_object, "tiling", tiling, tilings),
    FIELD(wt_gem_object, userfault_count, U32),
    FIELD(wt_gem_object, mapped, FLAG),
    FIELD(wt_gem_object, size, U64),
    FIELD(wt_gem_object, read_domains, U32),
    FIELD(wt_gem_object, write_domain, U32),
    FIELD_WORD(wt_gem_object, "cache_level", cache, caches),
    FIELD(wt_gem_object, dirty, FLAG),
    FIELD(wt_gem_object, purgeable, FLAG),
    FIELD(wt_gem_object, name, I32),
    FIELD(wt_gem_object, pinned, U32),
    FIELD(wt_gem_object, shared, FLAG),
    {"page_sizes", PAGES, offsetof(struct wt_gem_object, page_sizes), 0, NULL},
    FIELD(wt_gem_object, engine, STRING),
    FIELD(wt_gem_object, frontbuffer, U32),
    {0},
};

static const struct field vma_fields[] = {
    {"ggtt", FLAG, offsetof(struct wt_gem_vma, global), 0, NULL},
    FIELD(wt_gem_vma, active, FLAG),
    FIELD(wt_gem_vma, start, U64),
    FIELD(wt_gem_vma, size, U64),
    {"pages", PAGES, offsetof(struct wt_gem_vma, page_sizes), 0, NULL},
    FIELD_WORD(wt_gem_vma, "view", view, views),
    {"offset", U64, offsetof(struct wt_gem_vma, partial_offset), 0, NULL},
    {"length", U32, offsetof(struct wt_gem_vma, partial_size), 0, NULL},
    FIELD(wt_gem_vma, fence, I32),
    FIELD(wt_gem_vma, fence_active, FLAG),
    {0},
};

static const struct field plane_fields[] = {
    FIELD(wt_gem_plane, width, U32),
    FIELD(wt_gem_plane, height, U32),
    FIELD(wt_gem_plane, stride, U32),
    FIELD(wt_gem_plane, offset, U32),
    {0},
};

static const struct field owner_fields[] = {
    FIELD(wt_gem_owner, name, STRING),
    FIELD(wt_gem_owner, objects, U64),
    FIELD(wt_gem_owner, bytes, U64),
    FIELD(wt_gem_owner, active, U64),
    FIELD(wt_gem_owner, inactive, U64),
    FIELD(wt_gem_owner, global, U64),
    FIELD(wt_gem_owner, shared, U64),
    FIELD(wt_gem_owner, unbound, U64),
    {0},
};

static const struct field state_fields[] = {
    FIELD(wt_gem_state, batch, U64),
    FIELD(wt_gem_state, gtt_total, U64),
    FIELD(wt_gem_state, mappable_end, U64),
    {"page_sizes", PAGES, offsetof(struct wt_gem_state, page_sizes), 0, NULL},
    FIELD(wt_gem_state, has_llc, FLAG),
    {0},
};

/* ---- values ---- */

static enum wt_status number(struct json_object *value, uint64_t most, uint64_t *result,
                             struct wt_error *err)
{
    enum wt_status status;
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        *result = json_object_get_boolean(value);
        break;
    case json_type_int:
        if (json_object_get_int64(value) < 0)
            return wt_fail(err, WT_INVALID, "%s is negative", json_object_get_string(value));
        *result = json_object_get_uint64(value);
        break;
    case json_type_string:
        if ((status = wt_parse_number(json_object_get_string(value), result, err)) != WT_OK)
            return status;
        break;
    default:
        return wt_fail(err, WT_INVALID, "a number is wanted, or \"0x…\"");
    }
    if (*result > most)
        return wt_fail(err, WT_INVALID, "%" PRIu64 " is more than %" PRIu64, *result, most);
    return WT_OK;
}

static enum wt_status page_size(struct json_object *value, uint32_t *set, struct wt_error *err)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } known[] = {{"4K", WT_GEM_PAGE_4K}, {"64K", WT_GEM_PAGE_64K}, {"2M", WT_GEM_PAGE_2M}};
    uint64_t bytes = 0;
    struct wt_error ignored;
    if (number(value, UINT32_MAX, &bytes, &ignored) != WT_OK)
        bytes = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (bytes == known[i].bit || (json_object_is_type(value, json_type_string) &&
                                      strcmp(json_object_get_string(value), known[i].name) == 0)) {
            *set |= known[i].bit;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID,
                   "a page size is \"4K\", \"64K\" or \"2M\", or an array of them");
}

static enum wt_status page_sizes(struct json_object *value, uint32_t *set, struct wt_error *err)
{
    enum wt_status status;
    if (!json_object_is_type(value, json_type_array)) {
        if (json_object_is_type(value, json_type_string) && !*json_object_get_string(value))
            return WT_OK;
        return page_size(value, set, err);
    }
    for (size_t i = 0; i < json_object_array_length(value); i++)
        if ((status = page_size(json_object_array_get_idx(value, i), set, err)) != WT_OK)
            return status;
    return WT_OK;
}

static enum wt_status word(struct json_object *value, const char *const *words, void *result,
                           struct wt_error *err)
{
    char all[80] = "";
    size_t used = 0;
    for (int i = 0; words[i]; i++) {
        if (json_object_is_type(value, json_type_string) &&
            strcmp(json_object_get_string(value), words[i]) == 0) {
            /* Each enum of the tables counts from 0 in the order of its words. */
            memcpy(result, &i, sizeof i);
            return WT_OK;
        }
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s\"%s\"", i ? ", " : "", words[i]);
    }
    return wt_fail(err, WT_INVALID, "one of %s is wanted", all);
}

static_assert(sizeof(enum wt_gem_tiling) == sizeof(int) &&
                  sizeof(enum wt_gem_cache) == sizeof(int) &&
                  sizeof(enum wt_gem_view) == sizeof(int),
              "word() stores an int");

static enum wt_status string(struct json_object *value, char *text, size_t size,
                             struct wt_error *err)
{
    if (!json_object_is_type(value, json_type_string))
        return wt_fail(err, WT_INVALID, "a string is wanted");
    if (strlen(json_object_get_string(value)) >= size)
        return wt_fail(err, WT_INVALID, "a string of at most %zu bytes is wanted", size - 1);
    strcpy(text, json_object_get_string(value));
    return WT_OK;
}

static enum wt_status signed_number(struct json_object *value, int32_t *result,
                                    struct wt_error *err)
{
    const int64_t n = json_object_get_int64(value);
    if (!json_object_is_type(value, json_type_int) || n < INT32_MIN || n > INT32_MAX)
        return wt_fail(err, WT_INVALID, "a number of 32 bits is wanted");
    *result = (int32_t)n;
    return WT_OK;
}

static enum wt_status take(const struct field *field, struct json_object *value, void *record,
                           struct wt_error *err)
{
    enum wt_status status = WT_OK;
    uint64_t n = 0;
    void *result = (char *)record + field->offset;
    switch (field->kind) {
    case FLAG:
        if ((status = number(value, UINT64_MAX, &n, err)) == WT_OK)
            *(bool *)result = n != 0;
        break;
    case U32:
        if ((status = number(value, UINT32_MAX, &n, err)) == WT_OK)
            *(uint32_t *)result = (uint32_t)n;
        break;
    case U64:
        if ((status = number(value, UINT64_MAX, &n, err)) == WT_OK)
            *(uint64_t *)result = n;
        break;
    case I32:
        status = signed_number(value, result, err);
        break;
    case STRING:
        status = string(value, result, field->size, err);
        break;
    case WORD:
        status = word(value, field->words, result, err);
        break;
    case PAGES:
        status = page_sizes(value, result, err);
        break;
    }
    return status == WT_OK ? WT_OK : wt_fail_in(err, "\"%s\"", field->name);
}

/* Fills *record from the members of @p json. Members that `extra` (a list ended by NULL) names are
 * left to the caller; another one is an error, so that a misspelt name is not ignored. null is as
 * if the member were not there. */
static enum wt_status fill(struct json_object *json, const struct field *fields,
                           const char *const *extra, void *record, struct wt_error *err)
{
    enum wt_status status;
    if (!json_object_is_type(json, json_type_object))
        return wt_fail(err, WT_INVALID, "{…} is wanted");
    json_object_object_foreach(json, name, value)
    {
        const struct field *field = fields;
        const char *const *e = extra;
        while (field->name && strcmp(field->name, name) != 0)
            field++;
        while (*e && strcmp(*e, name) != 0)
            e++;
        if (!field->name && !*e)
            return wt_fail(err, WT_INVALID, "\"%.60s\" is not known", name);
        if (field->name && value && (status = take(field, value, record, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* A member that is an array: its elements; 0 where it is missing. */
static enum wt_status array(struct json_object *json, const char *name, struct json_object **list,
                            size_t *count, struct wt_error *err)
{
    *count = 0;
    if (!json_object_object_get_ex(json, name, list) || !*list)
        return WT_OK;
    if (!json_object_is_type(*list, json_type_array))
        return wt_fail(err, WT_INVALID, "\"%s\": an array is wanted", name);
    *count = json_object_array_length(*list);
    return WT_OK;
}

/* ---- records ---- */

static enum wt_status take_vma(struct json_object *json, struct wt_gem_vma *vma,
                               struct wt_error *err)
{
    static const char *const extra[] = {"planes", NULL};
    enum wt_status status;
    struct json_object *planes;
    size_t count;
    vma->fence = -1;
    if ((status = fill(json, vma_fields, extra, vma, err)) != WT_OK ||
        (status = array(json, "planes", &planes, &count, err)) != WT_OK)
        return status;
    if (count > 2)
        return wt_fail(err, WT_INVALID, "\"planes\": a view has at most two");
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < count; i++)
        if ((status = fill(json_object_array_get_idx(planes, i), plane_fields, none,
                           &vma->planes[i], err)) != WT_OK)
            return wt_fail_in(err, "\"planes\"[%zu]", i);
    if ((count > 0) != (vma->view == WT_GEM_VIEW_ROTATED || vma->view == WT_GEM_VIEW_REMAPPED))
        return wt_fail(err, WT_INVALID,
                       "\"planes\" belong to a rotated or remapped view, which needs them");
    if (vma->view != WT_GEM_VIEW_NORMAL && !vma->global)
        return wt_fail(err, WT_INVALID, "\"view\": only mappings in the GGTT have views");
    return WT_OK;
}

/* "fence" of an object is that of its mapping in the GGTT, to which the driver gives it. */
static enum wt_status take_fence(struct json_object *json, struct wt_gem_object *object,
                                 struct wt_error *err)
{
    enum wt_status status;
    struct json_object *fence;
    size_t i = 0;
    int32_t number = -1;
    if (!json_object_object_get_ex(json, "fence", &fence) || !fence)
        return WT_OK;
    if ((status = signed_number(fence, &number, err)) != WT_OK)
        return wt_fail_in(err, "\"fence\"");
    while (i < object->vma_count && !object->vmas[i].global)
        i++;
    if (i < object->vma_count)
        object->vmas[i].fence = number;
    else if (number >= 0)
        return wt_fail(err, WT_INVALID, "\"fence\": no mapping is in the GGTT");
    return WT_OK;
}

static enum wt_status take_object(struct json_object *json, struct wt_gem_object *object,
                                  struct wt_error *err)
{
    static const char *const extra[] = {"vmas", "stolen", "fence", NULL};
    enum wt_status status;
    struct json_object *vmas, *stolen;
    size_t count;
    if ((status = fill(json, object_fields, extra, object, err)) != WT_OK ||
        (status = array(json, "vmas", &vmas, &count, err)) != WT_OK)
        return status;
    if (json_object_object_get_ex(json, "stolen", &stolen) && stolen) {
        if ((status = number(stolen, UINT64_MAX, &object->stolen, err)) != WT_OK)
            return wt_fail_in(err, "\"stolen\"");
        object->is_stolen = true;
    }
    object->vmas = calloc(count + 1, sizeof *object->vmas);
    if (!object->vmas)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    object->vma_count = count;
    for (size_t i = 0; i < count; i++)
        if ((status = take_vma(json_object_array_get_idx(vmas, i), &object->vmas[i], err)) != WT_OK)
            return wt_fail_in(err, "\"vmas\"[%zu]", i);
    return take_fence(json, object, err);
}

static enum wt_status take_objects(struct json_object *list, struct wt_gem_state *state,
                                   struct wt_error *err)
{
    enum wt_status status;
    const size_t count = json_object_array_length(list);
    state->objects = calloc(count + 1, sizeof *state->objects);
    if (!state->objects)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    state->object_count = count;
    for (size_t i = 0; i < count; i++)
        if ((status = take_object(json_object_array_get_idx(list, i), &state->objects[i], err)) !=
            WT_OK)
            return wt_fail_in(err, "object %zu", i);
    return WT_OK;
}

static enum wt_status take_owner(struct json_object *json, const char *member, const char *name,
                                 struct wt_gem_owner *owner, struct wt_error *err)
{
    static const char *const none[] = {NULL};
    struct json_object *value;
    if (!json_object_object_get_ex(json, member, &value) || !value)
        return WT_OK;
    strcpy(owner->name, name);
    return fill(value, owner_fields, none, owner, err) == WT_OK ? WT_OK
                                                                : wt_fail_in(err, "\"%s\"", member);
}

static enum wt_status take_state(struct json_object *json, struct wt_gem_state *state,
                                 struct wt_error *err)
{
    static const char *const extra[] = {"objects", "processes", "contexts", "batch_pool", NULL};
    static const char *const none[] = {NULL};
    enum wt_status status;
    struct json_object *list;
    size_t count;
    if ((status = fill(json, state_fields, extra, state, err)) != WT_OK ||
        (status = take_owner(json, "batch_pool", "[k]batch pool", &state->batch_pool, err)) !=
            WT_OK ||
        (status = take_owner(json, "contexts", "[k]contexts", &state->contexts, err)) != WT_OK ||
        (status = array(json, "processes", &list, &count, err)) != WT_OK)
        return status;
    state->has_totals = json_object_object_get(json, "gtt_total") != NULL;
    state->processes = calloc(count + 1, sizeof *state->processes);
    if (!state->processes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    state->process_count = count;
    for (size_t i = 0; i < count; i++) {
        strcpy(state->processes[i].name, "<unknown>");
        if ((status = fill(json_object_array_get_idx(list, i), owner_fields, none,
                           &state->processes[i], err)) != WT_OK)
            return wt_fail_in(err, "\"processes\"[%zu]", i);
    }
    if ((status = array(json, "objects", &list, &count, err)) != WT_OK)
        return status;
    return count ? take_objects(list, state, err) : WT_OK;
}

enum wt_status wt_gem_state_parse(const char *json, size_t length, struct wt_gem_state *state,
                                  struct wt_error *err)
{
    enum wt_status status;
    *state = (struct wt_gem_state){.has_llc = true};
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener || length > INT32_MAX) {
        json_tokener_free(tokener);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    struct json_object *root = json_tokener_parse_ex(tokener, json, (int)length);
    size_t at = json_tokener_get_parse_end(tokener);
    if (json_tokener_get_error(tokener) == json_tokener_continue) { /* a number may go on: end it */
        root = json_tokener_parse_ex(tokener, "", 1);
        at = length;
    }
    const enum json_tokener_error wrong = json_tokener_get_error(tokener);
    json_tokener_free(tokener);
    if (wrong != json_tokener_success)
        return wt_fail(err, WT_INVALID, "not JSON: %s at byte %zu", json_tokener_error_desc(wrong),
                       at);
    if (json_object_is_type(root, json_type_array))
        status = take_objects(root, state, err);
    else if (json_object_is_type(root, json_type_object))
        status = take_state(root, state, err);
    else
        status = wt_fail(err, WT_INVALID, "an array of objects is wanted, or {\"objects\": […]}");
    json_object_put(root);
    if (status != WT_OK)
        wt_gem_state_free(state);
    return status;
}

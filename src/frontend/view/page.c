/* The page as a file. A recording in it is packed: values of lanes go into columns, in which each
 * is beside the one before it in time, and the whole is compressed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "frontend/dap/json.h"
#include "frontend/view/view.h"

static struct json_object *member(struct json_object *o, const char *name)
{
    struct json_object *value = NULL;
    return o && json_object_object_get_ex(o, name, &value) ? value : NULL;
}

static struct json_object *element(struct json_object *list, size_t i)
{
    return list ? json_object_array_get_idx(list, i) : NULL;
}

/* A wave of the recording, and its number in the list. */
struct numbered {
    uint64_t id;
    size_t number;
};

static int by_id(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : x->number < y->number ? -1 : 1;
}

/* Puts the waves of one id together, in the order of time. False: no host memory. */
static bool sort_waves(struct json_object *recording)
{
    struct json_object *waves = member(recording, "waves"), *frames = member(recording, "frames");
    const size_t count = json_object_array_length(waves);
    struct numbered *order = calloc(count + 1, sizeof *order);
    int64_t *to = calloc(count + 1, sizeof *to);
    struct json_object *sorted = json_object_new_array();
    if (!order || !to || !sorted) {
        free(order);
        free(to);
        json_object_put(sorted);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const char *id = json_object_get_string(member(element(waves, i), "id"));
        order[i] = (struct numbered){id ? strtoull(id, NULL, 10) : 0, i};
    }
    qsort(order, count, sizeof *order, by_id);
    for (size_t i = 0; i < count; i++) {
        to[order[i].number] = (int64_t)i;
        json_object_array_add(sorted, json_object_get(element(waves, order[i].number)));
    }
    for (size_t i = 0; i < json_object_array_length(frames); i++) {
        struct json_object *list = member(element(frames, i), "waves");
        for (size_t k = 0; k < json_object_array_length(list); k++)
            json_object_set_int64(element(list, k), to[json_object_get_int64(element(list, k))]);
    }
    json_object_object_add(recording, "waves", sorted);
    free(order);
    free(to);
    return true;
}

/* Adds what expression @p expression has in one lane of waves from @p first to before @p end, those
 * that have a value for each lane: 0 stands for the one before. */
static void add_lane(struct json_object *columns, struct json_object *waves, size_t first,
                     size_t end, size_t expression, size_t lane)
{
    struct json_object *column = json_object_new_array();
    const char *before = NULL;
    for (size_t i = first; i < end; i++) {
        struct json_object *each =
            member(element(member(element(waves, i), "values"), expression), "each");
        const char *text = each ? json_object_get_string(element(each, lane)) : NULL;
        if (!each)
            continue;
        json_object_array_add(column, before && text && strcmp(before, text) == 0
                                          ? json_object_new_int(0)
                                          : json_object_get(element(each, lane)));
        before = text;
    }
    json_object_array_add(columns, column);
}

/* Takes the values of each lane out of the waves of one id; in their place stands 0. */
static void take_values(struct json_object *columns, struct json_object *waves, size_t first,
                        size_t end, size_t expressions)
{
    const size_t lanes = (size_t)json_object_get_int64(member(element(waves, first), "lanes"));
    for (size_t e = 0; e < expressions; e++) {
        for (size_t lane = 0; lane < lanes; lane++)
            add_lane(columns, waves, first, end, e, lane);
        for (size_t i = first; i < end; i++) {
            struct json_object *values = member(element(waves, i), "values");
            if (values && member(element(values, e), "each"))
                json_object_array_put_idx(values, e, json_object_new_int(0));
        }
    }
}

static void put_columns(struct json_object *recording)
{
    struct json_object *waves = member(recording, "waves"), *columns = json_object_new_array();
    const size_t count = json_object_array_length(waves);
    const size_t expressions = json_object_array_length(member(recording, "expressions"));
    for (size_t first = 0, end; first < count; first = end) {
        const char *id = json_object_get_string(member(element(waves, first), "id"));
        for (end = first + 1; end < count; end++)
            if (strcmp(id, json_object_get_string(member(element(waves, end), "id"))) != 0)
                break;
        take_values(columns, waves, first, end, expressions);
    }
    json_object_object_add(recording, "columns", columns);
}

/* Takes the counts of lines that a frame has as the one before it out of it; in their place stands
 * 0. */
static void take_counts(struct json_object *frames)
{
    for (size_t i = json_object_array_length(frames); i-- > 1;) {
        struct json_object *list = member(element(frames, i), "counts");
        struct json_object *before = member(element(frames, i - 1), "counts");
        for (size_t k = list ? json_object_array_length(list) : 0; k--;)
            if (json_object_equal(element(list, k), element(before, k)))
                json_object_array_put_idx(list, k, json_object_new_int(0));
    }
}

bool wt_view_write_page(FILE *out, struct json_object *recording)
{
    char *packed = NULL;
    if (recording) {
        if (!sort_waves(recording))
            return false;
        put_columns(recording);
        take_counts(member(recording, "frames"));
        size_t length;
        const char *text =
            json_object_to_json_string_length(recording, JSON_C_TO_STRING_PLAIN, &length);
        uLongf size = compressBound(length);
        uint8_t *bytes = text ? malloc(size) : NULL;
        if (bytes && compress2(bytes, &size, (const Bytef *)text, length, 6) == Z_OK)
            packed = dap_base64(bytes, size);
        free(bytes);
        if (!packed)
            return false;
    }
    fwrite(wt_view_before, 1, wt_view_before_size, out);
    fputs(packed ? packed : "", out);
    fwrite(wt_view_behind, 1, wt_view_behind_size, out);
    free(packed);
    return true;
}

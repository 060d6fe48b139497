/*
 * The children of values: parts of structures, arrays and vectors, what pointers lead to, and why
 * there is none, in all lanes of a wave. Types are made by hand, and by expressions on the C++
 * program of the fuzz targets (PROGRAM): one warp of four threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "debug/source/source.h"
#include "target/emulated.h"

#define TEXT 0x80000000u /* where the program lies */
#define COUNT(x) (sizeof(x) / sizeof(x)[0])

static const struct wt_type unsigned_int = {.kind = WT_TYPE_INT, .name = "unsigned", .size = 4};
static const struct wt_type byte = {.kind = WT_TYPE_INT, .name = "byte", .size = 1};

struct rig {
    struct wt_emulated_options options;
    struct wt_emulated e;
    struct wt_source *source;
    struct wt_view view;
};

static struct rig *rig_new(void)
{
    struct wt_error err = {0};
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->options = (struct wt_emulated_options){.memory = (uint64_t)16 << 20};
    assert_int_equal(wt_gpu_choose(&r->options.gpu, "vortex:warps=2,threads=4", &err), WT_OK);
    assert_int_equal(wt_emulated_open(&r->e, &r->options, PROGRAM, &err), WT_OK);
    assert_int_equal(wt_emulated_debug(&r->e, NULL, NULL, &err), WT_OK);
    assert_non_null(r->source = wt_source_new(r->e.debugger, r->e.modules));
    r->view =
        (struct wt_view){.source = r->source, .thread = wt_debugger_current_thread(r->e.debugger)};
    assert_true(r->view.thread != 0);
    r->view.frames = wt_frames_new(r->e.debugger, r->e.modules, r->view.thread);
    r->view.frame = wt_frames_get(r->view.frames, 0);
    return r;
}

static void rig_free(struct rig *r)
{
    wt_frames_free(r->view.frames);
    wt_source_free(r->source);
    wt_debugger_close(r->e.debugger);
    wt_emulated_close(&r->e);
    wt_gpu_free(&r->options.gpu);
    free(r);
}

static struct wt_values evaluate(struct rig *r, const char *text)
{
    struct wt_values v;
    struct wt_error err = {0};
    if (wt_source_evaluate(&r->view, text, &v, &err) != WT_OK)
        fail_msg("%s: %s", text, err.text);
    return v;
}

static struct wt_value_child child_of(struct rig *r, const struct wt_values *v, uint64_t index)
{
    struct wt_value_child child;
    struct wt_error err = {0};
    assert_int_equal(wt_value_child(&r->view, v, index, &child, &err), WT_OK);
    assert_int_equal(child.values.lane_count, v->lane_count);
    return child;
}

/* What is printed of a child in one lane. */
static void assert_child(struct rig *r, const struct wt_values *v, uint64_t index, unsigned k,
                         const char *name, const char *wanted)
{
    static const struct wt_format format = {.letter = 0};
    struct wt_value_child child = child_of(r, v, index);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    wt_values_print(out, &r->view, &child.values, k, &format);
    fclose(out);
    if (name)
        assert_string_equal(child.name, name);
    else
        assert_null(child.name);
    assert_string_equal(text, wanted);
    free(text);
    wt_values_free(&child.values);
}

/* Values of lanes 0 to 2 that are not of the program. */
struct by_hand {
    struct wt_values values;
    uint8_t state[3];
    uint64_t address[3];
};

static void make(struct by_hand *h, const struct wt_type *type, const void *bytes, uint64_t size)
{
    *h = (struct by_hand){.values = {.type = type, .lanes = 7, .lane_count = 3, .reg = -1}};
    h->values.size = size;
    h->values.bytes = (uint8_t *)(uintptr_t)bytes;
    h->values.state = h->state;
    h->values.address = h->address;
}

static void structures_have_members_bases_and_bit_fields(void **state)
{
    struct wt_member base_member[] = {{.name = "tag", .type = &byte}};
    const struct wt_type base = {.kind = WT_TYPE_STRUCT,
                                 .name = "base",
                                 .size = 1,
                                 .member = base_member,
                                 .member_count = 1,
                                 .read = true};
    struct wt_member union_member[] = {{.name = "b", .type = &byte},
                                       {.name = "w", .type = &unsigned_int}};
    const struct wt_type either = {
        .kind = WT_TYPE_UNION, .size = 4, .member = union_member, .member_count = 2, .read = true};
    struct wt_member member[] = {
        {.type = &base, .is_base = true},
        {.name = "low", .type = &byte, .offset = 1, .bit_size = 3},
        {.name = "high", .type = &byte, .offset = 1, .bit_offset = 3, .bit_size = 5},
        {.type = &either, .offset = 4},
        {.name = "beyond", .type = &unsigned_int, .offset = 6},
    };
    const struct wt_type type = {.kind = WT_TYPE_STRUCT,
                                 .name = "whole",
                                 .size = 8,
                                 .member = member,
                                 .member_count = COUNT(member),
                                 .read = true};
    static const uint8_t bytes[3][8] = {
        {7, 0xfa, 0, 0, 1, 2, 0, 0}, {8, 0x09, 0, 0, 3, 0, 0, 0}, {9}};
    struct by_hand h;
    struct rig *r = rig_new();
    (void)state;
    make(&h, &type, bytes, 8);
    h.state[2] = WT_VALUE_LOST;
    assert_int_equal(wt_value_child_count(&h.values), COUNT(member));
    assert_child(r, &h.values, 0, 0, "base", "{tag = 7}");
    assert_child(r, &h.values, 0, 1, "base", "{tag = 8}");
    assert_child(r, &h.values, 0, 2, "base", "<optimized out>");
    assert_child(r, &h.values, 1, 0, "low", "2");
    assert_child(r, &h.values, 2, 0, "high", "31");
    assert_child(r, &h.values, 2, 1, "high", "1");
    assert_child(r, &h.values, 3, 0, NULL, "{b = 1, w = 513}");
    assert_child(r, &h.values, 4, 1, "beyond", "<error: The debug information is damaged>");
    struct wt_value_child field = child_of(r, &h.values, 1);
    assert_int_equal(field.kind, WT_CHILD_MEMBER);
    assert_int_equal(wt_value_child_count(&field.values), 0);
    wt_values_free(&field.values);
    struct wt_value_child none;
    struct wt_error err;
    assert_int_equal(wt_value_child(&r->view, &h.values, COUNT(member), &none, &err), WT_INVALID);
    rig_free(r);
}

static void a_part_is_optimised_out_where_its_piece_is(void **state)
{
    struct wt_member member[] = {{.name = "a", .type = &unsigned_int},
                                 {.name = "b", .type = &unsigned_int, .offset = 4},
                                 {.name = "c", .type = &unsigned_int, .offset = 8}};
    const struct wt_type type = {.kind = WT_TYPE_STRUCT,
                                 .name = "pieces",
                                 .size = 12,
                                 .member = member,
                                 .member_count = COUNT(member),
                                 .read = true};
    static const uint32_t bytes[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    struct wt_value_piece piece[] = {{.end = 4}, {.end = 8, .state = {0, WT_VALUE_LOST}}};
    struct by_hand h;
    struct rig *r = rig_new();
    (void)state;
    make(&h, &type, bytes, 8);
    h.values.piece = piece;
    h.values.piece_count = COUNT(piece);
    h.state[1] = WT_VALUE_LOST;
    h.state[2] = WT_VALUE_NOT_HERE;
    assert_child(r, &h.values, 0, 0, "a", "1");
    assert_child(r, &h.values, 0, 1, "a", "3");
    assert_child(r, &h.values, 1, 0, "b", "2");
    assert_child(r, &h.values, 1, 1, "b", "<optimized out>");
    assert_child(r, &h.values, 0, 2, "a", "<not available here>");
    assert_child(r, &h.values, 2, 0, "c", "<optimized out>"); /* the location is too short */
    /* A structure that is larger than the one it is in, whose pieces have more bytes than it. */
    struct wt_member beyond = {.name = "whole", .type = &type};
    const struct wt_type small = {.kind = WT_TYPE_STRUCT,
                                  .name = "small",
                                  .size = 1,
                                  .member = &beyond,
                                  .member_count = 1,
                                  .read = true};
    static const uint8_t more[3][12] = {{1}};
    struct wt_value_piece wide[] = {{.end = 4}, {.end = 12}};
    make(&h, &small, more, 12);
    h.values.piece = wide;
    h.values.piece_count = COUNT(wide);
    assert_child(r, &h.values, 0, 0, "whole", "<error: The debug information is damaged>");
    rig_free(r);
}

static void elements_of_which_other_parts_are_there_are_not_equal(void **state)
{
    enum { PAIRS = 12 };
    struct wt_member member[] = {{.name = "a", .type = &byte},
                                 {.name = "b", .type = &byte, .offset = 1}};
    const struct wt_type pair = {.kind = WT_TYPE_STRUCT,
                                 .name = "pair",
                                 .size = 2,
                                 .member = member,
                                 .member_count = COUNT(member),
                                 .read = true};
    const struct wt_type array = {.kind = WT_TYPE_ARRAY,
                                  .target = &pair,
                                  .size = 2 * PAIRS,
                                  .count = PAIRS,
                                  .has_count = true};
    static const uint8_t zeros[3][2 * PAIRS];
    struct wt_value_piece piece[2 * PAIRS];
    const struct wt_format format = {.letter = 0};
    struct by_hand h;
    struct rig *r = rig_new();
    (void)state;
    make(&h, &array, zeros, 2 * PAIRS);
    for (unsigned i = 0; i < 2 * PAIRS; i++) /* of the last pair the other member is there */
        piece[i] = (struct wt_value_piece){
            .end = i + 1, .state = {i % 2 == (i / 2 < PAIRS - 1) ? WT_VALUE_LOST : WT_VALUE_GOOD}};
    h.values.piece = piece;
    h.values.piece_count = COUNT(piece);
    h.state[0] = WT_VALUE_LOST;
    char text[1000] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    wt_values_print(out, &r->view, &h.values, 0, &format);
    fclose(out);
    const char *end = strstr(text, "{a = <optimized out>, b = 0}");
    assert_non_null(end);
    assert_string_equal(end, "{a = <optimized out>, b = 0}}");
    rig_free(r);
}

static void arrays_are_paged_and_vectors_have_names(void **state)
{
    struct wt_type array = {.kind = WT_TYPE_ARRAY,
                            .target = &byte,
                            .size = 8,
                            .count = 8,
                            .has_count = true,
                            .lower = -2};
    static const uint8_t bytes[3][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {10, 11, 12}, {20}};
    struct by_hand h;
    struct rig *r = rig_new();
    (void)state;
    make(&h, &array, bytes, 8);
    h.values.in_memory = true;
    h.address[0] = 0x1000;
    assert_int_equal(wt_value_child_count(&h.values), 8);
    struct wt_value_child at = child_of(r, &h.values, 5);
    assert_int_equal(at.kind, WT_CHILD_ELEMENT);
    assert_int_equal(at.index, 3);
    assert_int_equal(at.values.bytes[0], 5);
    assert_int_equal(at.values.address[0], 0x1005);
    wt_values_free(&at.values);
    assert_child(r, &h.values, 2, 1, NULL, "12");
    array.is_vector = true;
    array.lower = 0;
    assert_child(r, &h.values, 7, 0, "s7", "7");
    array.count = 4;
    assert_child(r, &h.values, 3, 0, "w", "3");
    array.has_count = false;
    assert_int_equal(wt_value_child_count(&h.values), 0);
    rig_free(r);
}

static void a_pointer_leads_to_another_place_in_each_lane(void **state)
{
    struct rig *r = rig_new();
    struct wt_error err;
    uint8_t bytes[16];
    assert_int_equal(wt_debugger_read_memory(r->e.debugger, r->view.thread,
                                             (struct wt_address){0, TEXT}, bytes, sizeof bytes,
                                             &err),
                     WT_OK);
    (void)state;
    struct wt_values v = evaluate(r, "((unsigned char (*)[4])(0x80000000 + 4 * $_lane))@*");
    assert_int_equal(v.lane_count, 4);
    assert_int_equal(wt_value_child_count(&v), 1);
    struct wt_value_child target = child_of(r, &v, 0);
    assert_int_equal(target.kind, WT_CHILD_TARGET);
    assert_true(target.values.in_memory);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(target.values.address[k], TEXT + 4 * k);
    assert_memory_equal(target.values.bytes, bytes, sizeof bytes);
    struct wt_value_child third = child_of(r, &target.values, 2);
    assert_int_equal(third.values.bytes[1], bytes[6]);
    wt_values_free(&third.values);
    wt_values_free(&target.values);
    wt_values_free(&v);
    v = evaluate(r, "(int *)0xfffffffe");
    assert_child(r, &v, 0, 0, "*", "<error: Cannot access memory at address 0xfffffffe>");
    wt_values_free(&v);
    v = evaluate(r, "(void *)0x80000000");
    assert_int_equal(wt_value_child_count(&v), 0);
    wt_values_free(&v);
    rig_free(r);
}

static void a_large_array_is_read_by_its_parts(void **state)
{
    struct rig *r = rig_new();
    struct wt_error err;
    struct wt_values v;
    uint8_t bytes[4];
    static const char large[] = "*(unsigned char (*)[8388608])0x80000000";
    (void)state;
    assert_int_equal(wt_debugger_read_memory(r->e.debugger, r->view.thread,
                                             (struct wt_address){0, TEXT}, bytes, sizeof bytes,
                                             &err),
                     WT_OK);
    assert_int_equal(wt_source_evaluate(&r->view, large, &v, &err), WT_UNSUPPORTED);
    assert_int_equal(wt_source_evaluate_parts(&r->view, large, &v, &err), WT_OK);
    assert_int_equal(v.state[0], WT_VALUE_LARGE);
    assert_int_equal(wt_value_child_count(&v), 8388608);
    struct wt_value_child at = child_of(r, &v, 3);
    assert_int_equal(at.values.state[0], WT_VALUE_GOOD);
    assert_int_equal(at.values.bytes[0], bytes[3]);
    wt_values_free(&at.values);
    wt_values_free(&v);
    rig_free(r);
}

/* Damaged debug information: a structure that is twice a part of itself. */
static void a_structure_in_itself_ends(void **state)
{
    static const struct wt_format format = {.letter = 0};
    struct wt_type type = {.kind = WT_TYPE_STRUCT, .name = "s", .size = 1};
    struct wt_member member[] = {{.name = "a", .type = &type}, {.name = "b", .type = &type}};
    const uint8_t bytes[1] = {0};
    struct rig *r = rig_new();
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    type.member = member;
    type.member_count = 2;
    type.read = true;
    assert_non_null(out);
    wt_values_print_bytes(out, &r->view, &(struct wt_values){.type = &type, .size = 1}, bytes,
                          &format);
    fclose(out);
    assert_non_null(strstr(text, "{...}"));
    assert_true(length < (size_t)64 << 20);
    free(text);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_have_members_bases_and_bit_fields),
        cmocka_unit_test(a_part_is_optimised_out_where_its_piece_is),
        cmocka_unit_test(elements_of_which_other_parts_are_there_are_not_equal),
        cmocka_unit_test(arrays_are_paged_and_vectors_have_names),
        cmocka_unit_test(a_pointer_leads_to_another_place_in_each_lane),
        cmocka_unit_test(a_large_array_is_read_by_its_parts),
        cmocka_unit_test(a_structure_in_itself_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Modules and breakpoint locations, on this very program: its functions and lines, which the host's
 * compiler described, loaded at several places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "debug/source/locations.h"
#include "debug/source/symbols.h"

#define SELF "/proc/self/exe"
#define LOW UINT64_C(0x10000000)
#define HIGH UINT64_C(0x700000000000)

__attribute__((noinline)) int known_function(int a); /* not static: it keeps its name */

enum { KNOWN_LINE = __LINE__ + 3 };
__attribute__((noinline)) int known_function(int a)
{
    __asm__ volatile("" : "+r"(a));
    return a * 3;
}

static uint64_t address_in_file(const char *name)
{
    struct wt_symbols *s;
    struct wt_error err;
    uint64_t addr = 0;
    assert_int_equal(wt_symbols_open(SELF, &s, &err), WT_OK);
    assert_true(wt_symbols_address(s, name, &addr));
    wt_symbols_close(s);
    return addr;
}

static wt_module_id load(struct wt_modules *m, uint64_t bias, unsigned device)
{
    struct wt_error err;
    wt_module_id id = 0;
    assert_int_equal(wt_modules_add_file(m, SELF, bias, device, &id, &err), WT_OK);
    return id;
}

static void an_address_leads_to_its_module(void **state)
{
    struct wt_modules *m = wt_modules_new();
    const uint64_t addr = address_in_file("known_function");
    const char *name, *file;
    uint64_t offset, found;
    unsigned line;
    char text[128], wanted[64];
    const wt_module_id low = load(m, LOW, 0), high = load(m, HIGH, 0), other = load(m, LOW, 1);
    assert_true(low && high && other && low != high && high != other);
    assert_int_equal(wt_modules_at(m, 0, LOW + addr)->id, low);
    assert_int_equal(wt_modules_at(m, 0, HIGH + addr)->id, high);
    assert_int_equal(wt_modules_at(m, 1, LOW + addr)->id, other);
    assert_null(wt_modules_at(m, 1, HIGH + addr));
    assert_null(wt_modules_at(m, 0, addr));
    assert_true(wt_modules_function(m, 0, HIGH + addr + 1, &name, &offset));
    assert_string_equal(name, "known_function");
    assert_int_equal(offset, 1);
    assert_true(wt_modules_line(m, 0, HIGH + addr, &file, &line));
    /* Any line of the function: on arm64 all of it belongs to the last one. */
    assert_in_range(line, KNOWN_LINE - 2, KNOWN_LINE + 2);
    wt_modules_describe(m, 0, HIGH + addr, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "0x%llx <known_function> at test_modules.c:", (unsigned long long)(HIGH + addr));
    assert_memory_equal(text, wanted, strlen(wanted));
    assert_true(wt_modules_address(m, 1, "known_function", &found));
    assert_int_equal(found, LOW + addr);
    assert_true(wt_modules_remove(m, low));
    assert_false(wt_modules_remove(m, low));
    assert_null(wt_modules_at(m, 0, LOW + addr));
    assert_true(wt_modules_address(m, 0, "known_function", &found));
    assert_int_equal(found, HIGH + addr);
    wt_modules_free(m);
}

static void an_id_is_never_given_again(void **state)
{
    struct wt_modules *m = wt_modules_new();
    wt_module_id before = 0;
    for (unsigned i = 0; i < 20; i++) {
        const wt_module_id id = load(m, LOW, 0);
        assert_true(id > before);
        before = id;
        assert_true(wt_modules_remove(m, id));
    }
    wt_modules_free(m);
}

static void an_image_in_memory_is_a_module(void **state)
{
    struct wt_modules *m = wt_modules_new();
    struct wt_error err = {0};
    uint8_t *bytes;
    size_t length;
    uint64_t addr;
    assert_int_equal(wt_file_read(SELF, &bytes, &length, &err), WT_OK);
    assert_int_equal(wt_modules_add_bytes(m, "memory://1", bytes, length, LOW, 0, NULL, &err),
                     WT_OK);
    memset(bytes, 0, length); /* it was copied */
    assert_true(wt_modules_address(m, 0, "known_function", &addr));
    assert_int_equal(addr, LOW + address_in_file("known_function"));
    assert_int_equal(wt_modules_add_bytes(m, "memory://2", bytes, length, LOW, 0, NULL, &err),
                     WT_INVALID);
    assert_string_equal(err.text, "memory://2: not an ELF file");
    free(bytes);
    wt_modules_free(m);
}

/* The addresses of a location, each in hexadecimal with a blank behind it. */
static void expect(const struct wt_modules *m, const char *location, const char *format, ...)
{
    struct wt_location l;
    struct wt_error err;
    uint64_t *list;
    size_t count;
    char said[1024] = "", wanted[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    assert_int_equal(wt_location_parse(location, &l, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&l, m, 0, &list, &count, &err), WT_OK);
    for (size_t i = 0; i < count; i++)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%llx ",
                 (unsigned long long)list[i]);
    assert_string_equal(said, wanted);
    free(list);
    wt_location_free(&l);
}

/* The only address of a location, which lies in the function known_function loaded at @p base; from
 * there on. */
static uint64_t in_known_function(const struct wt_modules *m, const char *location, uint64_t base)
{
    struct wt_location l;
    struct wt_error err;
    uint64_t *list;
    size_t count;
    assert_int_equal(wt_location_parse(location, &l, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&l, m, 0, &list, &count, &err), WT_OK);
    assert_int_equal(count, 1);
    const uint64_t at = list[0] - base, start = address_in_file("known_function");
    assert_true(at >= start && at < start + 64);
    free(list);
    wt_location_free(&l);
    return at;
}

static void locations_follow_the_modules(void **state)
{
    struct wt_modules *m = wt_modules_new();
    char line[64];
    snprintf(line, sizeof line, "unit/test_modules.c:%d", KNOWN_LINE);
    expect(m, "known_function", "");
    expect(m, line, "");
    expect(m, "*0x1234", "1234 ");

    const wt_module_id first = load(m, LOW, 0);
    const uint64_t at = in_known_function(m, line, LOW);
    const uint64_t body = in_known_function(m, "known_function", LOW);
    load(m, LOW, 1); /* another device's */
    expect(m, "known_function", "%llx ", (unsigned long long)(LOW + body));
    load(m, HIGH, 0);
    expect(m, "known_function", "%llx %llx ", (unsigned long long)(LOW + body),
           (unsigned long long)(HIGH + body));
    expect(m, line, "%llx %llx ", (unsigned long long)(LOW + at), (unsigned long long)(HIGH + at));
    assert_true(wt_modules_remove(m, first));
    expect(m, line, "%llx ", (unsigned long long)(HIGH + at));
    wt_modules_free(m);
}

static void a_line_without_code_means_the_next_one(void **state)
{
    struct wt_modules *m = wt_modules_new();
    struct wt_location first, next;
    struct wt_error err;
    uint64_t *a, *b;
    size_t count;
    char text[64];
    load(m, 0, 0);
    snprintf(text, sizeof text, "test_modules.c:%d", KNOWN_LINE - 3); /* the enumeration */
    assert_int_equal(wt_location_parse(text, &first, &err), WT_OK);
    snprintf(text, sizeof text, "test_modules.c:%d", KNOWN_LINE - 2); /* the function's head */
    assert_int_equal(wt_location_parse(text, &next, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&first, m, 0, &a, &count, &err), WT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(wt_location_resolve(&next, m, 0, &b, &count, &err), WT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(a[0], b[0]);
    assert_int_equal(a[0], address_in_file("known_function"));
    free(a);
    free(b);
    wt_location_free(&first);
    wt_location_free(&next);
    wt_modules_free(m);
}

static void a_module_is_named_before_a_backtick(void **state)
{
    struct wt_modules *m = wt_modules_new();
    struct wt_location l;
    struct wt_error err;
    uint64_t *list;
    size_t count;
    load(m, LOW, 0);
    assert_int_equal(wt_location_parse("self/exe`known_function", &l, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&l, m, 0, &list, &count, &err), WT_OK);
    assert_int_equal(count, 1);
    free(list);
    wt_location_free(&l);
    assert_int_equal(wt_location_parse("other`known_function", &l, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&l, m, 0, &list, &count, &err), WT_OK);
    assert_int_equal(count, 0);
    free(list);
    wt_location_free(&l);
    assert_int_equal(wt_location_parse("exe`*0x40", &l, &err), WT_OK);
    assert_int_equal(wt_location_resolve(&l, m, 0, &list, &count, &err), WT_OK);
    assert_int_equal(list[0], LOW + 0x40);
    free(list);
    wt_location_free(&l);
    wt_modules_free(m);
}

static void malformed_locations_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "*",
                                      "*x",
                                      "*-1",
                                      "a.c:0",
                                      "a.c:",
                                      "a.c:12x",
                                      "a.c:-1",
                                      ":12",
                                      "mod`",
                                      "*99999999999999999999"};
    struct wt_location l;
    struct wt_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (wt_location_parse(bad[i], &l, &err) != WT_INVALID)
            fail_msg("'%s' was taken", bad[i]);
    assert_int_equal(wt_location_parse("space::function", &l, &err), WT_OK);
    assert_int_equal(l.kind, WT_LOCATION_FUNCTION);
    wt_location_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_leads_to_its_module),
        cmocka_unit_test(an_id_is_never_given_again),
        cmocka_unit_test(an_image_in_memory_is_a_module),
        cmocka_unit_test(locations_follow_the_modules),
        cmocka_unit_test(a_line_without_code_means_the_next_one),
        cmocka_unit_test(a_module_is_named_before_a_backtick),
        cmocka_unit_test(malformed_locations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Symbols: of this very program, whose functions and lines the host's compiler described, and of
 * files that are damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "debug/source/symbols.h"
#include "temporary.h"

#define SELF "/proc/self/exe"

__attribute__((noinline)) int known_function(int a); /* not static: it keeps its name */

enum { KNOWN_LINE = __LINE__ + 1 };
__attribute__((noinline)) int known_function(int a)
{
    return a * 3 + (int)(uintptr_t)&known_function;
}

static void names_and_addresses_agree(void **state)
{
    struct wt_symbols *s;
    struct wt_error err = {0};
    uint64_t addr, other, offset;
    const char *name;
    char text[128];
    assert_int_equal(wt_symbols_open(SELF, &s, &err), WT_OK);
    assert_true(wt_symbols_address(s, "known_function", &addr));
    assert_true(wt_symbols_address(s, "main", &other));
    assert_int_not_equal(addr, other);
    assert_true(wt_symbols_function(s, addr, &name, &offset));
    assert_string_equal(name, "known_function");
    assert_int_equal(offset, 0);
    assert_true(wt_symbols_function(s, addr + 3, &name, &offset));
    assert_string_equal(name, "known_function");
    assert_int_equal(offset, 3);
    assert_false(wt_symbols_address(s, "no such symbol", &addr));
    assert_false(wt_symbols_function(s, 0, &name, &offset));
    assert_true(wt_symbols_address(s, "known_function", &addr));
    wt_symbols_describe(s, addr + 1, text, sizeof text);
    assert_non_null(strstr(text, " <known_function+1>"));
    char small[8];
    wt_symbols_describe(s, addr, small, sizeof small);
    assert_int_equal(strlen(small), 7);
    wt_symbols_close(s);
}

static void lines_are_found_where_there_are_some(void **state)
{
    struct wt_symbols *s;
    uint64_t addr;
    const char *file;
    unsigned line;
    char text[128];
    assert_int_equal(wt_symbols_open(SELF, &s, WT_IGNORED), WT_OK);
    assert_true(wt_symbols_address(s, "known_function", &addr));
    assert_false(wt_symbols_line(s, 1, &file, &line));
    assert_true(wt_symbols_line(s, addr, &file, &line));
    assert_non_null(strstr(file, "test_symbols.c"));
    assert_in_range(line, KNOWN_LINE, KNOWN_LINE + 2);
    wt_symbols_describe(s, addr, text, sizeof text);
    assert_non_null(strstr(text, " at test_symbols.c:"));
    wt_symbols_close(s);
}

static void without_symbols_there_is_still_an_address(void **state)
{
    char text[64];
    uint64_t value;
    const char *name;
    unsigned line;
    wt_symbols_describe(NULL, 0x80000010, text, sizeof text);
    assert_string_equal(text, "0x80000010");
    assert_false(wt_symbols_function(NULL, 0, &name, &value));
    assert_false(wt_symbols_line(NULL, 0, &name, &line));
    assert_false(wt_symbols_address(NULL, "main", &value));
    wt_symbols_close(NULL);
}

static char path[TEMPORARY_PATH];

static void put_file(const void *bytes, size_t length)
{
    int fd = temporary_file(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    close(fd);
}

static void what_is_no_elf_is_refused(void **state)
{
    struct wt_symbols *s;
    struct wt_error err = {0};
    assert_int_equal(wt_symbols_open("/does/not/exist", &s, &err), WT_IO);
    assert_non_null(strstr(err.text, "/does/not/exist"));
    const char *const contents[] = {"", "no elf", "\177EL", "!<arch>\n"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        put_file(contents[i], strlen(contents[i]));
        assert_int_equal(wt_symbols_open(path, &s, &err), WT_INVALID);
        assert_null(s);
        unlink(path);
    }
}

/* Strings of DWARF whose last one has no end: libdw would read on behind them. */
static void strings_without_an_end_are_not_read(void **state)
{
    static uint8_t whole[1 << 22];
    FILE *f = fopen(SELF, "rb");
    size_t length = fread(whole, 1, sizeof whole - 4096, f);
    fclose(f);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)whole;
    Elf64_Shdr *section = (Elf64_Shdr *)(whole + header->e_shoff);
    const char *names = (const char *)whole + section[header->e_shstrndx].sh_offset;
    for (int round = 0; round < 2; round++) {
        bool found = false;
        for (unsigned i = 0; i < header->e_shnum; i++) {
            if (strcmp(names + section[i].sh_name, ".debug_line_str") != 0)
                continue;
            found = true;
            section[i].sh_offset = length;
            section[i].sh_size = 4096;
            section[i].sh_flags = 0;
        }
        assert_true(found);
        memset(whole + length, 'A', 4096);
        if (round == 1)
            whole[length + 4095] = 0;
        struct wt_symbols *s;
        uint64_t addr;
        const char *file;
        unsigned line;
        assert_int_equal(wt_symbols_open_bytes("damaged", whole, length + 4096, &s, WT_IGNORED),
                         WT_OK);
        assert_true(wt_symbols_address(s, "known_function", &addr));
        assert_int_equal(wt_symbols_line(s, addr, &file, &line), round == 1);
        wt_symbols_close(s);
    }
}

/* Damage anywhere: the file is refused, or gives what it can; no crash, no hang. */
static void damaged_files_do_no_harm(void **state)
{
    static uint8_t whole[1 << 22], damaged[1 << 22];
    FILE *f = fopen(SELF, "rb");
    size_t length = fread(whole, 1, sizeof whole, f);
    fclose(f);
    srand(11);
    for (int i = 0; i < 60; i++) {
        memcpy(damaged, whole, length);
        size_t size = rand() % 3 ? length : (size_t)rand() % length;
        const Elf64_Ehdr *header = (const Elf64_Ehdr *)whole;
        for (int k = 0; k < 1 + rand() % 40; k++) {
            /* mostly headers and section tables, where it hurts */
            size_t at = rand() % 3 == 0 ? (size_t)rand() % 64
                        : rand() % 2    ? header->e_shoff + (size_t)rand() % 2000
                                        : (size_t)rand() % length;
            if (at < length)
                damaged[at] = (uint8_t)rand();
        }
        put_file(damaged, size);
        struct wt_symbols *s;
        if (wt_symbols_open(path, &s, WT_IGNORED) == WT_OK) {
            char text[64];
            uint64_t addr = 0x1000;
            wt_symbols_address(s, "main", &addr);
            for (int k = 0; k < 100; k++)
                wt_symbols_describe(s, addr + (uint64_t)rand() % 100000, text, sizeof text);
            wt_symbols_close(s);
        }
        unlink(path);
    }
}

/* Whoever waits for debug information, and when it is enough. */
struct waiter {
    unsigned asked, patience;
    uint64_t done;
};

static bool waits_on(void *context, uint64_t done, uint64_t total)
{
    struct waiter *w = context;
    assert_true(done >= w->done && done <= total);
    w->done = done;
    return ++w->asked <= w->patience;
}

static void reading_can_be_given_up(void **state)
{
    struct wt_symbols *s;
    struct waiter w = {0};
    const struct wt_loading loading = {waits_on, &w};
    const char *file;
    unsigned line, units;
    uint64_t addr;
    assert_int_equal(wt_symbols_open(SELF, &s, WT_IGNORED), WT_OK);
    assert_true(wt_symbols_address(s, "known_function", &addr));
    wt_symbols_set_loading(s, &loading);
    /* While the lines are read. */
    assert_null(wt_symbols_info(s));
    assert_int_equal(w.asked, 1);
    w = (struct waiter){0};
    assert_false(wt_symbols_line(s, addr, &file, &line));
    w = (struct waiter){.patience = UINT32_MAX};
    assert_true(wt_symbols_line(s, addr, &file, &line));
    units = w.asked;
    assert_true(units > 0);
    /* While the names are. */
    w = (struct waiter){0};
    assert_null(wt_symbols_info(s));
    assert_int_equal(w.asked, 1);
    /* While they are sorted. */
    w = (struct waiter){.patience = units};
    assert_null(wt_symbols_info(s));
    assert_int_equal(w.asked, units + 1);
    w = (struct waiter){.patience = UINT32_MAX};
    assert_non_null(wt_symbols_info(s));
    assert_true(w.asked > units);
    units = w.asked;
    /* Nothing is read twice. */
    assert_non_null(wt_symbols_info(s));
    assert_int_equal(w.asked, units);
    wt_symbols_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_addresses_agree),
        cmocka_unit_test(lines_are_found_where_there_are_some),
        cmocka_unit_test(without_symbols_there_is_still_an_address),
        cmocka_unit_test(what_is_no_elf_is_refused),
        cmocka_unit_test(strings_without_an_end_are_not_read),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(reading_can_be_given_up),
    };
    return known_function(0) == 1 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Pages of decoded code (machine/code_pages.h) with every granule, and what else the families share
 * beside it: console lines, the bytes of a trace line.
 */
#include "emulator/machine/code_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/machine/archive.h"
#include "emulator/machine/console.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/trace.h"

static void undecoded(void)
{
}
static void next_page(void)
{
}
static void decoded(void)
{
}
static void watching(void)
{
}

/* A record of an odd size, as a family may have it. */
struct record {
    wt_code_handler run;
    uint32_t operands[3];
};

/* The formats of the families that there are, and of those that are planned. */
static const struct shape {
    unsigned granule, bundle, longest;
} shapes[] = {
    {2, 2, 4},                /* Vortex: halfwords, up to two of them */
    {4, 4, 8},                /* gfx900: dwords, up to two of them */
    {8, 8, 16},               /* Gen9: compacted and native instructions */
    {16, 16, 16}, {8, 32, 8}, /* SM: three instructions and the word that schedules them */
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

struct rig {
    struct wt_code_format format;
    struct wt_tlb tlb;
    struct wt_code_cache code;
};

static struct rig *rig_new(const struct shape *shape)
{
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->format = (struct wt_code_format){.granule = shape->granule,
                                        .bundle = shape->bundle,
                                        .longest = shape->longest,
                                        .first = sizeof(struct wt_code_page),
                                        .record = sizeof(struct record),
                                        .tail = shape->longest / shape->granule,
                                        .undecoded = undecoded,
                                        .next_page = next_page};
    wt_tlb_clear(&r->tlb);
    wt_code_init(&r->code, &r->format, &r->tlb);
    return r;
}

static void rig_free(struct rig *r)
{
    wt_code_clear(&r->code);
    free(r);
}

static struct record *records(struct wt_code_page *page)
{
    return (struct record *)((uint8_t *)page + sizeof *page);
}

/* Marks the records of the page at base as decoded. */
static struct record *decode_all(struct rig *r, uint64_t base)
{
    struct record *record = records(wt_code_page_of(&r->code, base));
    for (size_t i = 0; i < WT_PAGE_SIZE / r->format.granule; i++)
        record[i] = (struct record){.run = decoded, .operands = {7, 8, 9}};
    return record;
}

/* Whether the record of the instruction at addr is decoded; false where there is no page. */
static bool is_decoded(struct rig *r, uint64_t addr)
{
    struct wt_code_page *page = wt_code_find(&r->code, addr);
    return page && records(page)[(addr & WT_PAGE_MASK) / r->format.granule].run == decoded;
}

static void a_new_page_is_undecoded(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        struct rig *r = rig_new(&shapes[s]);
        assert_null(wt_code_find(&r->code, 0x12345000));
        struct wt_code_page *page = wt_code_page_of(&r->code, 0x12345678);
        assert_non_null(page);
        assert_int_equal(page->base, 0x12345000);
        assert_ptr_equal(wt_code_page_of(&r->code, 0x12345fff), page);
        const size_t count = WT_PAGE_SIZE / r->format.granule;
        for (size_t i = 0; i < count; i++)
            assert_true(records(page)[i].run == undecoded);
        for (size_t i = 0; i < r->format.tail; i++)
            assert_true(records(page)[count + i].run == next_page);
        rig_free(r);
    }
}

/* Pages whose addresses share a bucket are told apart. */
static void pages_of_one_bucket(void **state)
{
    (void)state;
    struct rig *r = rig_new(&shapes[0]);
    const uint64_t step = WT_PAGE_SIZE * WT_CODE_BUCKETS;
    struct wt_code_page *page[3];
    for (uint64_t i = 0; i < 3; i++)
        page[i] = wt_code_page_of(&r->code, 0x1000 + i * step);
    for (uint64_t i = 0; i < 3; i++)
        assert_ptr_equal(wt_code_find(&r->code, 0x1000 + i * step), page[i]);
    assert_null(wt_code_find(&r->code, 0x1000 + 3 * step));
    rig_free(r);
}

/*
 * A write to every range of some bytes near the border of two pages: forgotten are those
 * instructions that may hold a byte of it, or share a bundle with one that does, and no other.
 */
static void writes_forget_what_depends_on_them(void **state)
{
    (void)state;
    const uint64_t base = 0x40000, border = base + WT_PAGE_SIZE;
    for (size_t s = 0; s < SHAPES; s++) {
        const struct shape *f = &shapes[s];
        struct rig *r = rig_new(f);
        for (uint64_t addr = border - 40; addr < border + 40; addr++) {
            for (uint64_t size = 0; size < 40; size += 1 + size / 3) {
                decode_all(r, base);
                decode_all(r, border);
                wt_code_invalidate(&r->code, addr, size);
                for (uint64_t at = base; at < border + WT_PAGE_SIZE; at += f->granule) {
                    /* Bytes that an instruction at `at` may depend on. */
                    const uint64_t from = at & ~(uint64_t)(f->bundle - 1);
                    const uint64_t last = at + f->longest - 1;
                    const uint64_t to = last | (f->bundle - 1);
                    const bool depends = size && from < addr + size && addr <= to;
                    const bool must = size && at < addr + size && addr <= last;
                    if (must)
                        assert_false(is_decoded(r, at));
                    if (!depends)
                        assert_true(is_decoded(r, at));
                    if (f->bundle > f->granule && depends)
                        assert_false(is_decoded(r, at));
                }
            }
        }
        rig_free(r);
    }
}

/* Code may lie at the first bytes of memory. */
static void a_write_to_address_0(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        struct rig *r = rig_new(&shapes[s]);
        decode_all(r, 0);
        wt_code_invalidate(&r->code, 0, 1);
        assert_false(is_decoded(r, 0));
        assert_true(is_decoded(r, 64));
        rig_free(r);
    }
}

static void redecode_forgets_a_range_of_beginnings(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        struct rig *r = rig_new(&shapes[s]);
        const uint64_t g = r->format.granule, base = 0x7000;
        for (uint64_t first = base + 100; first < base + 133; first++) {
            for (uint64_t last = first; last < first + 40; last += 3) {
                decode_all(r, base);
                decode_all(r, base + WT_PAGE_SIZE);
                wt_code_redecode(&r->code, first, last);
                for (uint64_t at = base; at < base + 2 * WT_PAGE_SIZE; at += g)
                    assert_int_equal(is_decoded(r, at), at < first || at > last);
            }
        }
        wt_code_redecode(&r->code, 0, UINT64_MAX);
        assert_false(is_decoded(r, base) || is_decoded(r, base + 2 * WT_PAGE_SIZE - g));
        rig_free(r);
    }
}

/* Stores to a page with code, and to the next one, must come where they are noticed. */
static void pages_with_code_leave_the_tlb(void **state)
{
    (void)state;
    static uint8_t page[WT_PAGE_SIZE];
    struct rig *r = rig_new(&shapes[1]);
    for (uint64_t at = 0x5000; at <= 0x7000; at += WT_PAGE_SIZE)
        assert_ptr_equal(wt_tlb_fill_write(&r->tlb, at + 12, page, true, true), page + 12);
    assert_false(wt_code_on_page(&r->code, 0x5000));
    wt_code_page_of(&r->code, 0x5004);
    assert_true(wt_tlb_entry_of(&r->tlb, 0x5000)->write_page == WT_TLB_NONE);
    assert_true(wt_tlb_entry_of(&r->tlb, 0x6000)->write_page == WT_TLB_NONE);
    assert_int_equal(wt_tlb_entry_of(&r->tlb, 0x7000)->write_page, 0x7000);
    assert_true(wt_code_on_page(&r->code, 0x5000) && wt_code_on_page(&r->code, 0x6fff));
    assert_false(wt_code_on_page(&r->code, 0x4fff) || wt_code_on_page(&r->code, 0x7000));
    rig_free(r);
}

/* The handler of a watched record finds what it replaces; the operands stay in the record. */
static void watched_records(void **state)
{
    (void)state;
    static const int one, other;
    for (size_t s = 0; s < SHAPES; s++) {
        struct rig *r = rig_new(&shapes[s]);
        const uint64_t g = r->format.granule, base = 0x9000, last = base + WT_PAGE_SIZE - g;
        struct record *record = decode_all(r, base);
        struct wt_code_page *page = wt_code_find(&r->code, base);
        assert_true(wt_code_watch(&r->code, page, base, decoded, &one));
        assert_true(wt_code_watch(&r->code, page, last, next_page, &other));
        record[0].run = watching;
        assert_true(wt_code_watched(page, 0)->original == decoded);
        assert_ptr_equal(wt_code_watched(page, 0)->what, &one);
        assert_true(wt_code_watched(page, WT_PAGE_SIZE / g - 1)->original == next_page);
        assert_ptr_equal(wt_code_watched(page, WT_PAGE_SIZE / g - 1)->what, &other);
        assert_int_equal(record[0].operands[2], 9);
        rig_free(r);
    }
}

/* What was decoded stays where two memories share the page and the one behind it. */
static void a_restore_keeps_what_still_holds(void **state)
{
    (void)state;
    struct rig *r = rig_new(&shapes[0]);
    struct wt_memory *now = wt_memory_new();
    assert_non_null(now);
    for (uint64_t at = 0x1000; at < 0x9000; at += WT_PAGE_SIZE)
        assert_true(wt_memory_write(now, at, "x", 1));
    struct wt_memory *then = wt_memory_fork(now);
    assert_non_null(then);
    assert_true(wt_memory_write(now, 0x4000, "y", 1));
    for (uint64_t at = 0x2000; at < 0x7000; at += WT_PAGE_SIZE)
        decode_all(r, at);
    wt_code_note_pages(&r->code, now);
    wt_memory_become(now, then);
    wt_code_keep_pages(&r->code, now);
    assert_true(is_decoded(r, 0x2000) && is_decoded(r, 0x5000) && is_decoded(r, 0x6000));
    assert_null(wt_code_find(&r->code, 0x3000)); /* its last instruction may reach into 0x4000 */
    assert_null(wt_code_find(&r->code, 0x4000));
    wt_memory_free(then);
    wt_memory_free(now);
    rig_free(r);
}

/* ---- console ---- */

struct printed {
    unsigned slot;
    size_t lines, length;
    char text[200];
};

static void take_line(void *context, unsigned slot, const char *line, size_t length)
{
    struct printed *p = context;
    p->slot = slot;
    p->lines++;
    p->length = length;
    memcpy(p->text, line, length < sizeof p->text ? length : sizeof p->text);
}

static void put(struct wt_machine *m, struct wt_console *c, unsigned slot, const char *text)
{
    while (*text)
        wt_console_put(m, c, slot, *text++);
}

static void lines_come_whole(void **state)
{
    (void)state;
    struct printed p = {0};
    struct wt_machine m = {.console = take_line, .console_context = &p};
    struct wt_console c;
    assert_true(wt_console_init(&c, 4));
    put(&m, &c, 1, "one");
    put(&m, &c, 3, "three\nmore");
    assert_int_equal(p.lines, 1);
    assert_int_equal(p.slot, 3);
    assert_memory_equal(p.text, "three", 5);
    struct wt_archive saved = {.snapshot = true, .saves = true};
    uint64_t before = 0, after = 0;
    wt_console_archive(&saved, &c);
    assert_int_equal(saved.size, 4 * sizeof(uint32_t) + strlen("one") + strlen("more"));
    wt_console_hash(&c, &before);
    put(&m, &c, 1, " and a half\n");
    assert_int_equal(p.length, 14);
    wt_console_flush(&m, &c);
    assert_int_equal(p.slot, 3);
    assert_memory_equal(p.text, "more", 4);
    wt_console_hash(&c, &after);
    assert_true(after != before);
    struct wt_archive back = {.snapshot = true, .in = saved.bytes, .left = saved.size};
    wt_console_archive(&back, &c);
    assert_true(!back.failed && !back.left);
    after = 0;
    wt_console_hash(&c, &after);
    assert_true(after == before);
    put(&m, &c, 1, "\n");
    assert_memory_equal(p.text, "one", 3);
    free(saved.bytes);
    wt_console_free(&c);
}

/* A program that never ends its line does not fill the host's memory. */
static void long_lines_come_in_parts(void **state)
{
    (void)state;
    struct printed p = {0};
    struct wt_machine m = {.console = take_line, .console_context = &p};
    struct wt_console c;
    assert_true(wt_console_init(&c, 1));
    for (unsigned i = 0; i < 65537; i++)
        wt_console_put(&m, &c, 0, 'x');
    assert_int_equal(p.lines, 1);
    assert_int_equal(p.length, 65536);
    wt_console_free(&c);
}

/* ---- traces ---- */

static void bytes_of_traces(void **state)
{
    (void)state;
    static const uint8_t bytes[16] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
                                      0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01};
    static const struct {
        unsigned length, word, longest;
        const char *text;
    } row[] = {
        {2, 4, 4, "2211    "},          {4, 4, 4, "44332211"},
        {4, 4, 8, "44332211         "}, {8, 4, 8, "44332211 88776655"},
        {8, 8, 8, "8877665544332211"},  {16, 4, 16, "44332211 88776655 ccbbaa99 01ffeedd"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const struct wt_trace trace = {.bytes = bytes,
                                       .length = row[i].length,
                                       .word = row[i].word,
                                       .longest = row[i].longest};
        char text[80];
        wt_trace_bytes(&trace, text, sizeof text);
        assert_string_equal(text, row[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_page_is_undecoded),
        cmocka_unit_test(pages_of_one_bucket),
        cmocka_unit_test(writes_forget_what_depends_on_them),
        cmocka_unit_test(a_write_to_address_0),
        cmocka_unit_test(redecode_forgets_a_range_of_beginnings),
        cmocka_unit_test(pages_with_code_leave_the_tlb),
        cmocka_unit_test(watched_records),
        cmocka_unit_test(a_restore_keeps_what_still_holds),
        cmocka_unit_test(lines_come_whole),
        cmocka_unit_test(long_lines_come_in_parts),
        cmocka_unit_test(bytes_of_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

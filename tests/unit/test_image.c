/* Program images: ELF, Intel HEX, raw, .vxbin, and malformed files of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <elf.h>

#include "base/bits.h"
#include "object/image.h"
#include "../names.h"
#include "temporary.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Parses a copy that ends where its allocation ends, so that a sanitizer sees reads past it. */
static enum wt_status parse(const char *name, const void *bytes, size_t length,
                            struct wt_image *image, struct wt_error *err)
{
    uint8_t *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    enum wt_status status = wt_image_parse(name, copy, length, 0x80000000, image, err);
    free(copy);
    return status;
}

/* Expects WT_INVALID, a message with the file's name and @p words, and an empty image. */
static void refuses(const char *name, const void *bytes, size_t length, const char *words)
{
    struct wt_image image;
    struct wt_error err = {0};
    enum wt_status status = parse(name, bytes, length, &image, &err);
    if (status != WT_INVALID || !strstr(err.text, words) || !strstr(err.text, name))
        fail_msg("%s: %s, message '%s', expected '%s'", name, status_name(status), err.text, words);
    assert_null(image.segment);
    assert_int_equal(image.segments, 0);
}

static void refuses_text(const char *text, const char *words)
{
    refuses("a.hex", text, strlen(text), words);
}

/* ---- ELF ---- */

/* An ELF file of 4 KiB with up to 4 program headers right after its header. */
struct elf_file {
    unsigned bits;
    _Alignas(8) uint8_t bytes[4096];
};

static Elf64_Ehdr *header64(struct elf_file *f)
{
    return (Elf64_Ehdr *)(void *)f->bytes;
}

static Elf32_Ehdr *header32(struct elf_file *f)
{
    return (Elf32_Ehdr *)(void *)f->bytes;
}

static void elf_begin(struct elf_file *f, unsigned bits, unsigned headers)
{
    memset(f->bytes, 0, sizeof f->bytes);
    for (size_t i = 1024; i < sizeof f->bytes; i++)
        f->bytes[i] = (uint8_t)(i * 13);
    f->bits = bits;
    memcpy(f->bytes, ELFMAG, SELFMAG);
    f->bytes[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;
    f->bytes[EI_DATA] = ELFDATA2LSB;
    f->bytes[EI_VERSION] = EV_CURRENT;
    if (bits == 64) {
        Elf64_Ehdr *h = header64(f);
        h->e_type = ET_EXEC, h->e_machine = EM_RISCV, h->e_version = EV_CURRENT;
        h->e_entry = 0x80000010, h->e_phoff = sizeof *h, h->e_flags = 5;
        h->e_ehsize = sizeof *h, h->e_phentsize = sizeof(Elf64_Phdr);
        h->e_phnum = (Elf64_Half)headers;
    } else {
        Elf32_Ehdr *h = header32(f);
        h->e_type = ET_EXEC, h->e_machine = EM_RISCV, h->e_version = EV_CURRENT;
        h->e_entry = 0x80000010, h->e_phoff = sizeof *h, h->e_flags = 3;
        h->e_ehsize = sizeof *h, h->e_phentsize = sizeof(Elf32_Phdr);
        h->e_phnum = (Elf32_Half)headers;
    }
}

static void elf_load(struct elf_file *f, unsigned index, uint64_t offset, uint64_t vaddr,
                     uint64_t paddr, uint64_t filesz, uint64_t memsz, unsigned flags)
{
    if (f->bits == 64)
        ((Elf64_Phdr *)(void *)(f->bytes + sizeof(Elf64_Ehdr)))[index] =
            (Elf64_Phdr){.p_type = PT_LOAD,
                         .p_flags = flags,
                         .p_offset = offset,
                         .p_vaddr = vaddr,
                         .p_paddr = paddr,
                         .p_filesz = filesz,
                         .p_memsz = memsz,
                         .p_align = 4};
    else
        ((Elf32_Phdr *)(void *)(f->bytes + sizeof(Elf32_Ehdr)))[index] =
            (Elf32_Phdr){.p_type = PT_LOAD,
                         .p_flags = flags,
                         .p_offset = (uint32_t)offset,
                         .p_vaddr = (uint32_t)vaddr,
                         .p_paddr = (uint32_t)paddr,
                         .p_filesz = (uint32_t)filesz,
                         .p_memsz = (uint32_t)memsz,
                         .p_align = 4};
}

static void elf_segments_are_read(void **state)
{
    static struct elf_file f;
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        struct wt_image image;
        struct wt_error err;
        elf_begin(&f, bits, 2);
        elf_load(&f, 0, 2048, 0x90000000, 0x90000000, 16, 100, PF_R | PF_W);
        elf_load(&f, 1, 1024, 0x80000000, 0x80000000, 256, 256, PF_R | PF_X);
        assert_int_equal(parse("k", f.bytes, sizeof f.bytes, &image, &err), WT_OK);
        assert_int_equal(image.format, WT_IMAGE_ELF);
        assert_int_equal(image.bits, bits);
        assert_int_equal(image.elf_machine, EM_RISCV);
        assert_int_equal(image.elf_flags, bits == 64 ? 5 : 3);
        assert_true(image.has_entry);
        assert_int_equal(image.entry, 0x80000010);
        assert_int_equal(image.segments, 2);
        assert_int_equal(image.held, 272);
        assert_int_equal(image.covered, 356);
        assert_int_equal(image.segment[0].addr, 0x80000000);
        assert_int_equal(image.segment[0].size, 256);
        assert_true(image.segment[0].executable);
        assert_memory_equal(image.segment[0].bytes, f.bytes + 1024, 256);
        assert_int_equal(image.segment[1].addr, 0x90000000);
        assert_int_equal(image.segment[1].size, 100);
        assert_int_equal(image.segment[1].length, 16);
        assert_false(image.segment[1].executable);
        wt_image_free(&image);
        assert_null(image.segment);
    }
}

/* .data that the program copies to its place: bytes go to the load address, without the zeros. */
static void elf_load_addresses_count(void **state)
{
    static struct elf_file f;
    struct wt_image image;
    struct wt_error err;
    elf_begin(&f, 64, 2);
    elf_load(&f, 0, 1024, 0x80000000, 0x80000000, 256, 256, PF_X);
    elf_load(&f, 1, 1280, 0x90000000, 0x80000100, 16, 4096, PF_W);
    assert_int_equal(parse("k", f.bytes, sizeof f.bytes, &image, &err), WT_OK);
    assert_int_equal(image.segment[1].addr, 0x80000100);
    assert_int_equal(image.segment[1].size, 16);
    wt_image_free(&image);

    elf_begin(&f, 64, 1);
    elf_load(&f, 0, 1024, 0x80000000, 0, 256, 256, PF_X); /* no load addresses at all */
    assert_int_equal(parse("k", f.bytes, sizeof f.bytes, &image, &err), WT_OK);
    assert_int_equal(image.segment[0].addr, 0x80000000);
    wt_image_free(&image);
}

static void malformed_elf_is_refused(void **state)
{
    static struct elf_file f;
    elf_begin(&f, 64, 1);
    elf_load(&f, 0, 1024, 0x80000000, 0x80000000, 256, 256, PF_X);
    refuses("k", f.bytes, 8, "within its identification");
    refuses("k", f.bytes, 40, "within its header (40 of 64 bytes)");
    refuses("k", f.bytes, 70, "program headers");
    refuses("k", f.bytes, 1200, "segment 0 wants 0x100 bytes at offset 0x400, but the file ends");

    static const struct {
        Elf64_Half type;
        const char *words;
    } types[] = {{ET_REL, "object file"},
                 {ET_DYN, "position-independent"},
                 {ET_CORE, "core dump"},
                 {77, "ELF type 77"}};
    for (size_t i = 0; i < COUNT(types); i++) {
        header64(&f)->e_type = types[i].type;
        refuses("k", f.bytes, sizeof f.bytes, types[i].words);
    }
    header64(&f)->e_type = ET_EXEC;
    f.bytes[EI_CLASS] = 9;
    refuses("k", f.bytes, sizeof f.bytes, "ELF class 9");
    f.bytes[EI_CLASS] = ELFCLASS64;
    f.bytes[EI_DATA] = ELFDATA2MSB;
    refuses("k", f.bytes, sizeof f.bytes, "not little-endian");
    f.bytes[EI_DATA] = ELFDATA2LSB;
    header64(&f)->e_phentsize = 7;
    refuses("k", f.bytes, sizeof f.bytes, "program headers of 7 bytes");
    header64(&f)->e_phentsize = sizeof(Elf64_Phdr);
    header64(&f)->e_phoff = UINT64_MAX - 8;
    refuses("k", f.bytes, sizeof f.bytes, "program headers");
    header64(&f)->e_phoff = sizeof(Elf64_Ehdr);
    header64(&f)->e_phnum = PN_XNUM; /* the true number is in section header 0: there is none */
    refuses("k", f.bytes, sizeof f.bytes, "malformed number of program headers");
    header64(&f)->e_phnum = 0;
    refuses("k", f.bytes, sizeof f.bytes, "nothing to load");
}

static void malformed_elf_segments_are_refused(void **state)
{
    static const struct {
        uint64_t offset, addr, filesz, memsz;
        const char *words;
    } cases[] = {
        {1024, 0x80000000, 256, 255, "more bytes in the file"},
        {UINT64_MAX, 0x80000000, 256, 256, "but the file ends at 0x1000"},
        {1024, 0x80000000, UINT64_MAX, UINT64_MAX, "but the file ends at 0x1000"},
        {4000, 0x80000000, 97, 97, "but the file ends at 0x1000"},
        {1024, UINT64_MAX - 10, 12, 12, "past the end of the address space"},
        {1024, 1, 12, UINT64_MAX, "the limit is"},
        {1024, 0x80000000, 12, ((uint64_t)1 << 32) + 1, "the limit is"},
        {1024, 0x80000000, 0, 0, "nothing to load"},
    };
    static struct elf_file f;
    for (size_t i = 0; i < COUNT(cases); i++) {
        elf_begin(&f, 64, 1);
        elf_load(&f, 0, cases[i].offset, cases[i].addr, cases[i].addr, cases[i].filesz,
                 cases[i].memsz, PF_X);
        refuses("k", f.bytes, sizeof f.bytes, cases[i].words);
    }
    elf_begin(&f, 32, 1);
    elf_load(&f, 0, 1024, 0xfffffff0, 0xfffffff0, 16, 17, PF_X);
    refuses("k", f.bytes, sizeof f.bytes, "past the end of a 32-bit address space");
    elf_begin(&f, 64, 2);
    elf_load(&f, 0, 1024, 0x80000000, 0x80000000, 16, 0x200, PF_X);
    elf_load(&f, 1, 1024, 0x800001ff, 0x800001ff, 16, 16, PF_X);
    refuses("k", f.bytes, sizeof f.bytes, "segment 1 (0x10 bytes at 0x800001ff) overlaps");
    elf_load(&f, 1, 1024, 0x80000200, 0x80000200, 16, (uint64_t)1 << 32, PF_X);
    refuses("k", f.bytes, sizeof f.bytes, "segment 1: it wants 0x100000000 bytes");
}

/* The last bytes of the address space are memory like any other. */
static void elf_reaches_the_last_byte(void **state)
{
    static struct elf_file f;
    struct wt_image image;
    struct wt_error err;
    elf_begin(&f, 32, 1);
    elf_load(&f, 0, 1024, 0xfffffff0, 0xfffffff0, 16, 16, PF_X);
    assert_int_equal(parse("k", f.bytes, sizeof f.bytes, &image, &err), WT_OK);
    wt_image_free(&image);
    elf_begin(&f, 64, 1);
    elf_load(&f, 0, 1024, UINT64_MAX - 15, UINT64_MAX - 15, 16, 16, PF_X);
    assert_int_equal(parse("k", f.bytes, sizeof f.bytes, &image, &err), WT_OK);
    wt_image_free(&image);
}

/* Any single byte of the headers may hold anything: either it loads or there is a message. */
static void elf_with_any_byte_changed(void **state)
{
    static struct elf_file f;
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        elf_begin(&f, bits, 2);
        elf_load(&f, 0, 1024, 0x80000000, 0x80000000, 256, 256, PF_X);
        elf_load(&f, 1, 2048, 0x90000000, 0x90000000, 16, 100, PF_W);
        for (size_t at = 0; at < 176; at++) {
            uint8_t old = f.bytes[at];
            for (unsigned value = 0; value < 256; value += at < 64 ? 1 : 15) {
                struct wt_image image;
                struct wt_error err = {0};
                f.bytes[at] = (uint8_t)value;
                enum wt_status status = parse("k", f.bytes, sizeof f.bytes, &image, &err);
                if (status == WT_OK) {
                    assert_true(image.segments > 0);
                    wt_image_free(&image);
                } else {
                    assert_int_equal(status, WT_INVALID);
                    assert_true(err.text[0]);
                }
            }
            f.bytes[at] = old;
        }
    }
}

/* ---- Intel HEX ---- */

static void hex_data_joins_into_segments(void **state)
{
    static const char text[] = ":020000048000 7A\n"; /* a blank within a record is an error */
    refuses_text(text, "line 1");
    static const char good[] = ":020000048000"
                               "7A\r\n"
                               ":0400040005060708DE\n"
                               ":0400000001020304F2\n"
                               "\n"
                               ":01010000AA54\n"
                               ":0400000580000004"
                               "73\n"
                               ":00000001FF\n\n";
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(parse("a.bin", good, sizeof good - 1, &image, &err), WT_OK);
    assert_int_equal(image.format, WT_IMAGE_HEX);
    assert_true(image.has_entry);
    assert_int_equal(image.entry, 0x80000004);
    assert_int_equal(image.bits, 0);
    assert_int_equal(image.segments, 2);
    assert_int_equal(image.segment[0].addr, 0x80000000);
    assert_int_equal(image.segment[0].length, 8);
    assert_memory_equal(image.segment[0].bytes, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(image.segment[1].addr, 0x80000100);
    assert_int_equal(image.segment[1].bytes[0], 0xaa);
    wt_image_free(&image);
}

static void hex_segment_records_work(void **state)
{
    /* 0x1234 << 4 = 0x12340; two bytes at offset 0xffff wrap within the segment. */
    static const char text[] = ":020000021234B6\n"
                               ":02FFFF00AABB9B\n"
                               ":0400000312340010A3\n"
                               ":00000001FF";
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(parse("a", text, sizeof text - 1, &image, &err), WT_OK);
    assert_int_equal(image.entry, 0x12350);
    assert_int_equal(image.segments, 2);
    assert_int_equal(image.segment[0].addr, 0x12340);
    assert_int_equal(image.segment[0].bytes[0], 0xbb);
    assert_int_equal(image.segment[1].addr, 0x12340 + 0xffff);
    assert_int_equal(image.segment[1].bytes[0], 0xaa);
    wt_image_free(&image);
}

static void hex_linear_data_wraps_at_4_gib(void **state)
{
    static const char text[] = ":02000004FFFFFC\n:02FFFF00AABB9B\n:00000001FF\n";
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(parse("a", text, sizeof text - 1, &image, &err), WT_OK);
    assert_int_equal(image.segments, 2);
    assert_int_equal(image.segment[0].addr, 0);
    assert_int_equal(image.segment[1].addr, 0xffffffff);
    wt_image_free(&image);
}

static void malformed_hex_is_refused(void **state)
{
    refuses_text(":0400000001020304F3\n:00000001FF\n",
                 "line 1: the checksum is 0xf3, but the bytes of the record want 0xf2");
    refuses_text(":0400000001020304F2\n", "line 2: the file ends without an end record");
    refuses_text(":0400000001020304F2\n:00000001FF\n:00000001FF\n",
                 "line 3: a record follows the end record");
    refuses_text(":0400000001020304F2\nhello\n:00000001FF\n",
                 "line 2: there is something where a record");
    refuses_text(":0400000001020304F2 x\n:00000001FF\n",
                 "line 1: there is something where a record");
    refuses_text(":040000000102030", "line 1: the record says 4 bytes of data, but byte 3");
    refuses_text(":0400000001020304", "line 1: the record has no checksum");
    refuses_text(":0400", "line 1: the record ends early");
    refuses_text(":04000\n:00000001FF\n", "line 1: the record ends early");
    refuses_text(":0400\n:00000001FF\n", "line 1: the record ends early");
    refuses_text(":04000x00\n:00000001FF\n",
                 "line 1: the record has a character that is not a hexadecimal digit");
    refuses_text(":00000006FA\n", "line 1: there is no record type 6");
    refuses_text(":0100000400FB\n", "line 1: a record of type 4 has 2 bytes of data, not 1");
    refuses_text(":0100000100FE\n", "line 1: a record of type 1 has 0 bytes of data, not 1");
    refuses_text(":00000001FF\n", "no data records");
    refuses_text(":0400000001020304F2\n:0400030001020304EF\n:00000001FF\n",
                 "line 2 puts data at 0x3, where line 1 has put some");
    refuses_text(":0400000001020304F2\n:040000050000000"
                 "1F6\n:0400000500000002F5\n:00000001FF\n",
                 "line 3: start address 0x2 contradicts an earlier one, 0x1");
    refuses_text("hello", "the first line is not a record");
    refuses_text(":zz", "the first line is not a record");
}

/* ---- raw and .vxbin ---- */

static void raw_goes_to_its_base(void **state)
{
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(parse("a.bin", "\x13\0\0\0\x73", 5, &image, &err), WT_OK);
    assert_int_equal(image.format, WT_IMAGE_RAW);
    assert_int_equal(image.segments, 1);
    assert_int_equal(image.segment[0].addr, 0x80000000);
    assert_int_equal(image.segment[0].length, 5);
    assert_true(image.has_entry);
    assert_int_equal(image.entry, 0x80000000);
    wt_image_free(&image);
    refuses("a.bin", "", 0, "empty");
    refuses("a.elf", "abcd", 4, "does not begin with the ELF magic");
    assert_int_equal(wt_image_parse("a.bin", (const uint8_t *)"ab", 2, UINT64_MAX, &image, &err),
                     WT_INVALID);
    assert_non_null(strstr(err.text, "past the end of the address space"));
}

static size_t vxbin(uint8_t *bytes, uint64_t first, uint64_t end, size_t length)
{
    wt_store_le(bytes, first, 8);
    wt_store_le(bytes + 8, end, 8);
    for (size_t i = 0; i < length; i++)
        bytes[16 + i] = (uint8_t)(i + 1);
    return 16 + length;
}

static void vxbin_is_read(void **state)
{
    uint8_t bytes[256];
    struct wt_image image;
    struct wt_error err;
    size_t length = vxbin(bytes, 0x80000000, 0x80001000, 20);
    assert_int_equal(parse("dir.x/K.VXBIN", bytes, length, &image, &err), WT_OK);
    assert_int_equal(image.format, WT_IMAGE_VXBIN);
    assert_int_equal(image.segments, 1);
    assert_int_equal(image.entry, 0x80000000);
    assert_int_equal(image.segment[0].size, 0x1000);
    assert_int_equal(image.segment[0].length, 20);
    assert_int_equal(image.segment[0].bytes[19], 20);
    wt_image_free(&image);
}

/* Appends the symbol table of 2026 with the names "main" and "b". */
static size_t add_table(uint8_t *bytes, size_t length, uint32_t count, uint32_t name_at)
{
    memcpy(bytes + length, "main\0b", 6); /* no NUL behind the last name */
    length += 6;
    for (uint32_t i = 0; i < 2; i++, length += 16) {
        wt_store_le(bytes + length, i ? 5 : name_at, 4);
        wt_store_le(bytes + length + 4, i ? 1 : 4, 2);
        wt_store_le(bytes + length + 6, 0, 2);
        wt_store_le(bytes + length + 8, 0x80000000 + 4 * i, 8);
    }
    wt_store_le(bytes + length, count, 4);
    memcpy(bytes + length + 4, "VXSYMTAB", 8);
    return length + 12;
}

static void vxbin_symbol_tables_are_no_image(void **state)
{
    uint8_t bytes[256];
    struct wt_image image;
    struct wt_error err;
    size_t length = add_table(bytes, vxbin(bytes, 0x80000000, 0x80001000, 20), 2, 0);
    assert_int_equal(parse("k.vxbin", bytes, length, &image, &err), WT_OK);
    assert_int_equal(image.segment[0].length, 20);
    assert_int_equal(image.segment[0].bytes[19], 20);
    assert_true(image.has_kernels);
    assert_int_equal(image.kernels, 2);
    assert_string_equal(image.kernel[0].name, "main");
    assert_string_equal(image.kernel[1].name, "b");
    assert_true(image.kernel[1].addr == 0x80000004);
    wt_image_free(&image);
    length = add_table(bytes, vxbin(bytes, 0x80000000, 0x80001000, 20), 999, 0);
    refuses("k.vxbin", bytes, length, "says 999 entries");
    length = add_table(bytes, vxbin(bytes, 0x80000000, 0x80001000, 20), 2, 0xffffffff);
    refuses("k.vxbin", bytes, length, "names of 4294967299 bytes");
}

static void malformed_vxbin_is_refused(void **state)
{
    uint8_t bytes[256];
    size_t length = vxbin(bytes, 0x80000000, 0x80001000, 20);
    refuses("k.vxbin", bytes, 5, "a header of 16 bytes");
    refuses("k.vxbin", bytes, 16, "a header of 16 bytes");
    length = vxbin(bytes, 0x80000000, 0x80000000, 20);
    refuses("k.vxbin", bytes, length, "is not above its first address");
    length = vxbin(bytes, 0x80000000, 0x80000013, 20);
    refuses("k.vxbin", bytes, length, "0x14 bytes, but the header gives it 0x13");
    length = vxbin(bytes, 0, UINT64_MAX, 20);
    refuses("k.vxbin", bytes, length, "the limit is");
}

/* ---- files ---- */

static void files_that_cannot_be_read(void **state)
{
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(wt_image_load("/nonexistent/k.elf", 0, &image, &err), WT_IO);
    assert_non_null(strstr(err.text, "/nonexistent/k.elf: cannot open: No such file"));
    assert_int_equal(wt_image_load("/", 0, &image, &err), WT_IO);
    assert_non_null(strstr(err.text, "directory"));
    assert_int_equal(wt_image_load("/dev/null", 0, &image, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "empty"));
}

static void files_are_read(void **state)
{
    char path[TEMPORARY_PATH];
    int fd = temporary_file(path);
    assert_true(fd >= 0);
    static uint8_t bytes[100000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i % 251);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    struct wt_image image;
    struct wt_error err;
    assert_int_equal(wt_image_load(path, 0x1000, &image, &err), WT_OK);
    assert_int_equal(image.segment[0].addr, 0x1000);
    assert_int_equal(image.segment[0].length, sizeof bytes);
    assert_memory_equal(image.segment[0].bytes, bytes, sizeof bytes);
    wt_image_free(&image);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_segments_are_read),
        cmocka_unit_test(elf_load_addresses_count),
        cmocka_unit_test(malformed_elf_is_refused),
        cmocka_unit_test(malformed_elf_segments_are_refused),
        cmocka_unit_test(elf_reaches_the_last_byte),
        cmocka_unit_test(elf_with_any_byte_changed),
        cmocka_unit_test(hex_data_joins_into_segments),
        cmocka_unit_test(hex_segment_records_work),
        cmocka_unit_test(hex_linear_data_wraps_at_4_gib),
        cmocka_unit_test(malformed_hex_is_refused),
        cmocka_unit_test(raw_goes_to_its_base),
        cmocka_unit_test(vxbin_is_read),
        cmocka_unit_test(vxbin_symbol_tables_are_no_image),
        cmocka_unit_test(malformed_vxbin_is_refused),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

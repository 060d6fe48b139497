/*
 * Fuzz target: symbols and lines of damaged ELF files. What is found is within what was asked for.
 * libFuzzer mutates whole files, and the seeds are small ones with DWARF.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/source/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct wt_symbols *s, uint64_t addr)
{
    const char *name, *file;
    uint64_t offset, again;
    unsigned line;
    char text[64];
    if (wt_symbols_function(s, addr, &name, &offset)) {
        if (!name[0] || offset > addr)
            abort();
        wt_symbols_address(s, name, &again);
    }
    if (wt_symbols_line(s, addr, &file, &line) && strlen(file) == SIZE_MAX)
        abort();
    memset(text, 1, sizeof text);
    wt_symbols_describe(s, addr, text, sizeof text);
    if (!memchr(text, 0, sizeof text))
        abort();
    wt_symbols_body(s, addr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_symbols *s;
    struct wt_error err = {0};
    if (wt_symbols_open_bytes("fuzzed", data, size, &s, &err)) {
        if (s || !err.text[0])
            abort();
        return 0;
    }
    uint64_t start, end;
    wt_symbols_range(s, &start, &end);
    for (uint64_t i = 0; i < 64; i++)
        look_at(s, start + i);
    look_at(s, end);
    look_at(s, UINT64_MAX);
    wt_symbols_close(s);
    return 0;
}

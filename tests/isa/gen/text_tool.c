/*
 * Decodes Gen9 code for tests: `gen_text_tool FILE` prints a line an instruction, "OFFSET TEXT";
 * `gen_text_tool --compact FILE` compacts each native instruction and expands it again: "OFFSET
 * COMPACT EXPANDED" in hexadecimal, or "OFFSET -".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "emulator/gen/isa.h"

static void show_text(const struct gen_word *word, size_t at)
{
    char text[256];
    gen_disassemble(word, text, sizeof text);
    printf("%zu %s\n", at, text);
}

static void show_compact(const struct gen_word *word, size_t at)
{
    struct gen_word compact, native;
    if (gen_compact(word, &compact) && gen_expand(&compact, &native))
        printf("%zu %016" PRIx64 " %016" PRIx64 "%016" PRIx64 "\n", at, compact.low, native.high,
               native.low);
    else
        printf("%zu -\n", at);
}

int main(int argc, char **argv)
{
    const bool compact = argc == 3 && strcmp(argv[1], "--compact") == 0;
    uint8_t *bytes;
    size_t length;
    struct wt_error err;
    if (argc != 2 + compact || wt_file_read(argv[argc - 1], &bytes, &length, &err) != WT_OK) {
        fprintf(stderr, "usage: gen_text_tool [--compact] FILE\n");
        return 2;
    }
    for (size_t at = 0; at + 8 <= length;) {
        struct gen_word word = {.low = wt_load_le(bytes + at, 8)};
        const size_t size = gen_is_compact(&word) ? 8 : 16;
        if (at + size > length)
            break;
        if (size == 16)
            word.high = wt_load_le(bytes + at + 8, 8);
        (compact ? show_compact : show_text)(&word, at);
        at += size;
    }
    free(bytes);
    return 0;
}

/*
 * Fuzz target: decoding Gen9 instructions. Any 16 bytes decode or give a reason; the text fits any
 * buffer; what compacts expands to the same word again.
 */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/gen/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gen_insn insn;
    struct gen_word word, other;
    const char *why;
    char text[200], cut[9];
    if (size < 16)
        return -1;
    word = (struct gen_word){wt_load_le(data, 8), wt_load_le(data + 8, 8)};
    const bool good = gen_decode(&word, &insn, &why);
    assert(good == !why && (insn.length == 8 || insn.length == 16));
    assert(gen_disassemble(&word, text, sizeof text) == insn.length && strlen(text) > 0);
    gen_disassemble(&word, cut, sizeof cut);
    assert(strlen(cut) < sizeof cut);
    if (gen_compact(&word, &other)) {
        struct gen_word again;
        assert(gen_is_compact(&other) && gen_expand(&other, &again));
        assert(again.low == word.low && again.high == word.high);
    }
    return 0;
}

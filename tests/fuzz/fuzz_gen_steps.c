/* Fuzz target: barriers of sub-groups. The first byte is the module's number of 16 words, and the
 * kernel's ELF file is behind it. A copy says what the steps say. */
#include <stdlib.h>
#include <string.h>

#include "object/elf_header.h"
#include "object/gen_steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const size_t whole = 64u * data[0], module = whole < size ? whole : size - 1;
    struct gen_steps *steps =
        gen_steps_make(data + 1, module, "k", data + 1 + module, size - 1 - module);
    struct gen_steps *copy = gen_steps_copy(steps);
    for (uint64_t at = 0; steps && copy && at < 4096; at += 16) {
        const struct gen_step a = gen_steps_at(steps, at), b = gen_steps_at(copy, at),
                              c = gen_steps_at(copy, at + 64);
        if (a.line != b.line || a.function != b.function ||
            gen_steps_between(steps, a, c, at & 16) != gen_steps_between(copy, b, c, at & 16))
            abort();
    }
    uint64_t at, again;
    for (size_t n = 0; steps && copy && gen_steps_unwaited(steps, n, &at); n++)
        if (!gen_steps_unwaited(copy, n, &again) || at != again)
            abort();
    size_t length;
    wt_elf_section(data, size, GEN_STEPS_SECTION, &length);
    gen_steps_free(steps);
    gen_steps_free(copy);
    return 0;
}

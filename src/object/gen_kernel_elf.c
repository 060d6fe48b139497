/* See gen_kernel_elf.h. */
#include "object/gen_kernel_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "object/line_elf.h"

#define EM_INTELGT 205

enum wt_status gen_kernel_elf_make(const char *name, const uint8_t *given, uint64_t code_size,
                                   uint8_t **bytes, size_t *length, struct wt_error *err)
{
    enum { INSTRUCTION = 16 };
    /* Of a kernel that begins with illegal instructions, the length is not known. */
    const uint64_t size = code_size ? code_size : INSTRUCTION;
    uint8_t *code = calloc(1, size);
    const struct line_elf_symbol symbol = {.name = name, .size = size, .is_function = true};
    const struct line_elf_unit unit = {.name = name, .file = &name, .file_count = 1};
    const struct line_elf elf = {.producer = "wavetrap",
                                 .unit = &unit,
                                 .unit_count = 1,
                                 .machine = EM_INTELGT,
                                 .code = code,
                                 .code_size = size,
                                 .symbol = &symbol,
                                 .symbol_count = 1};
    if (!code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the symbols of %s", name);
    if (given)
        memcpy(code, given, code_size);
    const enum wt_status status = line_elf_write(&elf, bytes, length, err);
    free(code);
    return status;
}

void gen_kernel_elf_correct(uint8_t *bytes, size_t length, uint64_t code_size)
{
    Elf64_Ehdr header;
    if (length < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        const uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > length || length - at < sizeof segment)
            return;
        memcpy(&segment, bytes + at, sizeof segment);
        segment.p_filesz = segment.p_memsz = code_size;
        memcpy(bytes + at, &segment, sizeof segment);
    }
}

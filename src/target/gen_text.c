/*
 * Text through libiga64. See gen_text.h. The library alone would not do: it leaves out swizzles and
 * write masks of Align16, and prints registers that Gen9 does not have (docs/gen9.md).
 */
#include "target/gen_text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/gen/isa.h"

/* The library's interface (intel-graphics-compiler, visa/iga/IGALibrary/api/iga.h), as far as it is
 * used here. */
enum { IGA_SUCCESS = 0, IGA_GEN9 = 9 << 16, IGA_NUMERIC_LABELS = 1 };

struct iga_context_options {
    size_t size;
    int32_t platform;
};

struct iga_disassemble_options {
    uint32_t size, formatting, reserved[2], decoder, base_pc;
};

typedef int iga_create_fn(const struct iga_context_options *options, void **context);
typedef int iga_disassemble_fn(void *context, const struct iga_disassemble_options *options,
                               const void *input, const char *(*label)(int32_t pc, void *context),
                               void *label_context, char **text);

static struct {
    bool asked;
    void *context;
    iga_disassemble_fn *disassemble; /* NULL: there is no library */
} iga;

/* It stays loaded until the process ends. */
static void load(void)
{
    const struct iga_context_options options = {.size = sizeof options, .platform = IGA_GEN9};
    iga_create_fn *create = NULL;
    iga_disassemble_fn *disassemble = NULL;
    iga.asked = true;
    void *library = dlopen("libiga64.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    *(void **)&create = dlsym(library, "iga_context_create");
    *(void **)&disassemble = dlsym(library, "iga_context_disassemble_instruction");
    if (create && disassemble && create(&options, &iga.context) == IGA_SUCCESS)
        iga.disassemble = disassemble;
}

static const char *skip(const char *text)
{
    return text + strspn(text, " \t\n");
}

/* Whether both have the same words, up to the comment. */
static bool is_same(const char *ours, const char *theirs)
{
    for (;;) {
        ours = skip(ours);
        theirs = skip(theirs);
        const bool ends = !*theirs || strncmp(theirs, "//", 2) == 0;
        if (!*ours || ends)
            return !*ours && ends;
        for (; *ours && !isspace((unsigned char)*ours); ours++, theirs++)
            if (*ours != *theirs)
                return false;
        if (*theirs && !isspace((unsigned char)*theirs))
            return false;
    }
}

/* The library's comment on an instruction; "" if it reads the word as another instruction. */
static const char *comment_on(const struct gen_word *word, const char *ours)
{
    const struct iga_disassemble_options options = {.size = sizeof options,
                                                    .formatting = IGA_NUMERIC_LABELS};
    uint8_t bytes[16];
    char *theirs = NULL;
    if (!iga.asked)
        load();
    wt_store_le(bytes, word->low, 8);
    wt_store_le(bytes + 8, word->high, 8);
    if (!iga.disassemble ||
        iga.disassemble(iga.context, &options, bytes, NULL, NULL, &theirs) != IGA_SUCCESS ||
        !theirs || !is_same(ours, theirs))
        return "";
    const char *comment = strstr(theirs, "//");
    return comment ? comment : "";
}

unsigned wt_gen_text(const struct gen_word *word, char *text, size_t size)
{
    const unsigned length = gen_disassemble(word, text, size);
    struct gen_insn insn;
    const char *why;
    if (!gen_decode(word, &insn, &why) ||
        (insn.row->format != GEN_FORMAT_SEND && insn.row->format != GEN_FORMAT_SENDS))
        return length;
    const char *comment = comment_on(word, text);
    const size_t used = strlen(text);
    if (*comment && used < size)
        snprintf(text + used, size - used, "  %.*s", (int)strcspn(comment, "\n"), comment);
    return length;
}

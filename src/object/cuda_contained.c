/* Code for NVIDIA's GPUs in other files. See cuda_contained.h. */
#include "object/cuda_contained.h"

#include <elf.h>
#include <string.h>

#include "base/bits.h"
#include "object/cubin.h"
#include "object/cuda_fatbin.h"
#include "object/ptx.h"
#include "object/ptx_object.h"

static bool is_elf(const uint8_t *bytes, size_t left, size_t *size)
{
    if (left < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
        bytes[EI_CLASS] != ELFCLASS64 || wt_load_le(bytes + 18, 2) != CUBIN_ELF_MACHINE)
        return false;
    if (ptx_object_is(bytes, left, size))
        return *size <= left;
    return cubin_extent(bytes, left, size);
}

static bool is_fatbin(const uint8_t *bytes, size_t left, size_t *size)
{
    enum { HEADER = 16 };
    if (left < HEADER || !cuda_fatbin_is(bytes, left))
        return false;
    const uint64_t whole = cuda_fatbin_size(bytes);
    *size = (size_t)whole;
    return whole && whole <= left;
}

/* Characters of a text; comments may be in any language. */
static bool is_text(uint8_t byte)
{
    return byte >= ' ' || (byte >= '\t' && byte <= '\r');
}

/* The text whose ".version" is at bytes[at]; only comments are before that. */
static bool find_text(const uint8_t *bytes, size_t length, size_t from, size_t at,
                      struct cuda_contained *found)
{
    static const char word[] = ".version";
    enum { WORD = sizeof word - 1, MOST_COMMENTS = 4096 };
    size_t first = at, end = at + WORD;
    if (length - at <= WORD || memcmp(bytes + at, word, WORD) != 0)
        return false;
    while (first > from && at - first < MOST_COMMENTS && is_text(bytes[first - 1]))
        first--;
    if (!ptx_is_text(bytes + first, end - first))
        return false;
    while (end < length && bytes[end])
        end++;
    *found = (struct cuda_contained){CUDA_CONTAINED_TEXT, bytes + first, end - first};
    return true;
}

static bool find_at(const uint8_t *bytes, size_t length, size_t from, size_t at,
                    struct cuda_contained *found)
{
    const uint8_t *here = bytes + at;
    *found = (struct cuda_contained){.bytes = here};
    switch (*here) {
    case '.':
        return find_text(bytes, length, from, at, found);
    case ELFMAG0:
        found->kind = CUDA_CONTAINED_ELF;
        return is_elf(here, length - at, &found->size);
    case CUDA_FATBIN_MAGIC & 0xff:
        found->kind = CUDA_CONTAINED_FATBIN;
        return is_fatbin(here, length - at, &found->size);
    default:
        return false;
    }
}

bool cuda_contained_next(const uint8_t *bytes, size_t length, size_t *at,
                         struct cuda_contained *found)
{
    size_t from = *at;
    for (size_t i = from; i < length; i++) {
        if (find_at(bytes, length, from, i, found)) {
            *at = (size_t)(found->bytes - bytes) + found->size;
            return true;
        }
        if (!is_text(bytes[i]))
            from = i + 1; /* no text begins before that */
    }
    *at = length;
    return false;
}

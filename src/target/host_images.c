/* See host_images.h. */
#include "target/host_images.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "object/cuda_contained.h"
#include "object/cuda_fatbin.h"
#include "object/ptx_object.h"

enum {
    AMDGPU = 224,
    LEAST = 50,
    MOST = 99,
    COMPILED = 80, /* of a program that compiles at run time: all NVRTCs from 11 on know it */
};

struct host_search {
    const uint8_t *bytes;
    size_t size;
    struct wt_host_images *found;
    /* Compute capabilities, 0: none. */
    unsigned runs;  /* runs of machine code that can run here: the highest */
    unsigned image; /* of other images, whose number runtimes compare: the lowest */
    unsigned text;  /* text of PTX as text, of which a part may be a library's: the lowest */
};

static void lower(unsigned *least, unsigned capability)
{
    if (!*least || capability < *least)
        *least = capability;
}

static void note(struct host_search *s, unsigned capability, bool runs)
{
    s->found->nvidia = true;
    if (capability < LEAST || capability > MOST)
        return;
    if (!runs)
        lower(&s->image, capability);
    else if (capability > s->runs)
        s->runs = capability;
}

static bool is_runnable(unsigned capability)
{
    return capability >= 50 && capability <= 53;
}

/* An ELF file for AMD's GPUs inside the program. */
static void look_at_elf(struct host_search *s, size_t at)
{
    const uint8_t *header = s->bytes + at;
    if (at && s->size - at >= sizeof(Elf64_Ehdr) && wt_load_le(header + 18, 2) == AMDGPU)
        s->found->amd = true;
}

static void look_at_cubin(struct host_search *s, const struct cuda_contained *image)
{
    const uint64_t flags = wt_load_le(image->bytes + 48, 4);
    const unsigned sm = flags >> (image->bytes[EI_ABIVERSION] >= 8 ? 8 : 0) & 0xff;
    size_t whole;
    note(s, sm, is_runnable(sm) && !ptx_object_is(image->bytes, image->size, &whole));
}

static void look_at_fatbin(struct host_search *s, const struct cuda_contained *image)
{
    struct cuda_fatbin_entry entry;
    struct wt_error err;
    size_t whole;
    for (size_t next = 0;
         cuda_fatbin_next(image->bytes, image->size, &next, &entry, &err) == WT_OK && entry.kind;)
        note(s, entry.capability,
             entry.kind == CUDA_FATBIN_ELF && is_runnable(entry.capability) &&
                 !ptx_object_is(entry.payload, entry.payload_size, &whole));
}

/* ".target sm_70" of PTX as text. */
static void look_at_text(struct host_search *s, const struct cuda_contained *image)
{
    char word[24] = "";
    const uint8_t *at = memmem(image->bytes, image->size, ".target", 7);
    const size_t left = at ? image->size - (size_t)(at - image->bytes) : 0;
    memcpy(word, at ? at : image->bytes, left < sizeof word ? left : sizeof word - 1);
    const char *sm = at ? word + 7 + strspn(word + 7, " \t") : word;
    s->found->nvidia = true;
    if (strncmp(sm, "sm_", 3) != 0 || !isdigit((unsigned char)sm[3]))
        return;
    const unsigned long capability = strtoul(sm + 3, NULL, 10);
    if (capability >= LEAST && capability <= MOST)
        lower(&s->text, (unsigned)capability);
}

static void look_at_cuda(struct host_search *s)
{
    struct cuda_contained image;
    size_t at = 0;
    while (cuda_contained_next(s->bytes, s->size, &at, &image)) {
        if (image.kind == CUDA_CONTAINED_TEXT)
            look_at_text(s, &image);
        else if (image.kind == CUDA_CONTAINED_FATBIN)
            look_at_fatbin(s, &image);
        else if (image.bytes != s->bytes)
            look_at_cubin(s, &image);
    }
}

static void look_at_bundle(struct host_search *s, size_t at)
{
    s->found->amd = true;
}

static void each(struct host_search *s, const char *pattern,
                 void (*look)(struct host_search *s, size_t at))
{
    const uint8_t *at = s->bytes;
    while ((at = memmem(at, s->size - (size_t)(at - s->bytes), pattern, strlen(pattern)))) {
        look(s, (size_t)(at - s->bytes));
        at++;
    }
}

struct wt_host_images wt_host_images_look(const char *path)
{
    struct wt_host_images found = {0};
    struct stat stat;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size > 0) {
        struct host_search s = {.size = (size_t)stat.st_size, .found = &found};
        void *bytes = mmap(NULL, s.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            s.bytes = bytes;
            each(&s, "\177ELF\2\1", look_at_elf);
            look_at_cuda(&s);
            each(&s, "__CLANG_OFFLOAD_BUNDLE__", look_at_bundle);
            found.capability = s.runs ? s.runs : s.image ? s.image : s.text;
            /* PTX as text runs on later GPUs, too. */
            if (!s.runs && !s.image && s.text < COMPILED &&
                memmem(bytes, s.size, "libnvrtc.so", 11))
                found.capability = COMPILED;
            munmap(bytes, s.size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

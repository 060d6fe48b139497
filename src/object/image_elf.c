/* ELF executables: the loadable segments (PT_LOAD), by libelf. */
#include "object/image_formats.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

/* A loadable segment, and the program header that describes it. */
struct load {
    GElf_Phdr phdr;
    size_t index;
    uint64_t addr; /* where it goes */
    uint64_t size; /* memory that it covers */
};

const char *wt_image_machine_name(unsigned elf_machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {
        {EM_RISCV, "RISC-V"},    {EM_X86_64, "x86-64"}, {EM_386, "x86 (i386)"},
        {EM_AARCH64, "AArch64"}, {EM_ARM, "ARM"},       {EM_PPC64, "PowerPC 64"},
        {EM_S390, "S/390"},      {EM_MIPS, "MIPS"},     {224, "AMD GPU"},
        {190, "NVIDIA CUDA"},    {205, "Intel GPU"},    {EM_BPF, "BPF"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == elf_machine)
            return names[i].name;
    return "unknown machine";
}

/* Errors that can be found before libelf reads the file, with clearer messages than its own. */
static enum wt_status check_ident(const struct wt_image_source *source, struct wt_error *err)
{
    const uint8_t *ident = source->bytes;
    if (source->length < EI_NIDENT)
        return wt_fail(err, WT_INVALID,
                       "%s: the ELF file ends within its identification (offset %zu)", source->name,
                       source->length);
    if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
        return wt_fail(err, WT_INVALID, "%s: ELF class %u (offset 4) is neither 32 nor 64 bits",
                       source->name, ident[EI_CLASS]);
    if (ident[EI_DATA] != ELFDATA2LSB)
        return wt_fail(err, WT_INVALID,
                       "%s: the ELF file is not little-endian (offset 5 holds %u, not 1)",
                       source->name, ident[EI_DATA]);
    size_t size = ident[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    if (source->length < size)
        return wt_fail(err, WT_INVALID,
                       "%s: the ELF file ends within its header (%zu of %zu bytes)", source->name,
                       source->length, size);
    return WT_OK;
}

static enum wt_status check_header(const struct wt_image_source *source, Elf *elf,
                                   GElf_Ehdr *header, struct wt_error *err)
{
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, header))
        return wt_fail(err, WT_INVALID, "%s: malformed ELF header: %s", source->name,
                       elf_errmsg(-1));
    switch (header->e_type) {
    case ET_EXEC:
        return WT_OK;
    case ET_REL:
        return wt_fail(err, WT_INVALID,
                       "%s: it is an object file for %s; link it into an executable first",
                       source->name, wt_image_machine_name(header->e_machine));
    case ET_DYN:
        return wt_fail(
            err, WT_INVALID,
            "%s: it is a shared object or a position-independent executable for %s; link "
            "it with -static -no-pie at the address where it shall run",
            source->name, wt_image_machine_name(header->e_machine));
    case ET_CORE:
        return wt_fail(err, WT_INVALID, "%s: it is a core dump of a program for %s, not a program",
                       source->name, wt_image_machine_name(header->e_machine));
    default:
        return wt_fail(err, WT_INVALID, "%s: ELF type %u (offset 16) is not an executable's",
                       source->name, header->e_type);
    }
}

/* Checks one PT_LOAD header against the file; fills in where it goes. */
static enum wt_status check_load(const struct wt_image_source *source, const GElf_Ehdr *header,
                                 struct load *load, bool by_physical, struct wt_error *err)
{
    const GElf_Phdr *p = &load->phdr;
    if (p->p_filesz > p->p_memsz)
        return wt_fail(err, WT_INVALID,
                       "%s: segment %zu has more bytes in the file (0x%" PRIx64
                       ") than in memory (0x%" PRIx64 ")",
                       source->name, load->index, p->p_filesz, p->p_memsz);
    if (p->p_filesz && (p->p_offset > source->length || p->p_filesz > source->length - p->p_offset))
        return wt_fail(err, WT_INVALID,
                       "%s: segment %zu wants 0x%" PRIx64 " bytes at offset 0x%" PRIx64
                       ", but the file ends at 0x%zx",
                       source->name, load->index, p->p_filesz, p->p_offset, source->length);
    /* Where a segment has a load address of its own, the program copies it to its place and
     * clears what follows there: only the bytes of the file belong at the load address. */
    bool moved = by_physical && p->p_paddr != p->p_vaddr;
    load->addr = by_physical ? p->p_paddr : p->p_vaddr;
    load->size = moved ? p->p_filesz : p->p_memsz;
    if (header->e_ident[EI_CLASS] == ELFCLASS32 && load->size &&
        load->addr + load->size > (uint64_t)1 << 32)
        return wt_fail(err, WT_INVALID,
                       "%s: segment %zu (0x%" PRIx64 " bytes at 0x%" PRIx64
                       ") goes past the end of a 32-bit address space",
                       source->name, load->index, load->size, load->addr);
    return WT_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static enum wt_status add_loads(const struct wt_image_source *source, const GElf_Ehdr *header,
                                struct load *loads, size_t count, struct wt_image *image,
                                struct wt_error *err)
{
    /* Tools that know nothing of load addresses leave all of them 0. */
    bool by_physical = false;
    for (size_t i = 0; i < count; i++)
        by_physical = by_physical || loads[i].phdr.p_paddr != 0;
    for (size_t i = 0; i < count; i++) {
        enum wt_status status = check_load(source, header, &loads[i], by_physical, err);
        if (status)
            return status;
    }
    qsort(loads, count, sizeof *loads, by_address);
    const struct load *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct load *load = &loads[i];
        if (!load->size)
            continue;
        if (last && load->addr - last->addr < last->size)
            return wt_fail(err, WT_INVALID,
                           "%s: segment %zu (0x%" PRIx64 " bytes at 0x%" PRIx64
                           ") overlaps segment %zu (0x%" PRIx64 " bytes at 0x%" PRIx64 ")",
                           source->name, load->index, load->size, load->addr, last->index,
                           last->size, last->addr);
        last = load;
        const uint8_t *bytes = load->phdr.p_filesz ? source->bytes + load->phdr.p_offset : NULL;
        if (wt_image_add(image, load->addr, bytes, load->phdr.p_filesz, load->size,
                         load->phdr.p_flags & PF_X, err))
            return wt_fail_in(err, "%s: segment %zu", source->name, load->index);
        image->segment[image->segments - 1].writable = load->phdr.p_flags & PF_W;
    }
    if (!last)
        return wt_fail(err, WT_INVALID, "%s: the ELF file has nothing to load (no PT_LOAD segment)",
                       source->name);
    return WT_OK;
}

static enum wt_status parse(const struct wt_image_source *source, Elf *elf, struct wt_image *image,
                            struct wt_error *err)
{
    GElf_Ehdr header;
    enum wt_status status = check_header(source, elf, &header, err);
    if (status)
        return status;
    image->format = WT_IMAGE_ELF;
    image->bits = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
    image->elf_machine = header.e_machine;
    image->elf_flags = header.e_flags;
    image->has_entry = true;
    image->entry = header.e_entry;

    /* libelf leaves out headers that do not fit the file, without a word: count them here. Only
     * the number that did not fit e_phnum has to come from section header 0. */
    size_t count = header.e_phnum;
    if (count == PN_XNUM && (elf_getphdrnum(elf, &count) || count < PN_XNUM))
        return wt_fail(err, WT_INVALID, "%s: malformed number of program headers", source->name);
    size_t phdr_size = gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
    if (count && header.e_phentsize != phdr_size)
        return wt_fail(err, WT_INVALID,
                       "%s: program headers of %u bytes each, %zu are what the format has",
                       source->name, header.e_phentsize, phdr_size);
    if (count &&
        (header.e_phoff > source->length || count > (source->length - header.e_phoff) / phdr_size))
        return wt_fail(err, WT_INVALID,
                       "%s: %zu program headers at offset 0x%" PRIx64
                       " do not fit the file, which ends at 0x%zx",
                       source->name, count, (uint64_t)header.e_phoff, source->length);
    struct load *loads = calloc(count ? count : 1, sizeof *loads);
    if (!loads)
        return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for %zu program headers",
                       source->name, count);
    size_t found = 0;
    for (size_t i = 0; i < count && !status; i++) {
        struct load *load = &loads[found];
        if (!gelf_getphdr(elf, (int)i, &load->phdr)) {
            status = wt_fail(err, WT_INVALID, "%s: malformed program header %zu: %s", source->name,
                             i, elf_errmsg(-1));
        } else if (load->phdr.p_type == PT_LOAD) {
            load->index = i;
            found++;
        }
    }
    if (!status)
        status = add_loads(source, &header, loads, found, image, err);
    free(loads);
    return status;
}

enum wt_status wt_image_parse_elf(const struct wt_image_source *source, struct wt_image *image,
                                  struct wt_error *err)
{
    enum wt_status status = check_ident(source, err);
    if (status)
        return status;
    elf_version(EV_CURRENT);
    /* libelf only reads a file that it is given in memory (elf_memory is ELF_C_READ). */
    Elf *elf = elf_memory((char *)(uintptr_t)source->bytes, source->length);
    if (!elf)
        return wt_fail(err, WT_INVALID, "%s: malformed ELF file: %s", source->name, elf_errmsg(-1));
    status = parse(source, elf, image, err);
    elf_end(elf);
    return status;
}

/* `wavetrap info`: an ELF file's symbols and debug information. */
#include "cli/info.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Facts from an ELF file's sections. libelf checks what it reads; sections that it refuses are
 * treated as absent. */
struct sections {
    size_t symbols, functions;
    bool lines, info;
};

static void count_symbols(Elf_Scn *section, const GElf_Shdr *header, struct sections *s)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !header->sh_entsize)
        return;
    for (size_t i = 1; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        s->symbols++;
        s->functions += GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
    }
}

static struct sections read_sections(const char *path)
{
    struct sections s = {0};
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    size_t names;
    if (elf && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header))
                continue;
            const char *name = elf_strptr(elf, names, header.sh_name);
            if (header.sh_type == SHT_SYMTAB)
                count_symbols(section, &header, &s);
            s.lines = s.lines || (name && strcmp(name, ".debug_line") == 0);
            s.info = s.info || (name && strcmp(name, ".debug_info") == 0);
        }
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return s;
}

void cli_tell_debug_information(const char *path)
{
    struct sections s = read_sections(path);
    printf("  symbols: %zu, of them functions: %zu\n", s.symbols, s.functions);
    printf("  debug information: %s\n", s.info && s.lines ? "DWARF, with source lines"
                                        : s.info          ? "DWARF, without source lines"
                                        : s.lines         ? "source lines alone"
                                                          : "none");
}

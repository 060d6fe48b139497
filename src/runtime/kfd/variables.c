/*
 * Variables of code objects as objects (check/objects.h). In sections that programs write each
 * variable has a symbol, and the bytes between them are nobody's. Of the other sections the rest is
 * objects without a name: code, and constants that compilers make.
 */
#include "runtime/kfd/host.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/demangle.h"
#include "check/heap.h"
#include "check/names.h"
#include "check/objects.h"
#include "runtime/common/checked.h"

struct kfd_variable {
    uint64_t addr, size;
    const char *name;
};

struct variables {
    struct kfd_variable *list;
    size_t count, room;
    struct kfd_variable *symbol; /* symbol of data, those without a size, too */
    size_t symbols, symbol_room;
};

static int by_address(const void *a, const void *b)
{
    const struct kfd_variable *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_descriptor(const char *name)
{
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".kd") == 0;
}

/* Functions of the device library's allocator, which HIP's malloc and free call. */
static void note_function(const char *name, uint64_t addr, uint64_t size)
{
    if (strcmp(name, "__ockl_dm_alloc") == 0)
        wt_allocator_at(NULL, addr, size, WT_ALLOCATES);
    else if (strcmp(name, "__ockl_dm_dealloc") == 0)
        wt_allocator_at(NULL, addr, size, WT_FREES);
    if (size && !strstr(name, ".cold"))
        wt_function_at(NULL, addr, size, name);
}

static void note_symbol(struct variables *v, const GElf_Sym *symbol, const char *name)
{
    const int type = GELF_ST_TYPE(symbol->st_info);
    struct kfd_variable *grown;
    if ((type != STT_OBJECT && type != STT_NOTYPE) || !*name || is_descriptor(name) ||
        !(grown = wt_array_grow(v->symbol, &v->symbol_room, v->symbols + 1, sizeof *grown)))
        return;
    v->symbol = grown;
    grown[v->symbols++] = (struct kfd_variable){symbol->st_value, symbol->st_size, name};
}

static void read_symbols(Elf *elf, uint64_t bias, struct variables *v)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;
    while ((section = elf_nextscn(elf, section))) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || v->count ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            struct kfd_variable *grown;
            if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
                note_function(name, bias + symbol.st_value, symbol.st_size);
            if (name && symbol.st_shndx != SHN_UNDEF)
                note_symbol(v, &symbol, name);
            if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_size || !name ||
                symbol.st_shndx == SHN_UNDEF || is_descriptor(name) ||
                !(grown = wt_array_grow(v->list, &v->room, v->count + 1, sizeof *grown)))
                continue;
            v->list = grown;
            grown[v->count++] = (struct kfd_variable){symbol.st_value, symbol.st_size, name};
        }
    }
    if (v->count)
        qsort(v->list, v->count, sizeof *v->list, by_address);
    if (v->symbols)
        qsort(v->symbol, v->symbols, sizeof *v->symbol, by_address);
}

/* Variables that checks tell apart (check/names.h). */
static void note_names(const struct variables *v, uint64_t bias)
{
    struct wt_names_reader reader = {.space = NULL};
    char plain[300];
    for (size_t i = 0; i < v->symbols; i++) {
        wt_demangle(v->symbol[i].name, plain, sizeof plain);
        wt_names_read(&reader, plain, bias + v->symbol[i].addr, v->symbol[i].size);
    }
    wt_names_end(&reader);
}

static void note(uint64_t addr, uint64_t end, const char *name, bool read_only)
{
    char plain[300];
    wt_demangle(name, plain, sizeof plain);
    if (addr < end)
        wt_object_variable(NULL, addr, end - addr, plain, read_only);
}

/* GCC's programs have newlib, whose malloc has lists whose heads are not whole. */
static bool is_of_gcc(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;
    bool is = false;
    if (elf_getshdrstrndx(elf, &names))
        return true;
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        const Elf_Data *data =
            name && strcmp(name, ".comment") == 0 ? elf_getdata(section, NULL) : NULL;
        is |= data && data->d_buf && memmem(data->d_buf, data->d_size, "GCC:", 4);
    }
    return is;
}

/* Adds the variables of a section. The bytes between them may be accessed if the section is
 * read-only or @p lax is set. */
static void note_section(const struct variables *v, const GElf_Shdr *section, uint64_t bias,
                         bool lax)
{
    const bool written = section->sh_flags & SHF_WRITE;
    uint64_t at = section->sh_addr;
    const uint64_t end = at + section->sh_size;
    bool any = false;
    for (size_t i = 0; i < v->count; i++) {
        const struct kfd_variable *one = &v->list[i];
        if (one->addr < at || one->addr >= end)
            continue;
        if (!written || lax)
            note(bias + at, bias + one->addr, "", !written);
        note(bias + one->addr, bias + one->addr + one->size, one->name, !written);
        at = one->addr + one->size;
        any = true;
    }
    if (!written || lax || !any)
        note(bias + at, bias + end, "", !written);
}

static void note_variables(int fd, uint64_t bias)
{
    struct variables v = {.list = NULL};
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf)
        read_symbols(elf, bias, &v);
    const bool lax = elf && is_of_gcc(elf);
    while (elf && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC && header.sh_size)
            note_section(&v, &header, bias, lax);
    note_names(&v, bias);
    free(v.list);
    free(v.symbol);
    elf_end(elf);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A child of fork() has no GPUs yet: it lists anew. */
static void forget(void)
{
    pthread_mutex_init(&lock, NULL);
}

static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

void host_variables_list(void)
{
    struct host *host = host_get();
    struct host_code code;
    uint64_t state;
    if (!host || !wt_check_wants(WT_CHECK_MEMORY))
        return;
    pthread_mutex_lock(&lock);
    if (host_code_state(host, &state) && state != host->variables_known &&
        host_code_begin(host, &code)) {
        wt_names_begin(NULL);
        while (host_code_next(&code)) {
            const int fd = host_code_object(code.uri);
            if (fd < 0)
                continue;
            note_variables(fd, code.bias);
            close(fd);
        }
        host->variables_known = state;
    }
    pthread_mutex_unlock(&lock);
}

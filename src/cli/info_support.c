/* `wavetrap info --support`: lists the instructions and functions of each family with their state:
 * they work, are near to hardware, or are refused. */
#include "cli/info.h"

#include <fcntl.h>
#include <gelf.h>
#include <json.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/refused.h"
#include "cli/cli.h"
#include "target/host_program.h"
#include "target/own_files.h"

struct list {
    const struct wt_family *family;
    bool json;
};

static const char *const states[] = {"works", "near", "refused"};

static void tell(void *context, const struct wt_support *what)
{
    const struct list *list = context;
    if (!list->json) {
        printf("%-20s %-36s %-8s %s\n", what->of, what->name, states[what->state], what->note);
        return;
    }
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "family", json_object_new_string(list->family->name));
    json_object_object_add(o, "of", json_object_new_string(what->of));
    json_object_object_add(o, "name", json_object_new_string(what->name));
    json_object_object_add(o, "state", json_object_new_string(states[what->state]));
    json_object_object_add(o, "note", json_object_new_string(what->note));
    puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    json_object_put(o);
}

/* ---- functions of a library ---- */

struct support_library {
    Elf *elf;
    Elf_Data *symbols, *refused; /* refused: NULL, it refuses none */
    GElf_Shdr symbols_header;
};

static bool find_sections(struct support_library *library)
{
    size_t names;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    if (!library->elf || elf_getshdrstrndx(library->elf, &names))
        return false;
    while ((section = elf_nextscn(library->elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(library->elf, names, header.sh_name) : NULL;
        if (name && strcmp(name, WT_REFUSED_SECTION) == 0)
            library->refused = elf_getdata(section, NULL);
        if (name && header.sh_type == SHT_DYNSYM) {
            library->symbols = elf_getdata(section, NULL);
            library->symbols_header = header;
        }
    }
    return library->symbols;
}

/* Why the library refuses a function; NULL: it does not. Functions for a default stream of each
 * thread have the reason of the others. */
static const char *why_refused(const struct support_library *library, const char *name)
{
    size_t length = strlen(name);
    if (!library->refused)
        return NULL;
    if (length > 5 &&
        (strcmp(name + length - 5, "_ptsz") == 0 || strcmp(name + length - 5, "_ptds") == 0))
        length -= 5;
    const char *at = library->refused->d_buf, *const end = at + library->refused->d_size;
    while (at < end && *at) {
        const char *why = at + strnlen(at, (size_t)(end - at)) + 1;
        if (why >= end || !memchr(why, 0, (size_t)(end - why)))
            return NULL;
        if (strlen(at) == length && strncmp(at, name, length) == 0)
            return why;
        at = why + strlen(why) + 1;
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the functions, sorted, in an array for free(); NULL without host memory. */
static const char **functions_of(const struct support_library *library, size_t *count)
{
    const size_t symbols = library->symbols->d_size / library->symbols_header.sh_entsize;
    const char **names = malloc(symbols * sizeof *names);
    GElf_Sym symbol;
    *count = 0;
    for (size_t i = 0; names && i < symbols; i++) {
        if (!gelf_getsym(library->symbols, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const char *name =
            elf_strptr(library->elf, library->symbols_header.sh_link, symbol.st_name);
        /* Between libraries of ours, and before the C library's (exits.h). */
        if (name && strncmp(name, "wavetrap_", 9) != 0 && strcasecmp(name, "_exit") != 0)
            names[(*count)++] = name;
    }
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static enum wt_status tell_library(struct list *list, const char *folder, const char *name,
                                   struct wt_error *err)
{
    char path[PATH_MAX + NAME_MAX];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    elf_version(EV_CURRENT);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct support_library library = {.elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL)};
    const bool good = find_sections(&library);
    const char **names = good ? functions_of(&library, &count) : NULL;
    for (size_t i = 0; names && i < count; i++) {
        const char *why = why_refused(&library, names[i]);
        if (!i || strcmp(names[i], names[i - 1]) != 0) /* a name in two versions */
            tell(list,
                 &(struct wt_support){name, names[i], why ? WT_SUPPORT_REFUSED : WT_SUPPORT_WORKS,
                                      why ? why : list->family->host->tested});
    }
    free(names);
    elf_end(library.elf);
    if (fd >= 0)
        close(fd);
    return names  ? WT_OK
           : good ? wt_fail(err, WT_NO_MEMORY, "out of memory")
                  : wt_fail(err, WT_IO, "%s cannot be read", path);
}

enum wt_status cli_tell_support(const struct wt_family *family, bool json, struct wt_error *err)
{
    char folder[PATH_MAX];
    struct list list = {family, json};
    if (family->isa.list_support)
        family->isa.list_support(tell, &list);
    if (!family->host || !family->host->functions_of[0])
        return WT_OK;
    if (!wt_own_driver(family, folder, sizeof folder)) {
        fprintf(stderr, "wavetrap info: functions of %s are left out: this build has no %s (%s)\n",
                family->name, family->host->library, family->host->package);
        return WT_OK;
    }
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < WT_HOST_LIBRARIES && family->host->functions_of[i] && !status; i++)
        status = tell_library(&list, folder, family->host->functions_of[i], err);
    return status;
}

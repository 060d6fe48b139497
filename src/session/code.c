/* The code of a program's ELF file. */
#include "session/code.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

static bool add(struct wt_session_code *code, uint64_t addr, const Elf_Data *data)
{
    struct wt_code *list =
        wt_array_grow(code->list, &code->list_capacity, code->count + 1, sizeof *list);
    if (!list)
        return false;
    code->list = list;
    void **held = wt_array_grow(code->held, &code->held_capacity, code->count + 1, sizeof *held);
    if (!held)
        return false;
    code->held = held;
    void *bytes = malloc(data->d_size);
    if (!bytes)
        return false;
    memcpy(bytes, data->d_buf, data->d_size);
    code->held[code->count] = bytes;
    code->list[code->count++] = (struct wt_code){addr, bytes, data->d_size};
    return true;
}

enum wt_status wt_session_code_read(const char *path, struct wt_session_code *code,
                                    struct wt_error *err)
{
    *code = (struct wt_session_code){0};
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    enum wt_status status = WT_OK;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    while (elf && !status && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            !(header.sh_flags & SHF_EXECINSTR) || !(header.sh_flags & SHF_ALLOC))
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf && data->d_size && !add(code, header.sh_addr, data))
            status = wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its code", path);
    }
    elf_end(elf);
    close(fd);
    if (status)
        wt_session_code_free(code);
    return status;
}

void wt_session_code_free(struct wt_session_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        free(code->held[i]);
    free(code->held);
    free(code->list);
    *code = (struct wt_session_code){0};
}

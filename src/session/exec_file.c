/* See exec_file.h. */
#include "session/exec_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"

bool exec_file_find(const char *program, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    struct stat st;
    if (strchr(program, '/')) /* a folder can be searched, which looks like that */
        return snprintf(path, size, "%s", program) < (int)size && access(path, X_OK) == 0 &&
               (stat(path, &st) || !S_ISDIR(st.st_mode));
    return wt_file_in_folders(folders ? folders : "/bin:/usr/bin", program, X_OK, path, size);
}

/* Whether one of the folders (with $ORIGIN, the file's own) contains the library. */
static bool in_folders(const char *folders, const char *path, const char *library)
{
    static const char *const origin[] = {"$ORIGIN", "${ORIGIN}"};
    const char *slash = strrchr(path, '/');
    const int own = slash ? (int)(slash - path) : 0;
    for (const char *p = folders; *p;) {
        char file[PATH_MAX];
        const size_t length = strcspn(p, ":");
        int n = -1;
        for (size_t i = 0; i < 2 && n < 0; i++) {
            const size_t skip = strlen(origin[i]);
            if (length >= skip && memcmp(p, origin[i], skip) == 0)
                n = snprintf(file, sizeof file, "%.*s%.*s/%s", own ? own : 1, own ? path : ".",
                             (int)(length - skip), p + skip, library);
        }
        if (n < 0)
            n = snprintf(file, sizeof file, "%.*s/%s", (int)length, p, library);
        if (n > 0 && (size_t)n < sizeof file && access(file, R_OK) == 0)
            return true;
        p += length + (p[length] == ':');
    }
    return false;
}

/* DT_RPATH; NULL if there is none, or it is ignored because there is DT_RUNPATH. */
static const char *rpath_of(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const char *rpath = NULL;
    GElf_Dyn d;
    for (int i = 0; data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
        if (d.d_tag == DT_RUNPATH)
            return NULL;
        if (d.d_tag == DT_RPATH)
            rpath = elf_strptr(elf, header->sh_link, d.d_un.d_val);
    }
    return rpath;
}

static bool is_linked_with(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *library)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn d;
    for (int i = 0; data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
        const char *name =
            d.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, d.d_un.d_val) : NULL;
        if (name && !strcmp(name, library))
            return true;
    }
    return false;
}

static void look(Elf *elf, const char *path, const char *library, struct exec_file *file)
{
    size_t count = 0;
    bool interpreter = false;
    GElf_Phdr p;
    if (elf_kind(elf) != ELF_K_ELF)
        return;
    file->elf = true;
    if (gelf_getclass(elf) != ELFCLASS64) {
        file->why = "it is a program of 32 bits";
        return;
    }
    if (elf_getphdrnum(elf, &count))
        return;
    for (size_t i = 0; i < count; i++)
        interpreter |= gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_INTERP;
    if (!interpreter) {
        file->why = "it is linked statically";
        return;
    }
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr header;
        if (!gelf_getshdr(s, &header) || header.sh_type != SHT_DYNAMIC)
            continue;
        const char *rpath = rpath_of(elf, s, &header);
        file->needs |= is_linked_with(elf, s, &header, library);
        file->own_library |= rpath && in_folders(rpath, path, library);
    }
}

/* Whether the program gets rights that the caller lacks: then the dynamic loader takes no library
 * from the environment (ld.so(8), "secure-execution mode"). */
static bool is_privileged(const char *path)
{
    struct stat s;
    struct statvfs mount;
    if (stat(path, &s) || statvfs(path, &mount) || (mount.f_flag & ST_NOSUID) ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    return ((s.st_mode & S_ISUID) && s.st_uid != getuid()) ||
           ((s.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && s.st_gid != getgid()) ||
           (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

struct exec_file exec_file_look(const char *path, const char *library)
{
    struct exec_file file = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf)
        look(elf, path, library, &file);
    if (!file.why && (file.elf || fd < 0) && is_privileged(path)) /* some cannot be read */
        file.why =
            "it has rights that you have not (set-user-ID, set-group-ID or capabilities), and "
            "takes no libraries from you";
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return file;
}

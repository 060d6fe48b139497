/*
 * A compiler of the tests, with a memory. It runs the program of its own name that follows in PATH,
 * and keeps the files that the program writes, its output, and a list of what it reads. While
 * nothing on that list changes, the next run copies the kept files and output back instead.
 *
 * It knows no compiler's options: it sees each file that the compiler and its children open, look
 * for, execute, write, rename or remove, by ptrace and a filter of system calls. So an entry holds
 * for the same name, arguments, working folder and environment (what compilers read of it) only
 * while
 *   - each file read and folder listed below the system's folders, each program executed, and each
 * precompiled header, which has the time of what it is made of, has its size and time,
 *   - each other file read has its content; of a shared library, what a linker takes from it,
 *   - each file that was looked for in vain outside of the folders of packages is still absent.
 * A run is not kept if it fails, reads its standard input (other than by the argument "-"), reads
 * what changes meanwhile, or changes a file in place; nor at a terminal.
 *
 * WAVETRAP_TEST_CACHE is the folder of the entries, or "off"; CACHED_COMPILERS_LOG a file that gets
 * a line of each run: "hit", "made" or "not kept", the seconds of a processor that the compiler
 * took or would have taken, its name, and why it was not kept, with tabs between them.
 */
#include <assert.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* Of the entries' form, and of what is asked: another number forgets all entries. */
#define VERSION "4"
/* Larger outputs are not kept. */
#define MOST_BYTES (64 << 20)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* no filter: every run is a compiler's own */
#endif

/* What a run has done to a path. */
enum use {
    LOOKED = 1,   /* asked for, or opened for reading */
    READ = 2,     /* opened for reading: it was there, and not yet written */
    EXECUTED = 4, /* a program */
    LINKED = 8,   /* read by linkers alone */
    WRITTEN = 16,
    REMOVED = 32, /* it was there before the run */
    MADE = 64,    /* a folder */
};

struct seen {
    const char *path;
    unsigned use;
};

struct run {
    const char *name;
    void *paths;          /* of struct seen, by path (tsearch) */
    const char *not_kept; /* why, or NULL */
    struct timespec began;
    pid_t child;
    struct stat input;
    bool given; /* its input is part of what is asked */
    FILE *manifest;
    const char *folder; /* of the new entry */
    unsigned outputs;
    off_t bytes;
};

/* A format with its values, for ever: the program is short-lived. */
__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    char *made;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&made, format, values);
    va_end(values);
    if (length < 0)
        abort();
    return made;
}

static bool begins(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

/* ---- contents ---- */

static char *hex(XXH128_hash_t hash)
{
    return text("%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

/* What a linker takes from a shared library: its name, those it needs, and its symbols without
 * their addresses. NULL of what is none. */
static char *interface_of(int file)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    if (!elf || !gelf_getehdr(elf, &header) || header.e_type != ET_DYN) {
        elf_end(elf);
        return NULL;
    }
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &header.e_machine, sizeof header.e_machine);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr about;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!gelf_getshdr(section, &about) || !data)
            continue;
        switch (about.sh_type) {
        case SHT_DYNSYM:
            for (int i = 0; i < (int)(about.sh_size / about.sh_entsize); i++) {
                GElf_Sym symbol;
                if (!gelf_getsym(data, i, &symbol))
                    continue;
                const char *name = elf_strptr(elf, about.sh_link, symbol.st_name);
                bool variable = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT;
                char *line = text("%s %d %d %d %llu\n", name ? name : "", symbol.st_info,
                                  symbol.st_other, symbol.st_shndx == SHN_UNDEF,
                                  variable ? (unsigned long long)symbol.st_size : 0);
                XXH3_128bits_update(state, line, strlen(line));
                free(line);
            }
            break;
        case SHT_DYNAMIC:
            for (int i = 0; i < (int)(about.sh_size / about.sh_entsize); i++) {
                GElf_Dyn entry;
                if (!gelf_getdyn(data, i, &entry))
                    continue;
                bool named = entry.d_tag == DT_SONAME || entry.d_tag == DT_NEEDED ||
                             entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
                const char *name = named ? elf_strptr(elf, about.sh_link, entry.d_un.d_val) : NULL;
                char *line = text("%lld %s\n", (long long)entry.d_tag, name ? name : "");
                XXH3_128bits_update(state, line, strlen(line));
                free(line);
            }
            break;
        case SHT_GNU_versym:
        case SHT_GNU_verdef:
        case SHT_GNU_verneed:
            XXH3_128bits_update(state, data->d_buf, data->d_size);
            break;
        }
    }
    elf_end(elf);
    char *made = hex(XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return made;
}

/* The hash of a file's content, or (`linked`) of what a linker takes from it; NULL if it is not a
 * file that can be read. `dated`: it says when it is compiled. */
static char *content_of(const char *path, bool linked, bool *dated)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    char *made = NULL;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        if (linked)
            made = interface_of(file);
        void *data = made || !about.st_size
                         ? NULL
                         : mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (!made && data != MAP_FAILED) {
            made = hex(XXH3_128bits(data, about.st_size));
            *dated = data && (memmem(data, about.st_size, "__TIME", 6) ||
                              memmem(data, about.st_size, "__DATE__", 8));
        }
        if (data && data != MAP_FAILED)
            munmap(data, about.st_size);
    }
    if (file >= 0)
        close(file);
    return made;
}

/* Copies a file's content to an open one. */
static bool copied(const char *from, int to)
{
    int file = open(from, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t done;
    while ((done = copy_file_range(file, NULL, to, NULL, MOST_BYTES, 0)) > 0)
        ;
    char block[1 << 16];
    if (done < 0) // pipes, and folders of two file systems
        while ((done = read(file, block, sizeof block)) > 0)
            for (ssize_t at = 0, more; at < done; at += more)
                if ((more = write(to, block + at, done - at)) < 0) {
                    close(file);
                    return false;
                }
    close(file);
    return done == 0;
}

/* ---- giving back ---- */

/* Whether "SIZE SECONDS.NANOSECONDS PATH" is true of its path. */
static bool same_time(const char *rest)
{
    long long size, seconds, nanoseconds;
    int at;
    struct stat about;
    return sscanf(rest, "%lld %lld.%lld %n", &size, &seconds, &nanoseconds, &at) == 3 &&
           stat(rest + at, &about) == 0 && about.st_size == size &&
           about.st_mtim.tv_sec == seconds && about.st_mtim.tv_nsec == nanoseconds;
}

/* Whether what a line of a manifest says of an input holds. */
static bool holds(const char *line)
{
    const char *rest = line + 2;
    switch (line[0]) {
    case 'S':
        return same_time(rest);
    case 'A':
        return access(rest, F_OK) != 0;
    case 'E':
        return access(rest, F_OK) == 0;
    case 'C':
    case 'L': {
        bool dated;
        char *now = content_of(rest + 33, line[0] == 'L', &dated);
        return now && strncmp(now, rest, 32) == 0 && rest[32] == ' ';
    }
    default:
        return true;
    }
}

/* Makes those folders above a path that the run has made: the lines "M FOLDER", outer ones first.
 */
static void make_folders(const char *path, char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i][0] == 'M' && begins(path, lines[i] + 2) && path[strlen(lines[i] + 2)] == '/')
            mkdir(lines[i] + 2, 0777);
}

/* Writes one output: "MODE NUMBER PATH". A new file, so that whoever has the old one open keeps it.
 */
static bool given(const char *entry, const char *rest, char **lines, size_t count)
{
    unsigned mode, number;
    int at;
    if (sscanf(rest, "%o %u %n", &mode, &number, &at) != 2)
        return false;
    const char *path = rest + at;
    char *own = text("%s.wt%d", path, getpid()), *kept = text("%s/%u", entry, number);
    make_folders(path, lines, count);
    int file = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    bool good = copied(kept, file) && fchmod(file, mode) == 0;
    if (close(file) != 0 || !good || rename(own, path) != 0) {
        unlink(own);
        return false;
    }
    return true;
}

/* Whether an output may take the place of what is there. */
static bool may_replace(const char *rest)
{
    unsigned mode, number;
    int at;
    struct stat about;
    return sscanf(rest, "%o %u %n", &mode, &number, &at) == 2 &&
           (lstat(rest + at, &about) != 0 || S_ISREG(about.st_mode));
}

/* Gives back an entry if all its inputs are the same. The seconds that its making took, or -1. */
static double given_back(const char *entry)
{
    FILE *file = fopen(text("%s/manifest", entry), "re");
    if (!file)
        return -1;
    char **lines = NULL, *line = NULL;
    size_t count = 0, room = 0;
    ssize_t length;
    bool good = true;
    double took = 0;
    while (good && (length = getline(&line, &room, file)) > 0) {
        line[length - 1] = '\0';
        good = line[0] == 'O' ? may_replace(line + 2) : holds(line);
        if (line[0] == 'T')
            took = atof(line + 2);
        if (good && strchr("OM", line[0])) {
            lines = realloc(lines, ++count * sizeof *lines);
            if (!lines)
                abort();
            lines[count - 1] = text("%s", line);
        }
    }
    fclose(file);
    for (size_t i = 0; good && i < count; i++)
        if (lines[i][0] == 'O')
            good = given(entry, lines[i] + 2, lines, count);
    if (!good)
        return -1;
    utimensat(AT_FDCWD, entry, NULL, 0); // the oldest goes first
    copied(text("%s/stdout", entry), STDOUT_FILENO);
    copied(text("%s/stderr", entry), STDERR_FILENO);
    return took;
}

/* ---- seeing what a run does ---- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->path, ((const struct seen *)b)->path);
}

static struct seen *seen(struct run *run, const char *path)
{
    struct seen wanted = {path, 0}, **found = tfind(&wanted, &run->paths, by_path);
    if (found)
        return *found;
    struct seen *made = malloc(sizeof *made);
    if (!made)
        abort();
    *made = (struct seen){text("%s", path), 0};
    if (!tsearch(made, &run->paths, by_path))
        abort();
    return made;
}

/* Files of the system, which packages bring: their size and time say whether they are the same. */
static bool of_system(const char *path)
{
    static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/", "/etc/", "/opt/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins(path, folders[i]))
            return true;
    return false;
}

/* Where more may come without a package. */
static bool of_user(const char *path)
{
    return begins(path, "/usr/local/") || begins(path, "/opt/");
}

/* What is not an input: the kernel's files, and the list of libraries, which changes with any
 * package.
 */
static bool nothing(const char *path)
{
    return begins(path, "/proc/") || begins(path, "/dev/") || begins(path, "/sys/") ||
           strcmp(path, "/etc/ld.so.cache") == 0;
}

/* A path of a traced process, absolute, until the call after the next; NULL if it cannot be read.
 */
static const char *path_of(pid_t pid, int folder, uint64_t address)
{
    static char buffers[2][2 * PATH_MAX];
    static int turn;
    char *own = buffers[turn ^= 1] + PATH_MAX, where[64], link[PATH_MAX];
    size_t length = 0;
    // Parts that end where a page may end: the next one may be no memory.
    while (length < PATH_MAX && !memchr(own, '\0', length)) {
        size_t part = 256 - ((address + length) & 255);
        if (part > PATH_MAX - length)
            part = PATH_MAX - length;
        struct iovec here = {own + length, part};
        struct iovec there = {(void *)(uintptr_t)(address + length), part};
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (got <= 0)
            return NULL;
        length += got;
    }
    if (!memchr(own, '\0', length) || !own[0])
        return NULL;
    if (own[0] == '/')
        return own;
    while (begins(own, "./"))
        own += 2;
    if (folder == AT_FDCWD)
        snprintf(where, sizeof where, "/proc/%d/cwd", pid);
    else
        snprintf(where, sizeof where, "/proc/%d/fd/%d", pid, folder);
    ssize_t got = readlink(where, link, sizeof link);
    if (got <= 0 || got >= PATH_MAX)
        return NULL;
    own[-1] = '/';
    return memcpy(own - 1 - got, link, got);
}

static bool is_linker(pid_t pid)
{
    char where[64], link[PATH_MAX];
    snprintf(where, sizeof where, "/proc/%d/exe", pid);
    ssize_t got = readlink(where, link, sizeof link - 1);
    if (got <= 0)
        return false;
    link[got] = '\0';
    const char *name = strrchr(link, '/');
    return name && (strstr(name, "-ld") || begins(name, "/ld") || begins(name, "/lld"));
}

static void reads(struct run *run, pid_t pid, const char *path)
{
    if (!path || nothing(path))
        return;
    struct seen *one = seen(run, path);
    if (one->use & (WRITTEN | EXECUTED) || (of_system(path) && one->use & READ))
        return;
    struct stat about;
    if (of_system(path))
        one->use |= LOOKED | READ;
    else if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        one->use |= LOOKED;
    else if (!(one->use & READ))
        one->use |= LOOKED | READ | (is_linker(pid) ? LINKED : 0);
    else if (one->use & LINKED && !is_linker(pid))
        one->use &= ~LINKED;
}

static void writes(struct run *run, const char *path, bool whole)
{
    struct stat about;
    if (!path || nothing(path))
        return;
    struct seen *one = seen(run, path);
    bool there = lstat(path, &about) == 0;
    if (there && !S_ISREG(about.st_mode)) // a pipe, a link
        run->not_kept = "writes what is not a file";
    else if (one->use & READ)
        run->not_kept = "writes what it has read";
    else if (!whole && there && !(one->use & WRITTEN))
        run->not_kept = "changes a file";
    one->use |= WRITTEN;
}

static void looks(struct run *run, const char *path)
{
    if (path && !nothing(path) && (!of_system(path) || of_user(path)))
        seen(run, path)->use |= LOOKED;
}

static void opens(struct run *run, pid_t pid, const char *path, uint64_t flags)
{
    if (flags & O_DIRECTORY && !(flags & O_PATH) && path && of_system(path))
        seen(run, path)->use |= LOOKED | READ; // clang looks which GCC is there
    else if (flags & (O_PATH | O_DIRECTORY))
        looks(run, path);
    else if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
        reads(run, pid, path);
    else
        writes(run, path, flags & (O_TRUNC | O_EXCL));
}

static void removes(struct run *run, const char *path)
{
    struct stat about;
    if (!path || nothing(path))
        return;
    struct seen *one = seen(run, path);
    if (!(one->use & (WRITTEN | MADE)) && lstat(path, &about) == 0)
        one->use |= REMOVED;
}

static void makes_folder(struct run *run, const char *path)
{
    if (path && access(path, F_OK) != 0)
        seen(run, path)->use |= MADE;
}

static void renames(struct run *run, const char *from, const char *to)
{
    if (!from || !to || !(seen(run, from)->use & WRITTEN))
        run->not_kept = "renames what it has not written";
    else
        writes(run, to, true);
}

/* The traced system calls; those with a path first have it as their first argument, then as their
 * second after a folder. */
static void takes_call(struct run *run, pid_t pid)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0)
        return;
    if (info.arch != ARCH)
        run->not_kept = "a program for another processor";
    const uint64_t *word = (const uint64_t *)info.seccomp.args;
    switch (info.seccomp.nr) {
#ifdef SYS_open
    case SYS_open:
        opens(run, pid, path_of(pid, AT_FDCWD, word[0]), word[1]);
        break;
    case SYS_creat:
        writes(run, path_of(pid, AT_FDCWD, word[0]), true);
        break;
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
        looks(run, path_of(pid, AT_FDCWD, word[0]));
        break;
    case SYS_rename:
        renames(run, path_of(pid, AT_FDCWD, word[0]), path_of(pid, AT_FDCWD, word[1]));
        break;
    case SYS_unlink:
        removes(run, path_of(pid, AT_FDCWD, word[0]));
        break;
    case SYS_mkdir:
        makes_folder(run, path_of(pid, AT_FDCWD, word[0]));
        break;
    case SYS_link:
    case SYS_symlink:
    case SYS_mknod:
#endif
    case SYS_linkat:
    case SYS_symlinkat:
    case SYS_mknodat:
    case SYS_openat2:
    case SYS_truncate:
        run->not_kept = "makes what is not a plain file";
        break;
    case SYS_openat:
        opens(run, pid, path_of(pid, (int)word[0], word[1]), word[2]);
        break;
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
        looks(run, path_of(pid, (int)word[0], word[1]));
        break;
    case SYS_renameat:
    case SYS_renameat2:
        renames(run, path_of(pid, (int)word[0], word[1]), path_of(pid, (int)word[2], word[3]));
        break;
    case SYS_unlinkat:
        removes(run, path_of(pid, (int)word[0], word[1]));
        break;
    case SYS_mkdirat:
        makes_folder(run, path_of(pid, (int)word[0], word[1]));
        break;
    case SYS_execve: {
        const char *path = path_of(pid, AT_FDCWD, word[0]);
        if (path && access(path, X_OK) == 0)
            seen(run, path)->use |= EXECUTED;
        else
            looks(run, path);
        break;
    }
    case SYS_execveat:
        run->not_kept = "executes an open file";
        break;
    case SYS_read: {
        struct stat about;
        char *where = text("/proc/%d/fd/0", pid);
        if (stat(where, &about) == 0 && about.st_dev == run->input.st_dev &&
            about.st_ino == run->input.st_ino)
            run->not_kept = "reads its input";
        free(where);
        break;
    }
    }
}

/* Those calls, but for those with a special rule in the filter. */
static const int traced[] = {
#ifdef SYS_open
    SYS_open,     SYS_creat,    SYS_stat,      SYS_lstat,      SYS_access,   SYS_rename,
    SYS_unlink,   SYS_mkdir,    SYS_link,      SYS_symlink,    SYS_mknod,
#endif
    SYS_openat,   SYS_openat2,  SYS_faccessat, SYS_faccessat2, SYS_renameat, SYS_renameat2,
    SYS_unlinkat, SYS_mkdirat,  SYS_linkat,    SYS_symlinkat,  SYS_mknodat,  SYS_truncate,
    SYS_execve,   SYS_execveat,
};

/* Has the kernel stop this process and its children at the calls above; at read(), of `input` only.
 */
static bool filtered(bool input)
{
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
/* Goes on if the loaded word is this one, else after so many statements. */
#define IF(number, others) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, others)
/* Of a path, not of an open file: the word of its flags says so. */
#define PATH_CALL(number, flags)                                                                   \
    IF(number, 4), LOAD(args[flags]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, AT_EMPTY_PATH, 0, 1),   \
        RETURN(ALLOW), RETURN(TRACE)
    struct sock_filter filter[128] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        RETURN(TRACE),
        LOAD(nr),
        IF(SYS_read, 4),
        LOAD(args[0]),
        IF(0, 1),
        BPF_STMT(BPF_RET | BPF_K, input ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW),
        RETURN(ALLOW),
        PATH_CALL(SYS_newfstatat, 3),
        PATH_CALL(SYS_statx, 2),
    };
    unsigned short count = 19;
    for (size_t i = 0; i < sizeof traced / sizeof *traced; i++) {
        filter[count++] = (struct sock_filter)IF(traced[i], 1);
        filter[count++] = (struct sock_filter)RETURN(TRACE);
    }
    filter[count++] = (struct sock_filter)RETURN(ALLOW);
    assert(count < sizeof filter / sizeof *filter);
    struct sock_fprog program = {count, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Follows the run to its end; its status as of waitpid(). */
static int followed(struct run *run)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0) {
            if (errno == EINTR)
                continue;
            abort(); // its child ends before
        }
        if (!WIFSTOPPED(status)) {
            if (pid == run->child)
                return status;
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_SECCOMP)
            takes_call(run, pid);
        if (event == PTRACE_EVENT_STOP && signal != SIGTRAP)
            ptrace(PTRACE_LISTEN, pid, 0, 0);
        else
            ptrace(PTRACE_CONT, pid, 0, event ? 0 : signal);
    }
}

/* ---- keeping ---- */

static struct run *noting; // of twalk(), which passes nothing

static bool precompiled(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".pch") == 0;
}

static void note(const void *node, VISIT visit, int depth)
{
    struct run *run = noting;
    const struct seen *one = *(const struct seen *const *)node;
    struct stat about;
    if ((visit != postorder && visit != leaf) || run->not_kept)
        return;
    const char *path = one->path;
    if (strchr(path, '\n')) {
        run->not_kept = "a name of two lines";
    } else if (one->use & REMOVED && access(path, F_OK) != 0) {
        run->not_kept = "removes a file";
    } else if (one->use & MADE) {
        fprintf(run->manifest, "M %s\n", path);
    } else if (one->use & WRITTEN) {
        if (lstat(path, &about) != 0)
            return; // a temporary one
        run->bytes += about.st_size;
        int file =
            open(text("%s/%u", run->folder, run->outputs), O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (!S_ISREG(about.st_mode) || run->bytes > MOST_BYTES || file < 0 || !copied(path, file))
            run->not_kept = "an output cannot be kept";
        if (file >= 0)
            close(file);
        fprintf(run->manifest, "O %o %u %s\n", about.st_mode & 07777, run->outputs++, path);
    } else if (stat(path, &about) != 0) {
        if (!of_system(path) || of_user(path))
            fprintf(run->manifest, "A %s\n", path);
    } else if (!S_ISREG(about.st_mode) && !(S_ISDIR(about.st_mode) && of_system(path))) {
        ;
    } else if (one->use & (EXECUTED | READ) && (about.st_ctim.tv_sec > run->began.tv_sec ||
                                                (about.st_ctim.tv_sec == run->began.tv_sec &&
                                                 about.st_ctim.tv_nsec > run->began.tv_nsec))) {
        run->not_kept = text("an input has changed: %s", path);
    } else if (one->use & EXECUTED || of_system(path) || precompiled(path)) {
        if (one->use & (EXECUTED | READ))
            fprintf(run->manifest, "S %lld %lld.%lld %s\n", (long long)about.st_size,
                    (long long)about.st_mtim.tv_sec, (long long)about.st_mtim.tv_nsec, path);
    } else if (one->use & READ) {
        bool dated = false;
        char *content = content_of(path, one->use & LINKED, &dated);
        if (!content || dated)
            run->not_kept = dated ? "an input says when it is compiled" : "an input cannot be read";
        else
            fprintf(run->manifest, "%c %s %s\n", one->use & LINKED ? 'L' : 'C', content, path);
    } else {
        fprintf(run->manifest, "E %s\n", path);
    }
}

static void remove_folder(const char *folder)
{
    DIR *open = opendir(folder);
    for (struct dirent *one; open && (one = readdir(open));)
        if (one->d_name[0] != '.')
            unlinkat(dirfd(open), one->d_name, 0);
    if (open)
        closedir(open);
    rmdir(folder);
}

/* Replays what was printed. */
static void prints(int file, int to)
{
    lseek(file, 0, SEEK_SET);
    copied(text("/proc/self/fd/%d", file), to);
}

/* The seconds of a processor that the children have taken that have ended. */
static double taken(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* Runs the compiler; keeps what it does below `entries` where it can. Its status. */
static int made(struct run *run, const char *compiler, char **argv, const char *entries)
{
    run->folder = text("%s.%d", entries, getpid());
    bool both = false; // to one pipe, in their order
    struct stat out, err;
    if (fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0)
        both = out.st_dev == err.st_dev && out.st_ino == err.st_ino;
    int ready[2], printed[2];
    if (mkdir(run->folder, 0777) != 0 || pipe2(ready, O_CLOEXEC) != 0)
        return -1;
    printed[0] =
        open(text("%s/stdout", run->folder), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    printed[1] =
        open(text("%s/stderr", run->folder), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    run->manifest = fopen(text("%s/manifest", run->folder), "we");
    if (printed[0] < 0 || printed[1] < 0 || !run->manifest)
        return -1;
    struct stat null = {0};
    bool input = !run->given && fstat(STDIN_FILENO, &run->input) == 0 &&
                 !(stat("/dev/null", &null) == 0 && null.st_rdev == run->input.st_rdev);
    clock_gettime(CLOCK_REALTIME, &run->began);
    run->child = fork();
    if (run->child < 0)
        return -1;
    if (run->child == 0) {
        char go;
        close(ready[1]);
        if (read(ready[0], &go, 1) == 1 && go && filtered(input)) {
            dup2(printed[0], STDOUT_FILENO);
            dup2(printed[both ? 0 : 1], STDERR_FILENO);
            execv(compiler, argv);
        }
        _exit(127);
    }
    close(ready[0]);
    char go = ARCH && ptrace(PTRACE_SEIZE, run->child, 0,
                             PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) == 0;
    if (write(ready[1], &go, 1) != 1)
        go = 0;
    int status = followed(run);
    bool executed = go && run->paths; // the compiler itself has been seen
    if (executed) {
        prints(printed[0], STDOUT_FILENO);
        prints(printed[1], STDERR_FILENO);
        if (status)
            run->not_kept = run->not_kept ? run->not_kept : "fails";
    } else {
        run->not_kept = "cannot be traced";
    }
    fprintf(run->manifest, "T %.3f\n", taken());
    noting = run;
    if (!run->not_kept)
        twalk(run->paths, note);
    char *name = text("%s/%d-%ld", entries, getpid(), (long)run->began.tv_nsec);
    if (fclose(run->manifest) != 0 || run->not_kept || rename(run->folder, name) != 0)
        remove_folder(run->folder);
    return executed ? status : -1;
}

/* ---- which entries, which compiler ---- */

/* Variables that say something to compilers, linkers, or hipcc: how they begin. */
static bool is_read(const char *variable)
{
    const char *start =
        "CPATH= C_INCLUDE_PATH= CPLUS_INCLUDE_PATH= OBJC_INCLUDE_PATH= LIBRARY_PATH= "
        "COMPILER_PATH= "
        "GCC_ COLLECT_ LD_ SOURCE_DATE_EPOCH= LANG LC_ DEPENDENCIES_OUTPUT= SUNPRO_DEPENDENCIES= "
        "HIP "
        "ROCM HSA_ HCC AMD_ CUDA_ DEVICE_LIB_PATH= CCC_ CLANG LLVM IGC_ OCL NEO OMP_ OFFLOAD TERM= "
        "COLORTERM= NO_COLOR= COLUMNS= PERL ASAN_ PATH=";
    for (size_t length; *start; start += length + strspn(start + length, " ")) {
        length = strcspn(start, " ");
        if (strncmp(variable, start, length) == 0)
            return true;
    }
    return false;
}

/* The file of this name that follows in PATH, or that of QUICK_COMPILERS, which calls it; PATH then
 * is without our folder, and without a compiler cache's, as the compiler would see it without us.
 */
static char *followed_in_path(const char *name)
{
    char own[PATH_MAX], real[PATH_MAX], *found = NULL, *left = text("%s", "");
    ssize_t got = readlink("/proc/self/exe", own, sizeof own - 1);
    const char *path = getenv("PATH");
    if (got <= 0 || !path)
        return NULL;
    own[got] = '\0';
    for (char *all = text("%s", path), *folder; (folder = strsep(&all, ":"));) {
        char *file = text("%s/%s", folder, name);
        bool there = *folder && access(file, X_OK) == 0 && realpath(file, real);
        const char *base = there ? strrchr(real, '/') : NULL;
        if (there && (strcmp(real, own) == 0 || strcmp(base, "/ccache") == 0))
            continue;
        if (there && !found)
            found = file;
        left = text("%s%s%s", left, *left ? ":" : "", folder);
    }
    setenv("PATH", left, 1);
    const char *quick = getenv("QUICK_COMPILERS"), *cache = getenv("WAVETRAP_TEST_CACHE");
    char *file = text("%s/%s", quick ? quick : "", name);
    bool off = !quick || (cache && strcmp(cache, "off") == 0);
    return found && !off && access(file, X_OK) == 0 ? file : found;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folder of the entries that may serve this call. `given`: they are for what the input is. */
static char *entries_of(const char *cache, const char *compiler, char **argv, bool *given)
{
    char folder[PATH_MAX], block[1 << 16];
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    size_t count = 0;
    while (environ[count])
        count++;
    char **variables = malloc((count + 1) * sizeof *variables);
    if (!variables || !getcwd(folder, sizeof folder))
        return NULL;
    memcpy(variables, environ, count * sizeof *variables);
    qsort(variables, count, sizeof *variables, by_text);
    mode_t mask = umask(0);
    umask(mask);
    struct stat out = {0}, err = {0}, here, there;
    fstat(STDOUT_FILENO, &out);
    fstat(STDERR_FILENO, &err);
    // GCC and clang take the name of their folder from there where it is one of its names.
    const char *pwd = getenv("PWD");
    bool named = pwd && stat(pwd, &there) == 0 && stat(".", &here) == 0 &&
                 here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    char *head =
        text("%s %o %d\n%s\n%s\n", VERSION, mask,
             out.st_dev == err.st_dev && out.st_ino == err.st_ino, compiler, named ? pwd : folder);
    XXH3_128bits_update(state, head, strlen(head));
    XXH3_128bits_update(state, folder, strlen(folder) + 1);
    for (char **one = argv; *one; one++)
        XXH3_128bits_update(state, *one, strlen(*one) + 1);
    XXH3_128bits_update(state, "", 1);
    for (size_t i = 0; i < count; i++)
        if (is_read(variables[i]))
            XXH3_128bits_update(state, variables[i], strlen(variables[i]) + 1);
    for (char **one = argv + 1; *one; one++)
        if (strcmp(*one, "-") == 0) { // the input's content, which the compiler then has of a file
            int input = memfd_create("input", MFD_CLOEXEC);
            for (ssize_t got; (got = read(STDIN_FILENO, block, sizeof block)) > 0;) {
                XXH3_128bits_update(state, block, got);
                if (write(input, block, got) != got)
                    return NULL;
            }
            lseek(input, 0, SEEK_SET);
            dup2(input, STDIN_FILENO);
            *given = true;
            break;
        }
    char *name = hex(XXH3_128bits_digest(state));
    char *part = text("%s/%.2s", cache, name), *made = text("%s/%s", part, name + 2);
    mkdir(part, 0777);
    return mkdir(made, 0777) == 0 || errno == EEXIST ? made : NULL;
}

/* Gives back one of the entries whose inputs are the same. The seconds that its making took, or -1.
 */
static double served(const char *entries)
{
    DIR *open = opendir(entries);
    double took = -1;
    for (struct dirent *one; open && took < 0 && (one = readdir(open));)
        if (one->d_name[0] != '.')
            took = given_back(text("%s/%s", entries, one->d_name));
    if (open)
        closedir(open);
    return took;
}

/* One write, so that lines of several processes stay whole. */
static void says(const char *line)
{
    const char *path = getenv("CACHED_COMPILERS_LOG");
    int log = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (log < 0)
        return;
    if (write(log, line, strlen(line)) < 0)
        perror(path);
    close(log);
}

int main(int argc, char **argv)
{
    assert(argc > 0);
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    const char *cache = getenv("WAVETRAP_TEST_CACHE");
    char *compiler = followed_in_path(name);
    if (!compiler) {
        fprintf(stderr, "%s: it is not in PATH\n", name);
        return 127;
    }
    if (slash) // called by our place, which is not the compiler's
        argv[0] = compiler;
    if (cache && strcmp(cache, "off") != 0 && *cache && !getenv("LD_PRELOAD") &&
        !isatty(STDOUT_FILENO) && !isatty(STDERR_FILENO)) {
        setenv("WAVETRAP_TEST_CACHE", "off", 1); // of compilers that call others
        struct run run = {.name = name};
        char *entries = entries_of(cache, compiler, argv, &run.given);
        double took = entries ? served(entries) : -1;
        if (took >= 0) {
            says(text("hit\t%.3f\t%s\n", took, name));
            return 0;
        }
        int status = entries ? made(&run, compiler, argv, entries) : -1;
        if (status >= 0)
            says(text("%s\t%.3f\t%s\t%s\n", run.not_kept ? "not kept" : "made", taken(), name,
                      run.not_kept ? run.not_kept : ""));
        if (status >= 0 && WIFSIGNALED(status)) {
            signal(WTERMSIG(status), SIG_DFL);
            raise(WTERMSIG(status));
        }
        if (status >= 0)
            return WEXITSTATUS(status);
    }
    execv(compiler, argv);
    fprintf(stderr, "%s: %s\n", compiler, strerror(errno));
    return 127;
}

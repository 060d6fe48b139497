/* The folder of the user's own for sockets. See private_dir.h. */
#include "base/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_S 60 /* a process that binds a socket listens at it so soon */

/* Whether a folder on the way may be that user's: this one's, root's, or who owns "/", as whom a
 * user namespace without root has root, and all other users. */
static bool may_own_the_way(uid_t user)
{
    struct stat top;
    return user == getuid() || user == 0 || (!stat("/", &top) && user == top.st_uid);
}

/* Whether others could put another file in place of one in a folder, or of the link at @p path. */
static enum wt_status check_step(const char *path, struct wt_error *err)
{
    struct stat st;
    if (lstat(path, &st))
        return wt_fail(err, WT_IO, "%.300s: %s", path, strerror(errno));
    if (!may_own_the_way(st.st_uid))
        return wt_fail(err, WT_IO, "%s%.300s belongs to another user (%u)",
                       S_ISDIR(st.st_mode) ? "its folder " : "", path, (unsigned)st.st_uid);
    if (S_ISDIR(st.st_mode) && st.st_mode & 022 && !(st.st_mode & S_ISVTX))
        return wt_fail(err, WT_IO,
                       "others may write to its folder %.300s ('chmod go-w' changes that)", path);
    return WT_OK;
}

/* From a folder up to the root. */
static enum wt_status check_steps(const char *folder, struct wt_error *err)
{
    char *path = strdup(folder);
    enum wt_status status = path ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
    while (!status && !(status = check_step(path, err)) && strcmp(path, "/") != 0) {
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        slash[slash == path] = 0;
    }
    free(path);
    return status;
}

enum wt_status wt_private_cache(char *path, size_t size, const char *name, struct wt_error *err)
{
    const char *const parts[] = {"", "/wavetrap/", name};
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool said = cache && *cache == '/';
    if (!said && (!home || *home != '/'))
        return wt_fail(err, WT_UNSUPPORTED, "neither XDG_CACHE_HOME nor HOME names a folder");
    size_t used = (size_t)snprintf(path, size, "%s%s", said ? cache : home, said ? "" : "/.cache");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (used + 64 >= size)
            return wt_fail(err, WT_UNSUPPORTED, "the path of the user's cache is too long");
        used += (size_t)snprintf(path + used, size - used, "%s", parts[i]);
        if (mkdir(path, 0700) && errno != EEXIST)
            return wt_fail(err, WT_IO, "%.300s: %s", path, strerror(errno));
    }
    return WT_OK;
}

enum wt_status wt_temporary_check(const char *folder, struct wt_error *err)
{
    /* links on the way that others could change, and where they lead */
    enum wt_status status = *folder == '/' ? check_steps(folder, err) : WT_OK;
    char *real = status ? NULL : realpath(folder, NULL);
    if (real)
        status = check_steps(real, err);
    free(real);
    return status;
}

/* wt_temporary_check() of the folder that a file is in. */
static enum wt_status check_way(const char *path, struct wt_error *err)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!folder)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (slash)
        slash[slash == folder] = 0;
    const enum wt_status status = wt_temporary_check(slash ? folder : ".", err);
    free(folder);
    return status;
}

enum wt_status wt_private_check(const char *path, unsigned others, struct wt_error *err)
{
    struct stat st;
    if (lstat(path, &st))
        return wt_fail(err, WT_IO, "%.300s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return wt_fail(err, WT_IO, "%.300s is not a folder", path);
    if (st.st_uid != getuid())
        return wt_fail(err, WT_IO, "%.300s is not used: it belongs to user %u", path,
                       (unsigned)st.st_uid);
    if (st.st_mode & others)
        return wt_fail(err, WT_IO, "%.300s is not used: other users may %s it (mode %04o)", path,
                       st.st_mode & others & 022 ? "write to" : "use", st.st_mode & 07777);
    return check_way(path, err) ? wt_fail_in(err, "%.100s is not used", path) : WT_OK;
}

/* Refuses a file that other users own or can write to, even if it is trusted: they
 * could change it. */
static enum wt_status check_file(const char *path, struct wt_error *err)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
    if (file.st_uid != geteuid() && file.st_uid != 0)
        return wt_fail(err, WT_INVALID, "%s is not read: it belongs to another user (%u)", path,
                       (unsigned)file.st_uid);
    if (file.st_mode & (S_IWGRP | S_IWOTH))
        return wt_fail(err, WT_INVALID,
                       "%s is not read: others may write to it ('chmod go-w' changes that)", path);
    return WT_OK;
}

enum wt_status wt_private_file(const char *path, struct wt_error *err)
{
    const enum wt_status status = check_file(path, err);
    return !status && check_way(path, err) ? wt_fail_in(err, "%s is not read", path) : status;
}

enum wt_status wt_private_dir(char *path, size_t size, struct wt_error *err)
{
    const char *given = getenv("WAVETRAP_SOCKETS"), *runtime = getenv("XDG_RUNTIME_DIR");
    int length;
    if (given && *given)
        length = snprintf(path, size, "%s", given);
    else if (runtime && *runtime)
        length = snprintf(path, size, "%s/wavetrap", runtime);
    else
        length = snprintf(path, size, "/tmp/wavetrap-%u", (unsigned)getuid());
    if (length < 0 || (size_t)length >= size)
        return wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
    if (mkdir(path, 0700) && errno != EEXIST)
        return wt_fail(err, WT_IO, "cannot make the folder for sockets, %s: %s", path,
                       strerror(errno));
    return wt_private_check(path, 077, err);
}

enum wt_status wt_private_socket(char *path, size_t size, int pid, const char *kind,
                                 struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_private_dir(path, size, err)) != WT_OK)
        return status;
    const size_t used = strlen(path);
    const int length = snprintf(path + used, size - used, "/%d.%s", pid, kind);
    if (length < 0 || (size_t)length >= size - used)
        return wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
    return WT_OK;
}

/* ---- what processes leave behind ---- */

const char *wt_temporary_folder(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given && !wt_temporary_check(given, WT_IGNORED) ? given : "/tmp";
}

/* Process ids mean something in their namespace only: containers may share a folder. */
static unsigned long namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) ? 0 : (unsigned long)st.st_ino;
}

bool wt_private_temporary(char *path, size_t size)
{
    const int length = snprintf(path, size, "%s/wavetrap-%d-%lx-XXXXXX", wt_temporary_folder(),
                                (int)getpid(), namespace());
    return length > 0 && (size_t)length < size;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

void wt_private_remove(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_gone(int pid)
{
    return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/* Whether nobody listens at a socket. One of an owner that is there may be about to be listened at.
 */
static bool is_stale(const char *path, int pid)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat st;
    if (strlen(path) >= sizeof name.sun_path || lstat(path, &st) || !S_ISSOCK(st.st_mode) ||
        (!is_gone(pid) && time(NULL) - st.st_mtime < YOUNG_S))
        return false;
    strcpy(name.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused =
        fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof name) && errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

static void sweep_socket(const char *path, const char *name)
{
    int pid, used = 0;
    if (sscanf(name, "%d.%*[a-z0-9]%n", &pid, &used) == 1 && used && !name[used] &&
        is_stale(path, pid))
        unlink(path);
}

static void sweep_folder(const char *path, const char *name)
{
    unsigned long where;
    struct stat st;
    int pid;
    if (sscanf(name, "wavetrap-%d-%lx-", &pid, &where) == 2 && where == namespace() &&
        is_gone(pid) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid())
        wt_private_remove(path);
}

static void sweep(const char *folder, void (*one)(const char *path, const char *name))
{
    char path[512];
    DIR *d = opendir(folder);
    for (const struct dirent *entry; d && (entry = readdir(d)) != NULL;)
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            one(path, entry->d_name);
    if (d)
        closedir(d);
}

void wt_private_sweep(void)
{
    char folder[80];
    if (wt_private_dir(folder, sizeof folder, WT_IGNORED) == WT_OK)
        sweep(folder, sweep_socket);
    sweep(wt_temporary_folder(), sweep_folder);
}

/*
 * libc's functions on files and descriptors, for paths and descriptors of our drivers; everything
 * else goes to libc's own. The library that holds them is preloaded and has no version nodes: a
 * versioned open or ioctl would not be taken for libc's.
 */

/* open and open64 are two functions here, and none of them is an inline one with checks. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/devfs/devfs.h"

#define HOOK __attribute__((visibility("default")))

/* libc's own function of this name, looked up once. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) found;                                                                \
    __typeof__(&name) real = __atomic_load_n(&found, __ATOMIC_RELAXED);                            \
    if (!real) {                                                                                   \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                         \
        __atomic_store_n(&found, real, __ATOMIC_RELAXED);                                          \
    }

/* The file on the host that stands for a path of the driver. */
static bool redirected(const struct wt_devfs_driver *driver, const char *path, char *real)
{
    return driver->redirect && driver->redirect(path, real, PATH_MAX);
}

/* Opens a path of a driver, or the file on the host that stands for it; -1 with errno. */
static int open_ours(const struct wt_devfs_driver *driver, const char *path, int flags)
{
    char other[PATH_MAX];
    void *file = NULL;
    if (redirected(driver, path, other)) {
        REAL(open);
        return real(other, flags);
    }
    const int fd = driver->open(path, flags, &file);
    if (fd < 0) {
        errno = -fd;
        return -1;
    }
    if (!wt_devfs_add(fd, driver, file)) {
        driver->close(file);
        close(fd);
        errno = ENOMEM;
        return -1;
    }
    return fd;
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

/* ---- opening ---- */

/* @p folder: the parameter before the path, and its comma; @p given: its name as an argument. */
#define DEFINE_OPEN_(name, folder, given)                                                          \
    HOOK int name(folder const char *path, int flags, ...)                                         \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        const mode_t mode = mode_of(flags, args);                                                  \
        va_end(args);                                                                              \
        const struct wt_devfs_driver *driver = wt_devfs_driver_of(path);                           \
        if (driver)                                                                                \
            return open_ours(driver, path, flags);                                                 \
        REAL(name);                                                                                \
        return real(given path, flags, mode);                                                      \
    }
#define COMMA ,
#define DEFINE_OPEN(name) DEFINE_OPEN_(name, , )
#define DEFINE_OPENAT(name) DEFINE_OPEN_(name, int folder COMMA, folder COMMA)

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* The function that replaces open in programs compiled with checks (_FORTIFY_SOURCE). */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

HOOK int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

HOOK int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

HOOK int __openat_2(int folder, const char *path, int flags)
{
    return openat(folder, path, flags);
}

HOOK int __openat64_2(int folder, const char *path, int flags)
{
    return openat64(folder, path, flags);
}

/* A stream on a file of a driver's. */
static FILE *stream_of(const struct wt_devfs_driver *driver, const char *path, const char *mode)
{
    const int fd = open_ours(driver, path, strpbrk(mode, "wa+") ? O_RDWR : O_RDONLY);
    if (fd < 0)
        return NULL;
    FILE *stream = fdopen(fd, mode);
    if (!stream)
        close(fd);
    return stream;
}

HOOK FILE *fopen(const char *restrict path, const char *restrict mode)
{
    const struct wt_devfs_driver *driver = wt_devfs_driver_of(path);
    if (driver)
        return stream_of(driver, path, mode);
    REAL(fopen);
    return real(path, mode);
}

HOOK FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    const struct wt_devfs_driver *driver = wt_devfs_driver_of(path);
    if (driver)
        return stream_of(driver, path, mode);
    REAL(fopen64);
    return real(path, mode);
}

/* ---- descriptors ---- */

HOOK int ioctl(int fd, unsigned long request, ...)
{
    void *argument, *file;
    va_list args;
    va_start(args, request);
    argument = va_arg(args, void *);
    va_end(args);
    const struct wt_devfs_driver *driver = wt_devfs_find(fd, &file);
    if (!driver) {
        REAL(ioctl);
        return real(fd, request, argument);
    }
    const int result = driver->ioctl(file, request, argument);
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

HOOK int close(int fd)
{
    REAL(close);
    wt_devfs_remove(fd);
    return real(fd);
}

/* A duplicate that the table has no room for is none. */
static int duplicated(int fd, int copy)
{
    if (copy < 0 || wt_devfs_duplicate(fd, copy))
        return copy;
    close(copy);
    errno = ENOMEM;
    return -1;
}

HOOK int dup(int fd)
{
    REAL(dup);
    return duplicated(fd, real(fd));
}

HOOK int dup2(int fd, int copy)
{
    REAL(dup2);
    return duplicated(fd, real(fd, copy));
}

HOOK int dup3(int fd, int copy, int flags)
{
    REAL(dup3);
    return duplicated(fd, real(fd, copy, flags));
}

#define DEFINE_FCNTL(name)                                                                         \
    HOOK int name(int fd, int command, ...)                                                        \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, command);                                                                   \
        void *argument = va_arg(args, void *);                                                     \
        va_end(args);                                                                              \
        REAL(name);                                                                                \
        const int result = real(fd, command, argument);                                            \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, result) : result; \
    }

DEFINE_FCNTL(fcntl)
int fcntl64(int fd, int command, ...);
DEFINE_FCNTL(fcntl64)

/* ---- memory ---- */

/* Pages of drivers that programs have been given; they are few. */
enum { MOST_PAGES = 64 };
static struct devfs_pages {
    void *at;
    size_t length;
} pages[MOST_PAGES];
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static bool pages_given; /* until then munmap has nothing to look for */

static bool give(void *at, size_t length)
{
    size_t i = 0;
    pthread_mutex_lock(&pages_lock);
    while (i < MOST_PAGES && pages[i].length)
        i++;
    if (i < MOST_PAGES)
        pages[i] = (struct devfs_pages){at, length};
    __atomic_store_n(&pages_given, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&pages_lock);
    return i < MOST_PAGES;
}

typedef void *mmap_function(void *, size_t, int, int, int, off_t);

static void *map_ours(const struct wt_devfs_driver *driver, void *file, mmap_function *real,
                      void *at, size_t length, int protection, int flags, uint64_t offset)
{
    void *own = NULL;
    int fd = -1;
    int wrong = -driver->map(file, length, &offset, &own, &fd);
    if (!wrong && fd >= 0) {
        void *mapped = real(at, length, protection, flags, fd, (off_t)offset);
        wrong = errno;
        close(fd);
        errno = wrong;
        return mapped;
    }
    if (!wrong && flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) /* they are where they are */
        wrong = EINVAL;
    if (!wrong && !give(own, length))
        wrong = ENOMEM;
    if (!wrong)
        return own;
    errno = wrong;
    return MAP_FAILED;
}

#define DEFINE_MMAP(name, offset_type)                                                             \
    HOOK void *name(void *at, size_t length, int protection, int flags, int fd,                    \
                    offset_type offset)                                                            \
    {                                                                                              \
        void *file;                                                                                \
        REAL(name);                                                                                \
        const struct wt_devfs_driver *driver =                                                     \
            flags & MAP_ANONYMOUS ? NULL : wt_devfs_find(fd, &file);                               \
        if (driver && driver->map)                                                                 \
            return map_ours(driver, file, real, at, length, protection, flags, (uint64_t)offset);  \
        return real(at, length, protection, flags, fd, offset);                                    \
    }

DEFINE_MMAP(mmap, off_t)
DEFINE_MMAP(mmap64, off64_t)

HOOK int munmap(void *at, size_t length)
{
    size_t i = 0;
    REAL(munmap);
    if (!__atomic_load_n(&pages_given, __ATOMIC_ACQUIRE))
        return real(at, length);
    pthread_mutex_lock(&pages_lock);
    while (i < MOST_PAGES && (pages[i].at != at || pages[i].length != length || !length))
        i++;
    if (i < MOST_PAGES)
        pages[i].length = 0;
    pthread_mutex_unlock(&pages_lock);
    return i < MOST_PAGES ? 0 : real(at, length);
}

/* ---- looking at paths ---- */

/* Something that stands for a device file that is only looked at. */
static bool is_shown(const struct wt_devfs_driver *driver, const char *path, char *real)
{
    if (redirected(driver, path, real))
        return true;
    strcpy(real, "/dev/null");
    return driver->is_device && driver->is_device(path);
}

/* Calls libc's function on the file that stands for a path, or on the path itself. */
#define ON_PATH(name, path, failed, call)                                                          \
    char other[PATH_MAX];                                                                          \
    const struct wt_devfs_driver *driver = wt_devfs_driver_of(path);                               \
    if (driver && !is_shown(driver, path, other)) {                                                \
        errno = ENOENT;                                                                            \
        return failed;                                                                             \
    }                                                                                              \
    const char *at = driver ? other : path;                                                        \
    REAL(name);                                                                                    \
    return call

HOOK int access(const char *path, int mode)
{
    ON_PATH(access, path, -1, real(at, mode));
}

HOOK ssize_t readlink(const char *restrict path, char *restrict text, size_t size)
{
    ON_PATH(readlink, path, -1, real(at, text, size));
}

HOOK DIR *opendir(const char *path)
{
    ON_PATH(opendir, path, NULL, real(at));
}

/* A device file looks like one, whatever stands for it. */
#define AS_DEVICE(result, owner, file, path)                                                       \
    do {                                                                                           \
        const uint64_t number_ = (owner)->number ? (owner)->number(file, path) : 0;                \
        if (number_) {                                                                             \
            (result)->st_mode = S_IFCHR | 0666;                                                    \
            (result)->st_rdev = (dev_t)number_;                                                    \
        }                                                                                          \
    } while (0)

#define DEFINE_STAT(name, structure)                                                               \
    HOOK int name(const char *restrict path, struct structure *restrict result)                    \
    {                                                                                              \
        char other[PATH_MAX];                                                                      \
        const struct wt_devfs_driver *driver = wt_devfs_driver_of(path);                           \
        if (driver && !is_shown(driver, path, other)) {                                            \
            errno = ENOENT;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        REAL(name);                                                                                \
        const int failed = real(driver ? other : path, result);                                    \
        if (!failed && driver && strcmp(other, "/dev/null") == 0)                                  \
            AS_DEVICE(result, driver, NULL, path);                                                 \
        return failed;                                                                             \
    }

DEFINE_STAT(stat, stat)
DEFINE_STAT(stat64, stat64)
DEFINE_STAT(lstat, stat)
DEFINE_STAT(lstat64, stat64)

#define DEFINE_FSTAT(name, structure)                                                              \
    HOOK int name(int fd, struct structure *result)                                                \
    {                                                                                              \
        void *file;                                                                                \
        const struct wt_devfs_driver *driver = wt_devfs_find(fd, &file);                           \
        REAL(name);                                                                                \
        const int failed = real(fd, result);                                                       \
        if (!failed && driver)                                                                     \
            AS_DEVICE(result, driver, file, NULL);                                                 \
        return failed;                                                                             \
    }

DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)

/*
 * Device files that are not there: a program that opens /dev/kfd or a render node reaches a driver
 * in its own process. The functions of hooks.c stand before libc's in a preloaded library, which
 * names its drivers in wt_devfs_drivers.
 *
 * They do not reach statically linked programs, programs that change their user on execution, and
 * system calls without libc.
 */
#ifndef WT_RUNTIME_DEVFS_H
#define WT_RUNTIME_DEVFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A driver: the files that it stands for, and what their descriptors do. */
struct wt_devfs_driver {
    /** Path prefixes that belong to the driver, ended by NULL. A file below one that the driver
     * does not have does not exist, whatever the host has there. */
    const char *const *prefixes;
    /**
     * Opens @p path, which begins with one of the prefixes and is not redirected. Returns a
     * descriptor of the host's, which the program may map and poll, and sets *file to what ioctl
     * and close are called with; or a negative errno.
     */
    int (*open)(const char *path, int flags, void **file);
    /** An ioctl: its result, or a negative errno. Any thread may call it. */
    int (*ioctl)(void *file, unsigned long request, void *argument);
    /** The last descriptor of @p file is closed. */
    void (*close)(void *file);
    /**
     * Finds the host's file for a path below the prefixes: the files that the driver shows in
     * sysfs. It is called first, for opening and for stat. False: there is no such file. NULL: the
     * driver has no such files.
     */
    bool (*redirect)(const char *path, char *real, size_t size);
    /** Whether @p path is a device file that open would open, for stat and the like. NULL: none is
     * shown. */
    bool (*is_device)(const char *path);
    /**
     * The number (makedev()) of a device file, for stat: of the opening @p file, or, where it is
     * NULL, of @p path, a device file. 0, or NULL for this function: that of the host's file.
     */
    uint64_t (*number)(void *file, const char *path);
    /**
     * mmap of @p length bytes at @p offset: 0 with *fd a descriptor of the host's that is mapped
     * instead, from the changed *offset on, and is closed then; or with *fd -1 and *at pages of the
     * driver's own, which munmap leaves alone; or a negative errno. NULL: the descriptor that open
     * has returned is mapped.
     */
    int (*map)(void *file, size_t length, uint64_t *offset, void **at, int *fd);
};

/** The drivers of this library, ended by NULL. The library that links hooks.c defines it. */
extern const struct wt_devfs_driver *const wt_devfs_drivers[];

/* ---- the table of descriptors, for hooks.c and tests ---- */

/** The driver that @p path belongs to, or NULL. */
const struct wt_devfs_driver *wt_devfs_driver_of(const char *path);

/** Notes that @p fd is an opening of @p driver. False without host memory. */
bool wt_devfs_add(int fd, const struct wt_devfs_driver *driver, void *file);

/** The driver that @p fd is an opening of, and in *file the opening; NULL if it is none. */
const struct wt_devfs_driver *wt_devfs_find(int fd, void **file);

/**
 * Notes that @p copy is a duplicate of @p fd now, and of nothing else any more. False without host
 * memory, where @p fd is an opening.
 */
bool wt_devfs_duplicate(int fd, int copy);

/**
 * Forgets @p fd, which is about to be closed. After a file's last descriptor the driver closes the
 * file.
 */
void wt_devfs_remove(int fd);

#endif

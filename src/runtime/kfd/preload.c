/*
 * Functions that come before libc's in a program that `exec` starts: the device files of AMD's
 * driver (devfs.h). The driver itself is in the library that the program's runtime loads, too; it
 * is loaded when the first of its files is opened.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/devfs/devfs.h"

#define LIBRARY "libhsakmt.so.1"

static const struct wt_devfs_driver *driver;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_loaded; /* or cannot be */

/* The library beside this one is the one that LD_LIBRARY_PATH finds. */
static void load(void)
{
    Dl_info self;
    char path[PATH_MAX];
    if (!dladdr((const void *)&driver, &self) || !strchr(self.dli_fname, '/'))
        return;
    const int length = (int)(strrchr(self.dli_fname, '/') - self.dli_fname) + 1;
    if (snprintf(path, sizeof path, "%.*s" LIBRARY, length, self.dli_fname) >= (int)sizeof path)
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library)
        driver = dlsym(library, "wavetrap_kfd");
    else
        fprintf(stderr, "wavetrap: no emulated GPUs: %s\n", dlerror());
}

static const struct wt_devfs_driver *loaded(void)
{
    if (is_loaded)
        return driver;
    pthread_mutex_lock(&loading);
    if (!is_loaded)
        load();
    is_loaded = true;
    pthread_mutex_unlock(&loading);
    return driver;
}

/* The dynamic linker's lock would stay held in a child that is made while the library is loaded. */
static void before_fork(void)
{
    pthread_mutex_lock(&loading);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&loading);
}

static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static int open_file(const char *path, int flags, void **file)
{
    return loaded() ? driver->open(path, flags, file) : -ENODEV;
}

static int ioctl_file(void *file, unsigned long request, void *argument)
{
    return driver->ioctl(file, request, argument);
}

static void close_file(void *file)
{
    driver->close(file);
}

static bool redirect(const char *path, char *real, size_t size)
{
    return loaded() && driver->redirect(path, real, size);
}

static bool is_device(const char *path)
{
    return loaded() && driver->is_device(path);
}

static uint64_t number(void *file, const char *path)
{
    return loaded() ? driver->number(file, path) : 0;
}

static int map(void *file, size_t length, uint64_t *offset, void **at, int *fd)
{
    return driver->map(file, length, offset, at, fd);
}

/* Render nodes from 176 on; the others may be another driver's. */
static const char *const prefixes[] = {"/dev/kfd",
                                       "/dev/dri/renderD17",
                                       "/dev/dri/renderD18",
                                       "/dev/dri/renderD19",
                                       "/sys/class/kfd",
                                       "/sys/module/amdgpu/initstate",
                                       "/sys/devices/virtual/kfd",
                                       "/sys/dev/char/226:17",
                                       "/sys/dev/char/226:18",
                                       "/sys/dev/char/226:19",
                                       NULL};

static const struct wt_devfs_driver forward = {.prefixes = prefixes,
                                               .open = open_file,
                                               .ioctl = ioctl_file,
                                               .close = close_file,
                                               .redirect = redirect,
                                               .is_device = is_device,
                                               .number = number,
                                               .map = map};

const struct wt_devfs_driver *const wt_devfs_drivers[] = {&forward, NULL};

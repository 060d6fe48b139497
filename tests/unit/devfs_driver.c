/* A library for test_devfs.c, which preloads it: the hooks with a driver of a device that counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/devfs/devfs.h"

static int opened, closed;

static int open_it(const char *path, int flags, void **file)
{
    if (strcmp(path, "/dev/counter/0") != 0)
        return -ENOENT;
    *file = calloc(1, sizeof(int));
    opened++;
    return memfd_create("counter", 0);
}

/* Request 1 counts and answers; 2 and 3 tell how many files were opened and closed. */
static int control(void *file, unsigned long request, void *argument)
{
    switch (_IOC_NR(request)) {
    case 1:
        *(int *)argument = ++*(int *)file;
        return 0;
    case 2:
        return opened;
    case 3:
        return closed;
    default:
        return -ENOTTY;
    }
}

static void close_it(void *file)
{
    free(file);
    closed++;
}

static bool redirect(const char *path, char *real, size_t size)
{
    static const char folder[] = "/sys/class/counter";
    const char *where = getenv("COUNTER_FILES");
    if (strncmp(path, folder, sizeof folder - 1) != 0 || !where)
        return false;
    snprintf(real, size, "%s%s", where, path + sizeof folder - 1);
    return true;
}

static const char *const prefixes[] = {"/dev/counter/", "/sys/class/counter", NULL};

static const struct wt_devfs_driver counter = {.prefixes = prefixes,
                                               .open = open_it,
                                               .ioctl = control,
                                               .close = close_it,
                                               .redirect = redirect};

const struct wt_devfs_driver *const wt_devfs_drivers[] = {&counter, NULL};

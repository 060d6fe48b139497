/* Which descriptors are openings of our drivers. */
#include "runtime/devfs/devfs.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* An opening, which several descriptors may share. */
struct opening {
    const struct wt_devfs_driver *driver;
    void *file;
    unsigned references;
};

/* The process has one table of descriptors, so there is one of these. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opening **openings; /* by descriptor */
static size_t capacity;

/* A child of a program with several threads closes descriptors, too: the lock is free in it. */
static void hold(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

static __attribute__((constructor)) void free_in_children(void)
{
    pthread_atfork(hold, release, release);
}

const struct wt_devfs_driver *wt_devfs_driver_of(const char *path)
{
    for (size_t i = 0; path && wt_devfs_drivers[i]; i++)
        for (const char *const *prefix = wt_devfs_drivers[i]->prefixes; *prefix; prefix++)
            if (strncmp(path, *prefix, strlen(*prefix)) == 0)
                return wt_devfs_drivers[i];
    return NULL;
}

/* Room for a descriptor. With the lock held. */
static bool make_room(int fd)
{
    const size_t before = capacity;
    assert(fd >= 0);
    struct opening **grown =
        wt_array_grow(openings, &capacity, (size_t)fd + 1, sizeof(struct opening *));
    if (!grown)
        return false;
    openings = grown;
    if (capacity > before)
        memset(openings + before, 0, (capacity - before) * sizeof(struct opening *));
    return true;
}

static struct opening *at(int fd)
{
    return fd >= 0 && (size_t)fd < capacity ? openings[fd] : NULL;
}

/* Takes a descriptor out; the opening if that was its last one. With the lock held. */
static struct opening *take_out(int fd)
{
    struct opening *opening = at(fd);
    if (!opening)
        return NULL;
    openings[fd] = NULL;
    assert(opening->references > 0);
    return --opening->references ? NULL : opening;
}

static void end(struct opening *opening)
{
    if (!opening)
        return;
    opening->driver->close(opening->file);
    free(opening);
}

bool wt_devfs_add(int fd, const struct wt_devfs_driver *driver, void *file)
{
    struct opening *opening = malloc(sizeof *opening), *stale = NULL;
    if (!opening)
        return false;
    *opening = (struct opening){driver, file, 1};
    pthread_mutex_lock(&lock);
    const bool room = make_room(fd);
    if (room) {
        stale = take_out(fd); /* closed by a way that no hook saw */
        openings[fd] = opening;
    }
    pthread_mutex_unlock(&lock);
    end(stale);
    if (!room)
        free(opening);
    return room;
}

const struct wt_devfs_driver *wt_devfs_find(int fd, void **file)
{
    pthread_mutex_lock(&lock);
    const struct opening *opening = at(fd);
    const struct wt_devfs_driver *driver = opening ? opening->driver : NULL;
    if (opening)
        *file = opening->file;
    pthread_mutex_unlock(&lock);
    return driver;
}

bool wt_devfs_duplicate(int fd, int copy)
{
    struct opening *stale = NULL;
    bool done = true;
    if (fd == copy)
        return true;
    pthread_mutex_lock(&lock);
    stale = take_out(copy);
    if (at(fd)) {
        done = make_room(copy);
        if (done) {
            openings[copy] = openings[fd];
            openings[copy]->references++;
        }
    }
    pthread_mutex_unlock(&lock);
    end(stale);
    return done;
}

void wt_devfs_remove(int fd)
{
    pthread_mutex_lock(&lock);
    struct opening *last = take_out(fd);
    pthread_mutex_unlock(&lock);
    end(last);
}

/* See counted.h. */
#include "runtime/common/counted.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/common/environment.h"
#include "runtime/common/host_core.h"

enum { SECTION_HEADER = 12 }; /* tag and length */

int wt_counted_create(struct wt_error *err)
{
    char path[64];
    const struct wt_counted_head head = {.end = WT_COUNTED_PAGE};
    const int fd = memfd_create("wavetrap-profile", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (fd >= 0 && !ftruncate(fd, (off_t)WT_COUNTED_PAGE) &&
        pwrite(fd, &head, sizeof head, 0) == sizeof head && !setenv(WT_COUNTED_VARIABLE, path, 1))
        return fd;
    wt_fail(err, WT_NO_MEMORY, "no memory to count instructions in: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- blocks ---- */

struct section {
    uint64_t hash, length, place;
};

struct wt_counted {
    struct wt_hosted *gpu;
    struct wt_machine *machine;
    pid_t process;
    struct wt_profile *profile;
    uint64_t state; /* of the code that is listed */
    bool listed;
    struct section *section; /* that the file has */
    size_t sections, section_room;
    struct wt_counted_block **numbers; /* mapped */
    size_t blocks, block_room;
};

static const char *path; /* of the file; NULL: nobody counts */

static void read_variable(void)
{
    path = getenv(WT_COUNTED_VARIABLE);
}

bool wt_counted_is_wanted(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variable);
    return path && *path;
}

static void *map(int fd, uint64_t place, uint64_t size)
{
    void *at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place);
    return at == MAP_FAILED ? NULL : at;
}

/* Adds a block to the file, which the file's other writers may do at the same time. */
static struct wt_counted_block *add_in(int fd, uint64_t size, uint64_t *place)
{
    struct wt_counted_head *head = map(fd, 0, WT_COUNTED_PAGE);
    struct wt_counted_block *block = NULL;
    if (!head)
        return NULL;
    *place = atomic_fetch_add(&head->end, size);
    if (!fallocate(fd, 0, (off_t)*place, (off_t)size))
        block = map(fd, *place, size);
    if (!block)
        atomic_store(&head->lost, true);
    munmap(head, WT_COUNTED_PAGE);
    return block;
}

/* A block with room for @p length bytes; NULL: it is told why. The caller completes and unmaps it.
 */
static struct wt_counted_block *add_block(const struct wt_counted *c, enum wt_counted_kind kind,
                                          uint64_t length, uint64_t *place)
{
    const uint64_t size = (sizeof(struct wt_counted_block) + length + WT_COUNTED_PAGE - 1) /
                          WT_COUNTED_PAGE * WT_COUNTED_PAGE;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    struct wt_counted_block *b = fd >= 0 ? add_in(fd, size, place) : NULL;
    if (!b)
        wt_say_once("--profile: what process %ld executes is not counted: %s: %s", (long)getpid(),
                    path, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!b)
        return NULL;
    b->size = size;
    b->length = length;
    b->process = c->process;
    b->kind = kind;
    b->device = c->machine->device;
    snprintf(b->family, sizeof b->family, "%s", c->gpu->core->family);
    return b;
}

static void complete(struct wt_counted_block *b)
{
    atomic_store(&b->magic, WT_COUNTED_MAGIC);
}

/* Adds a block of these bytes; its place, or 0. */
static uint64_t add_bytes(const struct wt_counted *c, enum wt_counted_kind kind, const void *bytes,
                          uint64_t length)
{
    uint64_t place = 0;
    struct wt_counted_block *b = add_block(c, kind, length, &place);
    if (!b)
        return 0;
    memcpy(b + 1, bytes, length);
    complete(b);
    munmap(b, b->size);
    return place;
}

static struct wt_profile_count *add_numbers(void *context)
{
    struct wt_counted *c = context;
    uint64_t place;
    struct wt_counted_block **grown =
        wt_array_grow(c->numbers, &c->block_room, c->blocks + 1, sizeof(*grown));
    if (!grown)
        return NULL;
    c->numbers = grown;
    struct wt_counted_block *b = add_block(
        c, WT_COUNTED_NUMBERS, WT_PROFILE_BLOCK * sizeof(struct wt_profile_count), &place);
    if (!b)
        return NULL;
    grown[c->blocks++] = b;
    complete(b);
    return (struct wt_profile_count *)(b + 1);
}

/* ---- code ---- */

/* The place of a section, which the file may have; 0: there is no memory. */
static uint64_t place_of(struct wt_counted *c, const uint8_t *bytes, uint64_t length)
{
    const uint64_t hash = wt_core_hash(bytes, length);
    for (size_t i = 0; i < c->sections; i++)
        if (c->section[i].hash == hash && c->section[i].length == length)
            return c->section[i].place;
    struct section *grown =
        wt_array_grow(c->section, &c->section_room, c->sections + 1, sizeof *grown);
    if (!grown)
        return 0;
    c->section = grown;
    grown[c->sections] =
        (struct section){hash, length, add_bytes(c, WT_COUNTED_SECTION, bytes, length)};
    return grown[c->sections++].place;
}

static void list_sections(struct wt_counted *c, const uint8_t *bytes, size_t size)
{
    uint64_t *list = NULL;
    size_t count = 0, room = 0;
    for (size_t at = 0; at + SECTION_HEADER <= size;) {
        uint64_t length;
        memcpy(&length, bytes + at + 4, sizeof length);
        assert(length <= size - at - SECTION_HEADER);
        uint64_t *grown = wt_array_grow(list, &room, count + 1, sizeof *grown);
        if (!grown)
            break;
        list = grown;
        list[count++] = place_of(c, bytes + at, SECTION_HEADER + length);
        at += SECTION_HEADER + length;
    }
    wt_profile_code(c->profile, add_bytes(c, WT_COUNTED_LIST, list, count * sizeof *list));
    free(list);
}

static void list_code(struct wt_counted *c)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    struct wt_core_writer w = {.out = out};
    struct wt_archive a = {.out = out};
    if (!out)
        return;
    c->gpu->core->modules(c->gpu, &w, &a);
    const bool whole = !fclose(out) && !a.failed;
    if (whole)
        list_sections(c, (const uint8_t *)bytes, size);
    else
        wt_say_once("--profile: the host has no memory for the code of process %ld: its lines are "
                    "not known",
                    (long)getpid());
    free(bytes);
}

/* ---- drivers ---- */

static struct wt_counted *begin(struct wt_hosted *gpu)
{
    struct wt_counted *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_counted){.gpu = gpu, .machine = gpu->machine, .process = getpid()};
    c->profile = wt_profile_begin(gpu->machine, &gpu->core->profile, add_numbers, c);
    if (c->profile)
        return c;
    free(c);
    return NULL;
}

void wt_counted_before_kernel(struct wt_hosted *gpu, uint64_t state)
{
    if (!wt_counted_is_wanted())
        return;
    struct wt_counted *c = gpu->counts;
    if (c && (c->process != getpid() || c->machine != gpu->machine)) /* after a fork */
        wt_counted_forget(gpu);
    if (!gpu->counts && !(gpu->counts = begin(gpu))) {
        wt_say_once("--profile: the host has no memory to count what process %ld executes",
                    (long)getpid());
        return;
    }
    c = gpu->counts;
    if (c->listed && c->state == state)
        return;
    list_code(c);
    c->state = state;
    c->listed = true;
}

void wt_counted_forget(struct wt_hosted *gpu)
{
    struct wt_counted *c = gpu->counts;
    gpu->counts = NULL;
    if (!c)
        return;
    if (gpu->machine && gpu->machine->profile == c->profile)
        wt_profile_end(c->profile);
    wt_profile_free(c->profile);
    for (size_t i = 0; i < c->blocks; i++)
        munmap(c->numbers[i], c->numbers[i]->size);
    free(c->numbers);
    free(c->section);
    free(c);
}

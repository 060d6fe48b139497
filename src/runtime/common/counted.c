/* See counted.h. */
#include "runtime/common/counted_file.h"

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

int wt_counted_create(bool counts, struct wt_error *err)
{
    char path[64];
    const struct wt_counted_head head = {.end = WT_COUNTED_PAGE, .counts = counts};
    const int fd = memfd_create("wavetrap-profile", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (fd >= 0 && !ftruncate(fd, (off_t)WT_COUNTED_PAGE) &&
        pwrite(fd, &head, sizeof head, 0) == sizeof head && !setenv(WT_COUNTED_VARIABLE, path, 1))
        return fd;
    wt_fail(err, WT_NO_MEMORY, "no memory for counts and findings: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- blocks ---- */

static const char *path; /* of the file; NULL: nobody counts */
static bool counts;      /* of instructions are wanted */

static void read_variable(void)
{
    path = getenv(WT_COUNTED_VARIABLE);
    struct wt_counted_head head;
    const int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    counts = fd >= 0 && pread(fd, &head, sizeof head, 0) == sizeof head && head.counts;
    if (fd >= 0)
        close(fd);
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

struct wt_counted_block *wt_counted_add_block(enum wt_counted_kind kind, uint64_t length,
                                              uint64_t *place)
{
    const uint64_t size = (sizeof(struct wt_counted_block) + length + WT_COUNTED_PAGE - 1) /
                          WT_COUNTED_PAGE * WT_COUNTED_PAGE;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    struct wt_counted_block *b = fd >= 0 ? add_in(fd, size, place) : NULL;
    if (!b)
        wt_say_once("what process %ld executes is not counted or checked: %s: %s", (long)getpid(),
                    path, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!b)
        return NULL;
    b->size = size;
    b->length = length;
    b->process = getpid();
    b->kind = kind;
    return b;
}

void wt_counted_of_gpu(struct wt_counted_block *b, const struct wt_hosted *gpu)
{
    b->device = gpu->machine->device;
    snprintf(b->family, sizeof b->family, "%s", gpu->core->family);
}

void wt_counted_complete(struct wt_counted_block *b)
{
    atomic_store(&b->magic, WT_COUNTED_MAGIC);
}

uint64_t wt_counted_add_bytes(enum wt_counted_kind kind, const struct wt_hosted *gpu,
                              const void *bytes, uint64_t length)
{
    uint64_t place = 0;
    struct wt_counted_block *b = wt_counted_add_block(kind, length, &place);
    if (!b)
        return 0;
    if (gpu)
        wt_counted_of_gpu(b, gpu);
    memcpy(b + 1, bytes, length);
    wt_counted_complete(b);
    munmap(b, b->size);
    return place;
}

struct wt_counted_head *wt_counted_open_head(void)
{
    const int fd = wt_counted_is_wanted() ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct wt_counted_head *head = fd >= 0 ? map(fd, 0, WT_COUNTED_PAGE) : NULL;
    if (fd >= 0)
        close(fd);
    return head;
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
    struct wt_counted_block *b = wt_counted_add_block(
        WT_COUNTED_NUMBERS, WT_PROFILE_BLOCK * sizeof(struct wt_profile_count), &place);
    if (!b)
        return NULL;
    wt_counted_of_gpu(b, c->gpu);
    grown[c->blocks++] = b;
    wt_counted_complete(b);
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
    struct wt_counted_section *grown =
        wt_array_grow(c->section, &c->section_room, c->sections + 1, sizeof *grown);
    if (!grown)
        return 0;
    c->section = grown;
    grown[c->sections] = (struct wt_counted_section){
        hash, length, wt_counted_add_bytes(WT_COUNTED_SECTION, c->gpu, bytes, length)};
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
    c->list = wt_counted_add_bytes(WT_COUNTED_LIST, c->gpu, list, count * sizeof *list);
    if (c->profile)
        wt_profile_code(c->profile, c->list);
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
        wt_say_once("the host has no memory for the code of process %ld: its lines are not known",
                    (long)getpid());
    free(bytes);
}

/* ---- drivers ---- */

static struct wt_counted *begin(struct wt_hosted *gpu, const void *space)
{
    struct wt_counted *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_counted){.gpu = gpu, .machine = gpu->machine, .process = getpid()};
    if (counts)
        c->profile = wt_profile_begin(gpu->machine, &gpu->core->profile, add_numbers, c);
    if (wt_check_wants(WT_CHECK_MEMORY))
        c->memory = wt_check_memory_begin(gpu->machine, space, wt_checked_found, c);
    if (c->memory) {
        uint64_t first, last;
        wt_check_launches(&first, &last);
        wt_check_memory_only(c->memory, first, last);
    }
    if ((c->profile || !counts) && (c->memory || !wt_check_wants(WT_CHECK_MEMORY)))
        return c;
    wt_profile_free(c->profile);
    wt_check_memory_end(c->memory);
    free(c);
    return NULL;
}

void wt_counted_before_kernel(struct wt_hosted *gpu, uint64_t state, const void *space)
{
    if (!wt_counted_is_wanted())
        return;
    struct wt_counted *c = gpu->counts;
    if (c && (c->process != getpid() || c->machine != gpu->machine)) /* after a fork */
        wt_counted_forget(gpu);
    if (!gpu->counts && !(gpu->counts = begin(gpu, space))) {
        wt_say_once("the host has no memory to count or to check what process %ld executes",
                    (long)getpid());
        return;
    }
    c = gpu->counts;
    if (c->memory)
        wt_check_memory_set_space(c->memory, space);
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
    if (gpu->machine && c->profile && gpu->machine->profile == c->profile)
        wt_profile_end(c->profile);
    wt_profile_free(c->profile);
    if (gpu->machine)
        wt_check_memory_end(c->memory);
    else
        free(c->memory);
    for (size_t i = 0; i < c->blocks; i++)
        munmap(c->numbers[i], c->numbers[i]->size);
    free(c->numbers);
    free(c->section);
    free(c);
}

/* See counted.h. */
#include "runtime/common/counted.h"

#include <assert.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fork_lock.h"
#include "check/set.h"
#include "emulator/machine/machine.h"
#include "runtime/common/checked.h"
#include "runtime/common/environment.h"
#include "runtime/common/host_core.h"
#include "runtime/common/observed.h"

enum { SECTION_HEADER = 12 }; /* tag and length */

struct counted_section {
    uint64_t hash, length, place;
};

struct wt_counted {
    struct wt_counted *next;
    struct wt_hosted *gpu;
    struct wt_machine *machine;
    pid_t process;
    struct wt_profile *profile; /* NULL: nobody counts */
    struct wt_check_set checks;
    uint64_t state; /* state of the code that is listed */
    bool listed;
    uint64_t list;                   /* the place of the LIST */
    struct counted_section *section; /* that the file has */
    size_t sections, section_room;
    struct wt_counted_block **numbers; /* mapped */
    size_t blocks, block_room;
};

static const char *name_of(const struct wt_hosted *gpu)
{
    return gpu->core->model ? gpu->core->model(gpu) : gpu->core->family;
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
    b->device = c->machine->device;
    snprintf(b->gpu, sizeof b->gpu, "%s", name_of(c->gpu));
    grown[c->blocks++] = b;
    wt_counted_complete(b);
    return (struct wt_profile_count *)(b + 1);
}

/* ---- code ---- */

static uint64_t add_bytes(const struct wt_counted *c, enum wt_counted_kind kind, const void *bytes,
                          uint64_t length)
{
    return wt_counted_add_bytes(kind, name_of(c->gpu), c->machine->device, bytes, length);
}

/* The place of a section, which the file may have; 0: there is no memory. */
static uint64_t place_of(struct wt_counted *c, const uint8_t *bytes, uint64_t length)
{
    const uint64_t hash = wt_core_hash(bytes, length);
    for (size_t i = 0; i < c->sections; i++)
        if (c->section[i].hash == hash && c->section[i].length == length)
            return c->section[i].place;
    struct counted_section *grown =
        wt_array_grow(c->section, &c->section_room, c->sections + 1, sizeof *grown);
    if (!grown)
        return 0;
    c->section = grown;
    grown[c->sections] =
        (struct counted_section){hash, length, add_bytes(c, WT_COUNTED_SECTION, bytes, length)};
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
    c->list = add_bytes(c, WT_COUNTED_LIST, list, count * sizeof *list);
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

static int has_part(struct dl_phdr_info *info, size_t size, void *part)
{
    (void)size;
    return strstr(info->dlpi_name, part) != NULL;
}

/* Whether a library whose name has this part is loaded. */
static bool is_loaded(const char *part)
{
    return dl_iterate_phdr(has_part, (void *)(uintptr_t)part);
}

/* GCC's OpenMP, whose threads are the waves of all GPUs. */
static bool has_libgomp(void)
{
    return is_loaded("libgomp-plugin-");
}

static enum wt_check_lanes lanes_of(const struct wt_hosted *gpu)
{
    const enum wt_check_lanes lanes = wt_check_lanes();
    return lanes != WT_LANES_BY_FAMILY                                  ? lanes
           : !wt_check_race_knows_openmp(gpu->machine) && has_libgomp() ? WT_LANES_AS_ONE
           : gpu->independent_lanes                                     ? WT_LANES_INDEPENDENT
                                                                        : WT_LANES_BY_FAMILY;
}

/* False without host memory. */
static bool begin_checks(struct wt_counted *c, const void *space)
{
    struct wt_machine *m = c->machine;
    const unsigned checks = wt_checks_of_machines();
    const bool leaks = wt_check_wants(WT_CHECK_LEAK);
    const struct wt_check_start start = {.machine = m,
                                         .space = space,
                                         .found = wt_checked_found,
                                         .context = &c->list,
                                         .lanes = lanes_of(c->gpu),
                                         .level = wt_check_init_level(),
                                         .leaks = leaks,
                                         .no_access = leaks && !(checks & WT_CHECK_MEMORY)};
    const enum wt_check_openmp openmp = has_libgomp()               ? WT_OPENMP_GCC
                                        : is_loaded("libomptarget") ? WT_OPENMP_LLVM
                                                                    : WT_OPENMP_NONE;
    if (!wt_check_set_begin(&c->checks, &start, checks | (leaks ? WT_CHECK_MEMORY : 0), openmp,
                            wt_checked_unseen))
        return false;
    if (wt_checks_wanted())
        wt_check_launches(&m->first_checked, &m->last_checked);
    return true;
}

/* Those of this process, for its end; GPUs begin and end under locks of their own. */
static struct wt_counted *begun_ones;
static pthread_mutex_t begun_lock = PTHREAD_MUTEX_INITIALIZER;

WT_LOCK_OVER_FORKS(begun, begun_lock)

static void tell_leaks(const struct wt_counted *c)
{
    if (c->checks.memory && c->process == getpid() && wt_check_wants(WT_CHECK_LEAK))
        wt_check_memory_tell_leaks(c->checks.memory);
}

/* Not each runtime ends its GPUs. */
static __attribute__((destructor)) void tell_at_the_end(void)
{
    pthread_mutex_lock(&begun_lock);
    for (struct wt_counted *c = begun_ones; c; c = c->next) {
        if (c->checks.advice && c->process == getpid())
            wt_check_advice_tell(c->checks.advice);
        tell_leaks(c);
    }
    pthread_mutex_unlock(&begun_lock);
}

static void forget_begun(const struct wt_counted *c)
{
    pthread_mutex_lock(&begun_lock);
    struct wt_counted **at = &begun_ones;
    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
    pthread_mutex_unlock(&begun_lock);
}

static struct wt_counted *begin(struct wt_hosted *gpu, const void *space)
{
    struct wt_counted *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_counted){.gpu = gpu, .machine = gpu->machine, .process = getpid()};
    if (wt_counted_counts())
        c->profile = wt_profile_begin(gpu->machine, &gpu->core->profile, add_numbers, c);
    if ((c->profile || !wt_counted_counts()) && begin_checks(c, space)) {
        pthread_mutex_lock(&begun_lock);
        c->next = begun_ones;
        begun_ones = c;
        pthread_mutex_unlock(&begun_lock);
        return c;
    }
    wt_check_set_end(&c->checks);
    if (c->profile)
        wt_profile_end(c->profile);
    wt_profile_free(c->profile);
    free(c);
    return NULL;
}

/* NULL: nothing is wanted, or without host memory. */
static struct wt_counted *begun(struct wt_hosted *gpu, const void *space)
{
    struct wt_counted *c = gpu->counts;
    if (!wt_counted_is_wanted())
        return NULL;
    if (c && (c->process != getpid() || c->machine != gpu->machine)) /* after a fork */
        wt_counted_forget(gpu);
    if (!gpu->counts && !(gpu->counts = begin(gpu, space)))
        wt_say_once("the host has no memory to count or to check what process %ld executes",
                    (long)getpid());
    return gpu->counts;
}

struct wt_check_race *wt_counted_race(struct wt_hosted *gpu, const void *space)
{
    struct wt_counted *c = wt_check_wants(WT_CHECK_RACE) ? begun(gpu, space) : NULL;
    return c ? c->checks.race : NULL;
}

void wt_counted_before_kernel(struct wt_hosted *gpu, uint64_t state, const void *space)
{
    gpu->object_space = space;
    wt_observed_look(gpu);
    struct wt_counted *c = begun(gpu, space);
    if (!c)
        return;
    wt_check_set_space(&c->checks, space);
    if (c->listed && c->state == state)
        return;
    list_code(c);
    c->state = state;
    c->listed = true;
}

void wt_counted_set_copies(struct wt_hosted *gpu, bool copies)
{
    if (gpu->counts && gpu->counts->checks.init)
        wt_check_init_set_copies(gpu->counts->checks.init, copies);
}

void wt_counted_set_variables(struct wt_hosted *gpu, wt_check_variable_fn *variable, void *context)
{
    if (gpu->counts && gpu->counts->checks.memory)
        wt_check_memory_set_variables(gpu->counts->checks.memory, variable, context);
}

void wt_counted_forget(struct wt_hosted *gpu)
{
    struct wt_counted *c = gpu->counts;
    gpu->counts = NULL;
    if (!c)
        return;
    forget_begun(c);
    tell_leaks(c);
    if (gpu->machine && c->profile && gpu->machine->profile == c->profile)
        wt_profile_end(c->profile);
    wt_profile_free(c->profile);
    if (gpu->machine == c->machine)
        wt_check_set_end(&c->checks);
    else
        wt_check_set_free(&c->checks);
    for (size_t i = 0; i < c->blocks; i++)
        munmap(c->numbers[i], c->numbers[i]->size);
    free(c->numbers);
    free(c->section);
    free(c);
}

/* See checked.h. */
#include "runtime/common/checked.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fork_lock.h"
#include "base/map.h"
#include "check/memory.h"
#include "emulator/machine/core_format.h"
#include "runtime/common/counted_file.h"
#include "runtime/common/environment.h"
#include "runtime/common/results.h"

/* ---- options ---- */

#define FORM "%x %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %u %u"
#define SCAN "%x %" SCNu64 " %" SCNu64 " %d %" SCNu64 " %" SCNu64 " %u %u"

void wt_check_options_write(const struct wt_check_options *o, char *text)
{
    snprintf(text, 200, FORM, o->checks, o->limit, o->quarantine, o->stop, o->first, o->last,
             o->lanes, o->init);
}

static struct wt_check_options options;
static bool judges_none; /* memory is not judged: explore wants its results alone */

/* Objects are known as under --check=memory. */
static void want_results(void)
{
    judges_none = !(options.checks & WT_CHECK_MEMORY);
    options.checks |= WT_CHECK_MEMORY;
}

void wt_checked_unseen(const char *format, ...)
{
    char text[sizeof((struct wt_error *)NULL)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wt_say_once("%s", text);
    wt_counted_add_bytes(WT_COUNTED_UNSEEN, "", 0, text, strlen(text) + 1);
}

static void read_variable(void)
{
    const char *text = getenv(WT_CHECK_VARIABLE);
    int stop;
    if (!text || !*text || !wt_counted_is_wanted()) {
        if (wt_results_are_wanted())
            want_results();
        return;
    }
    if (sscanf(text, SCAN, &options.checks, &options.limit, &options.quarantine, &stop,
               &options.first, &options.last, &options.lanes, &options.init) != 8) {
        options.checks = 0;
        wt_say_once(WT_CHECK_VARIABLE " is what --check writes; '%.100s' is not", text);
        return;
    }
    options.stop = stop;
    if (options.checks & WT_CHECK_MEMORY)
        wt_objects_set_quarantine(options.quarantine);
    if (wt_results_are_wanted())
        want_results();
    wt_objects_take_calls();
    if (options.checks & WT_CHECK_INIT)
        wt_check_init_listen(wt_checked_unseen);
}

static const struct wt_check_options *asked_for(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variable);
    return &options;
}

bool wt_check_wants(enum wt_check check)
{
    return asked_for()->checks & check;
}

bool wt_check_judges_memory(void)
{
    return wt_check_wants(WT_CHECK_MEMORY) && !judges_none;
}

unsigned wt_checks_of_machines(void)
{
    return asked_for()->checks & ~(judges_none ? (unsigned)WT_CHECK_MEMORY : 0);
}

bool wt_checks_wanted(void)
{
    return wt_check_wants((enum wt_check)WT_CHECK_ALL);
}

void wt_check_launches(uint64_t *first, uint64_t *last)
{
    *first = asked_for()->first;
    *last = asked_for()->last;
}

enum wt_check_lanes wt_check_lanes(void)
{
    return (enum wt_check_lanes)asked_for()->lanes;
}

enum wt_init_level wt_check_init_level(void)
{
    return (enum wt_init_level)options.init;
}

void wt_checked_copied(uint64_t to, uint64_t from, uint64_t size)
{
    if (wt_check_wants(WT_CHECK_INIT) && wt_check_init_is_of_host(NULL, from))
        wt_check_init_filled(NULL, to, size);
}

uint64_t wt_check_redzone(void)
{
    enum { REDZONE = 256 };
    return wt_check_judges_memory() ? REDZONE : 0;
}

/* ---- findings of the process ---- */

struct noted {
    struct wt_counted_finding *in_file;   /* mapped */
    struct wt_different groups, launches; /* that it was found in */
};

static struct {
    pthread_mutex_t lock;
    pid_t process; /* whose findings they are */
    struct noted *list;
    size_t count, room;
    struct wt_counted_finding *free; /* places of the last block that are not used */
    size_t free_count;
    uint64_t maps, maps_hash;
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

WT_LOCK_OVER_FORKS(findings, found.lock)

/* The lines of the code of the process as it is mapped now, which the caller frees; *size: with the
 * NUL behind them. NULL: there is no memory. */
static char *read_maps(size_t *size)
{
    char line[5000], *text = NULL;
    FILE *maps = fopen("/proc/self/maps", "re"), *out = open_memstream(&text, size);
    while (maps && out && fgets(line, sizeof line, maps))
        if (strchr(line, '/'))
            fputs(line, out);
    if (maps)
        fclose(maps);
    if (!out || fclose(out))
        return NULL;
    ++*size;
    return text;
}

/* Their place in the file. */
static uint64_t place_of_maps(void)
{
    size_t size = 0;
    char *text = read_maps(&size);
    if (!text)
        return 0;
    const uint64_t hash = wt_core_hash((const uint8_t *)text, size);
    if (!found.maps || hash != found.maps_hash)
        found.maps = wt_counted_add_bytes(WT_COUNTED_MAPS, "", 0, text, size);
    found.maps_hash = hash;
    free(text);
    return found.maps;
}

/* A place for one more finding; NULL: there is no memory. */
static struct wt_counted_finding *new_place(void)
{
    uint64_t place;
    if (!found.free_count) {
        struct wt_counted_block *b = wt_counted_add_block(
            WT_COUNTED_FINDINGS, WT_COUNTED_FOUND * sizeof(struct wt_counted_finding), &place);
        if (!b)
            return NULL;
        wt_counted_complete(b);
        found.free = (struct wt_counted_finding *)(b + 1);
        found.free_count = WT_COUNTED_FOUND;
    }
    found.free_count--;
    return found.free++;
}

/* One more that is like a noted one. */
static void count_one(struct noted *n, const struct wt_finding *f)
{
    struct wt_finding *all = &n->in_file->finding;
    if (f->groups)
        wt_different_add(&n->groups, f->groups);
    if (f->launch)
        wt_different_add(&n->launches, f->launch);
    all->times += f->times;
    all->lanes_of += f->lanes_of;
    all->groups = n->groups.count;
    all->launches = n->launches.count;
}

static void count_more(void)
{
    struct wt_counted_head *head = wt_counted_open_head();
    if (!head)
        return;
    atomic_fetch_add(&head->more, 1);
    munmap(head, WT_COUNTED_PAGE);
}

static void note(const uint64_t *code, const struct wt_finding *f)
{
    if (found.process != getpid()) { /* a fork's child begins anew */
        found.process = getpid();
        found.count = found.free_count = 0;
        found.maps = 0;
    }
    for (size_t i = 0; i < found.count; i++)
        if (wt_finding_is_like(&found.list[i].in_file->finding, f)) {
            count_one(&found.list[i], f);
            return;
        }
    enum { EACH = 16 }; /* findings of one line may be many; reports join them */
    if (found.count / EACH >= options.limit) {
        count_more();
        return;
    }
    struct noted *grown = wt_array_grow(found.list, &found.room, found.count + 1, sizeof *grown);
    if (grown)
        found.list = grown;
    struct wt_counted_finding *place = grown ? new_place() : NULL;
    if (!place)
        return;
    place->code = code ? *code : 0;
    place->maps = place_of_maps();
    place->finding = *f;
    place->finding.times = place->finding.lanes_of = 0;
    grown[found.count] = (struct noted){.in_file = place};
    count_one(&grown[found.count++], f);
    atomic_store(&place->used, 1);
}

void wt_checked_found(void *context, const struct wt_finding *f)
{
    pthread_mutex_lock(&found.lock);
    note(context, f);
    pthread_mutex_unlock(&found.lock);
    if (options.stop && f->severity == WT_ERROR)
        _exit(WT_CHECK_STATUS);
}

/* ---- core files ---- */

/* The layout of a finding is that of this version of core files. */
static void archive_size(struct wt_archive *a)
{
    uint32_t size = sizeof(struct wt_finding);
    wt_archive_u32(a, &size, UINT32_MAX, "a finding's size");
    if (size != sizeof(struct wt_finding))
        wt_archive_fail(a, "its findings have another form than those of this wavetrap");
}

void wt_checked_write(struct wt_core_writer *w, struct wt_archive *a)
{
    size_t size = 0;
    pthread_mutex_lock(&found.lock);
    uint32_t count = found.process == getpid() ? (uint32_t)found.count : 0;
    char *maps = count ? read_maps(&size) : NULL;
    uint64_t length = maps ? size : 0;
    if (count) {
        wt_core_begin_section(w, "FIND");
        archive_size(a);
        wt_archive_u64(a, &length, UINT64_MAX, "a length");
        wt_archive_bytes(a, maps, (size_t)length);
        wt_archive_u32(a, &count, UINT32_MAX, "a number of findings");
        for (size_t i = 0; i < count; i++)
            wt_archive_bytes(a, &found.list[i].in_file->finding, sizeof(struct wt_finding));
        wt_core_end_section(w);
    }
    free(maps);
    pthread_mutex_unlock(&found.lock);
}

void wt_checked_read(struct wt_archive *a)
{
    uint64_t length = 0, maps = 0;
    uint32_t count = 0;
    archive_size(a);
    wt_archive_u64(a, &length, a->left, "a length");
    if (length && !a->failed) {
        maps = wt_counted_add_bytes(WT_COUNTED_MAPS, "", 0, a->in, length);
        a->in += length;
        a->left -= length;
    }
    wt_archive_u32(a, &count, (uint32_t)(a->left / sizeof(struct wt_finding)),
                   "a number of findings");
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        struct wt_counted_finding *place = new_place();
        if (!place)
            return;
        place->maps = maps;
        wt_archive_bytes(a, &place->finding, sizeof place->finding);
        atomic_store(&place->used, 1);
    }
}

static void archive_calls(struct wt_archive *a, struct wt_call_stack *calls)
{
    uint32_t depth = calls->depth;
    wt_archive_u32(a, &depth, WT_STACK_DEPTH, "a number of calls");
    calls->depth = depth;
    for (uint32_t i = 0; i < depth; i++) {
        uint64_t address = (uintptr_t)calls->address[i];
        wt_archive_u64(a, &address, UINTPTR_MAX, "a call");
        calls->address[i] = (void *)(uintptr_t)address;
    }
}

static void archive_object(struct wt_archive *a, struct wt_object *o, char by[40])
{
    wt_archive_u64(a, &o->addr, UINT64_MAX, "an address");
    wt_archive_u64(a, &o->size, UINT64_MAX - o->addr, "an object's size");
    wt_archive_u64(a, &o->number, UINT64_MAX, "an object's number");
    wt_archive_bool(a, &o->read_only);
    wt_archive_bool(a, &o->freed);
    wt_archive_text(a, by, 40);
    wt_archive_text(a, o->name, sizeof o->name);
    archive_calls(a, &o->made);
    archive_calls(a, &o->ended);
}

struct counted_objects {
    uint64_t count;
    bool have_calls;
};

static bool count_object(void *context, const struct wt_object *object)
{
    struct counted_objects *c = context;
    c->count++;
    c->have_calls |= object->made.depth || object->ended.depth;
    return true;
}

struct written_objects {
    struct wt_archive *a;
    uint64_t left; /* others may have been made since they were counted */
};

static bool write_object(void *context, const struct wt_object *object)
{
    struct written_objects *w = context;
    struct wt_object copy = *object;
    char by[40];
    if (!w->left)
        return false;
    w->left--;
    snprintf(by, sizeof by, "%s", copy.by);
    archive_object(w->a, &copy, by);
    return true;
}

void wt_checked_write_objects(struct wt_core_writer *w, struct wt_archive *a, const void *space)
{
    struct counted_objects of = {.count = 0};
    struct written_objects to = {.a = a};
    struct wt_object none = {.by = ""};
    size_t size = 0;
    wt_objects_of(space, count_object, &of);
    if (!of.count)
        return;
    char *maps = of.have_calls ? read_maps(&size) : NULL;
    uint64_t length = maps ? size : 0;
    wt_core_begin_section(w, "OBJS");
    wt_archive_u64(a, &length, UINT64_MAX, "a length");
    wt_archive_bytes(a, maps, (size_t)length);
    wt_archive_u64(a, &of.count, UINT64_MAX, "a number of objects");
    to.left = of.count;
    wt_objects_of(space, write_object, &to);
    while (to.left)
        write_object(&to, &none);
    wt_core_end_section(w);
    free(maps);
}

/* A text that stays. NULL: there are too many, or no memory. */
static const char *kept_text(const char *text)
{
    enum { MOST = 256 };
    static char *kept[MOST];
    for (unsigned i = 0; i < MOST; i++) {
        if (!kept[i])
            kept[i] = strdup(text);
        if (!kept[i] || strcmp(kept[i], text) == 0)
            return kept[i];
    }
    return NULL;
}

static char *read_length_and_maps(struct wt_archive *a)
{
    uint64_t length = 0;
    wt_archive_u64(a, &length, a->left, "a length");
    char *maps = length && !a->failed ? malloc((size_t)length) : NULL;
    if (!maps)
        return NULL;
    wt_archive_bytes(a, maps, (size_t)length);
    maps[length - 1] = 0;
    return maps;
}

void wt_checked_read_objects(struct wt_archive *a, const void *space, char **maps)
{
    uint64_t count = 0;
    *maps = read_length_and_maps(a);
    wt_archive_u64(a, &count, a->left, "a number of objects");
    for (uint64_t i = 0; i < count && !a->failed; i++) {
        struct wt_object o = {.space = space};
        char by[40] = "";
        archive_object(a, &o, by);
        o.by = kept_text(by);
        if (!a->failed && o.by && o.size)
            wt_object_restore(&o);
    }
}

/* ---- what drivers tell ---- */

static void __attribute__((format(printf, 4, 0)))
report_call(enum wt_finding_kind kind, const struct wt_object *object, uint64_t addr,
            const char *format, va_list arguments)
{
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, false),
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .address = addr,
                           .times = 1};
    if (!wt_check_wants(wt_finding_check(kind)) ||
        (judges_none && wt_finding_check(kind) == WT_CHECK_MEMORY))
        return;
    vsnprintf(f.text, sizeof f.text, format, arguments);
    wt_call_stack_take(&f.calls);
    if (object)
        wt_finding_of_object(&f, object);
    wt_checked_found(NULL, &f);
}

void wt_checked_call(enum wt_finding_kind kind, const struct wt_object *object, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_call(kind, object, 0, format, arguments);
    va_end(arguments);
}

static void __attribute__((format(printf, 4, 5)))
report_free(enum wt_finding_kind kind, const struct wt_object *object, uint64_t addr,
            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_call(kind, object, addr, format, arguments);
    va_end(arguments);
}

bool wt_checked_free(const void *space, uint64_t addr, const char *by)
{
    struct wt_object object;
    if (wt_object_freed(space, addr, by) || !wt_check_judges_memory())
        return true;
    if (!wt_object_find(space, addr, &object, NULL, NULL))
        report_free(WT_FOUND_BAD_FREE, NULL, addr,
                    "%s: 0x%" PRIx64 " is not an address of an allocation", by, addr);
    else if (object.freed && object.addr == addr)
        report_free(WT_FOUND_DOUBLE_FREE, &object, addr, "%s: the allocation was freed before", by);
    else
        report_free(WT_FOUND_BAD_FREE, &object, addr, "%s: byte %" PRIu64 " of an allocation", by,
                    addr - object.addr);
    return false;
}

uint64_t wt_checked_access(const void *space, uint64_t addr, uint64_t size, enum wt_access access,
                           const char *by)
{
    struct wt_call_stack calls;
    if (!size || !wt_check_judges_memory())
        return size;
    wt_call_stack_take(&calls);
    return wt_check_host_access(space, addr, size, access, by, &calls, wt_checked_found, NULL);
}

/* ---- leaks ---- */

struct leaks {
    bool (*is_leak)(const struct wt_object *object);
    struct wt_object *list; /* the table is locked while they are looked for */
    size_t count, room;
};

static bool add_leak(void *context, const struct wt_object *object)
{
    struct leaks *l = context;
    struct wt_object *grown;
    if (object->process != getpid() || object->given_up || !l->is_leak(object))
        return true;
    if (!(grown = wt_array_grow(l->list, &l->room, l->count + 1, sizeof *grown)))
        return false;
    l->list = grown;
    grown[l->count++] = *object;
    return true;
}

void wt_checked_leak(const struct wt_object *object)
{
    struct wt_finding f = {.kind = WT_FOUND_LEAK,
                           .severity = wt_finding_severity(WT_FOUND_LEAK, false),
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .calls = object->made,
                           .times = 1};
    if (!wt_check_wants(WT_CHECK_LEAK))
        return;
    snprintf(f.text, sizeof f.text, "%s", object->by);
    if (object->size)
        wt_finding_of_object(&f, object);
    wt_checked_found(NULL, &f);
}

void wt_checked_leaks(bool (*is_leak)(const struct wt_object *object))
{
    struct leaks l = {.is_leak = is_leak};
    wt_results_end();
    if (!wt_check_wants(WT_CHECK_LEAK))
        return;
    wt_objects_each(add_leak, &l);
    for (size_t i = 0; i < l.count; i++)
        wt_checked_leak(&l.list[i]);
    free(l.list);
}

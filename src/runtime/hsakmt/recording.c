/* The recording of a GPU, on a copy of the process's memory. See recording.h. */
#include "runtime/hsakmt/recording.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"

#define WORDS (HOST_PAGE / 8)
/* How often an atomic is tried on memory that a thread changes all the time, before it counts
 * although the thread has changed the same bytes. */
#define MOST_UNDONE 1000
/* Looking for changes of the program's threads takes at most a part of the time. */
#define LOOK_PART 16
#define LEAST_LOOK_NS 100000u
/* Rounds of such a look, and looks that found no end of changes before one takes what it has. */
#define MOST_ROUNDS 16
#define MOST_PUT_OFF 64

/* A page of the process's memory that the GPU has come to. */
struct page {
    uint64_t addr;
    uint8_t *base; /* as it was then */
    uint8_t *same; /* as both sides last had it; the base until that is another */
    uint8_t *now;  /* within look(): as the process has it; NULL: the same */
    bool shared;
};

/* A store of a wave to a shared page. */
struct store {
    uint64_t addr;
    uint8_t bytes[16];
    uint8_t size;
    bool atomic; /* of 4 or 8 bytes; the slice ends behind its instruction */
};

/* What the program's threads have changed, at an issue time. */
struct change {
    uint64_t time, addr;
    uint8_t *bytes;
    size_t size;
};

/* An interrupt of a wave. */
struct told {
    uint32_t data;
    bool handler; /* the trap handler has sent it */
    unsigned dispatch;
};

struct host_recording {
    uint64_t budget; /* 0: nothing is to be recorded */
    host_shared_fn is_shared;
    struct gcn_copy copy;
    bool copied;                  /* the GPU works on the copy */
    struct wt_timeline *timeline; /* NULL: nothing is recorded */
    bool live;                    /* what the device does now has not happened before */
    bool waits;                   /* for the debugger, which deals with an exception */
    bool told_last;               /* the latest store was to shared memory */
    bool failed;                  /* there was no host memory for a page */
    atomic_uint_fast64_t time;
    struct page *page;
    size_t page_count, page_capacity;
    uint32_t *place; /* of page numbers + 1, by address; a power of two of them */
    size_t places;
    struct store *store;
    size_t store_count, store_capacity;
    struct change *change;
    size_t change_count, change_capacity;
    struct told *told;
    size_t told_count, told_capacity;
    uint64_t seen; /* issue time until which the program sees what waves store */
    unsigned undone, put_off;
    uint64_t looked, look_ns; /* for changes of the program's threads: when, and how long it took */
    const char *missing;
    struct host_travel travel;
};

#define NOT_YET                                                                                    \
    "nothing is recorded now: a recording begins with a kernel that starts on an idle GPU, and "   \
    "ends with it"

/* ---- pages ---- */

/* The process's pages are read whole. Beside what the GPU uses there may be what a sanitizer would
 * not have anybody read. */
#define WHOLE __attribute__((no_sanitize("address"), noinline))

static WHOLE void copy_page(uint8_t *to, const uint8_t *from)
{
    for (unsigned i = 0; i < WORDS; i++)
        ((uint64_t *)(void *)to)[i] =
            __atomic_load_n((const uint64_t *)(const void *)from + i, __ATOMIC_ACQUIRE);
}

static WHOLE bool same_page(const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (((const volatile uint64_t *)(const void *)a)[i] !=
            ((const volatile uint64_t *)(const void *)b)[i])
            return false;
    return true;
}

static size_t place_of(const struct host_recording *r, uint64_t addr)
{
    size_t at = (size_t)((addr >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (r->places - 1);
    while (r->place[at] && r->page[r->place[at] - 1].addr != addr)
        at = (at + 1) & (r->places - 1);
    return at;
}

static bool make_places(struct host_recording *r)
{
    if (r->places > 2 * r->page_count)
        return true;
    const size_t places = r->places ? 2 * r->places : 1024;
    uint32_t *place = calloc(places, sizeof *place);
    if (!place)
        return false;
    free(r->place);
    r->place = place;
    r->places = places;
    for (size_t i = 0; i < r->page_count; i++)
        r->place[place_of(r, r->page[i].addr)] = (uint32_t)i + 1;
    return true;
}

static struct page *find_page(struct host_gpu *gpu, uint64_t addr, const uint8_t *host)
{
    struct host_recording *r = gpu->recording;
    if (r->places) {
        const uint32_t number = r->place[place_of(r, addr)];
        if (number)
            return &r->page[number - 1];
    }
    struct page *more = wt_array_grow(r->page, &r->page_capacity, r->page_count + 1, sizeof *more);
    uint8_t *base = NULL;
    if (more)
        r->page = more;
    if (!more || !make_places(r) || !(base = malloc(HOST_PAGE)))
        return NULL;
    copy_page(base, host);
    r->page[r->page_count] = (struct page){
        .addr = addr, .base = base, .same = base, .shared = r->is_shared(gpu->host, addr)};
    r->place[place_of(r, addr)] = (uint32_t)++r->page_count;
    return &r->page[r->page_count - 1];
}

static const uint8_t *copied(void *context, uint64_t addr, const uint8_t *host)
{
    struct host_gpu *gpu = context;
    const struct page *page = find_page(gpu, addr, host);
    gpu->recording->failed |= !page;
    return page ? page->base : host;
}

static bool shared(void *context, uint64_t addr)
{
    struct host_gpu *gpu = context;
    const struct page *page = find_page(gpu, addr, gcn_device_page(gpu->device, addr));
    return page && page->shared;
}

static void stored(void *context, uint64_t addr, const void *bytes, size_t size)
{
    struct host_gpu *gpu = context;
    struct host_recording *r = gpu->recording;
    const uint64_t first = addr & ~(uint64_t)(HOST_PAGE - 1);
    const uint64_t last = (addr + size - 1) & ~(uint64_t)(HOST_PAGE - 1);
    r->told_last = shared(gpu, first) || shared(gpu, last);
    if (!r->told_last || !r->live)
        return;
    struct store *more =
        wt_array_grow(r->store, &r->store_capacity, r->store_count + 1, sizeof *more);
    if (more)
        r->store = more;
    if (!more || size > sizeof more->bytes) {
        r->failed = true;
        r->told_last = false;
        return;
    }
    struct store *s = &r->store[r->store_count++];
    *s = (struct store){.addr = addr, .size = (uint8_t)size};
    memcpy(s->bytes, bytes, size);
}

/* Threads may do atomics, too: this one has happened when their memory has taken it. Its store was
 * not told where memory is not shared: then the latest store is another one. */
static bool was_atomic(void *context, uint64_t addr)
{
    struct host_gpu *gpu = context;
    struct host_recording *r = gpu->recording;
    if (!r->told_last || !shared(gpu, addr & ~(uint64_t)(HOST_PAGE - 1)))
        return false;
    if (r->live) {
        assert(r->store_count && r->store[r->store_count - 1].addr == addr);
        r->store[r->store_count - 1].atomic = true;
    }
    return true;
}

static void forget_pages(struct host_recording *r)
{
    for (size_t i = 0; i < r->page_count; i++) {
        if (r->page[i].same != r->page[i].base)
            free(r->page[i].same);
        free(r->page[i].base);
    }
    free(r->page);
    free(r->place);
    r->page = NULL;
    r->place = NULL;
    r->page_count = r->page_capacity = r->places = 0;
}

/* What both sides last had of a page, to be changed; NULL without host memory. */
static uint8_t *same_of(struct host_recording *r, struct page *page)
{
    if (page->same == page->base) {
        uint8_t *own = malloc(HOST_PAGE);
        if (!own) {
            r->failed = true;
            return NULL;
        }
        page->same = memcpy(own, page->base, HOST_PAGE);
    }
    return page->same;
}

/* ---- both sides made the same ---- */

/* The bits of the bytes in which two words differ. */
static uint64_t different(uint64_t a, uint64_t b)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8)
        if ((a ^ b) >> i & 0xff)
            mask |= (uint64_t)0xff << i;
    return mask;
}

static uint64_t word_of(const uint8_t *page, unsigned i)
{
    uint64_t word;
    memcpy(&word, page + 8 * (size_t)i, sizeof word);
    return word;
}

static void put_in(struct host_gpu *gpu, const struct change *change)
{
    const struct wt_input input = {.kind = WT_INPUT_MEMORY,
                                   .addr = change->addr,
                                   .bytes = change->bytes,
                                   .size = change->size};
    wt_timeline_input(gpu->recording->timeline, &input);
}

static void forget_changes(struct host_recording *r)
{
    while (r->change_count)
        free(r->change[--r->change_count].bytes);
}

/* Threads have changed what lies between these bytes of a page: so it is in the copy, too. */
static void take_in(struct host_gpu *gpu, uint64_t addr, const uint8_t *bytes, size_t size)
{
    struct host_recording *r = gpu->recording;
    struct change change = {
        .time = gcn_machine(gpu->device)->time, .addr = addr, .bytes = malloc(size), .size = size};
    struct change *more =
        wt_array_grow(r->change, &r->change_capacity, r->change_count + 1, sizeof *more);
    if (more)
        r->change = more;
    if (!more || !change.bytes) {
        free(change.bytes);
        r->failed = true;
        return;
    }
    memcpy(change.bytes, bytes, size);
    r->change[r->change_count++] = change;
    put_in(gpu, &change);
}

/* What the GPU has changed of a page since goes to the process, and nothing else: threads may be
 * changing other bytes. */
static void publish(struct host_gpu *gpu, struct page *page)
{
    struct host_recording *r = gpu->recording;
    if (!gcn_device_maps(gpu->device, page->addr))
        return; /* the program has freed it */
    const uint8_t *ours = gcn_device_copied(gpu->device, page->addr);
    if (ours == page->same || !memcmp(ours, page->same, HOST_PAGE))
        return;
    uint8_t *theirs = gcn_device_page(gpu->device, page->addr), *same = same_of(r, page);
    if (!same)
        return;
    for (unsigned i = 0; i < WORDS; i++) {
        const uint64_t mine = word_of(ours, i), before = word_of(same, i);
        const uint64_t mask = different(mine, before);
        uint64_t *at = (uint64_t *)(void *)theirs + i;
        uint64_t now = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        while (mask && !__atomic_compare_exchange_n(at, &now, (now & ~mask) | (mine & mask), false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        if (mask)
            memcpy(same + 8 * (size_t)i, &mine, sizeof mine);
    }
}

/* Pages may be added to the list meanwhile, none goes. */
static void publish_all(struct host_gpu *gpu)
{
    for (size_t i = 0; i < gpu->recording->page_count; i++)
        publish(gpu, &gpu->recording->page[i]);
}

/* Whether a page of the process is another one than when it was last looked at; then that is
 * kept. */
static bool has_changed(struct host_gpu *gpu, struct page *page)
{
    if (!gcn_device_maps(gpu->device, page->addr))
        return false;
    const uint8_t *theirs = gcn_device_page(gpu->device, page->addr);
    if (same_page(theirs, page->now ? page->now : page->same))
        return false;
    if (!page->now && !(page->now = malloc(HOST_PAGE))) {
        gpu->recording->failed = true;
        return false;
    }
    copy_page(page->now, theirs);
    return true;
}

/* Takes in how a page was when it was looked at. */
static void take_page(struct host_gpu *gpu, struct page *page)
{
    struct host_recording *r = gpu->recording;
    uint8_t *same = same_of(r, page), ours[HOST_PAGE];
    unsigned first = HOST_PAGE, last = 0;
    memcpy(ours, gcn_device_copied(gpu->device, page->addr), HOST_PAGE);
    for (unsigned i = 0; same && i < WORDS; i++) {
        const uint64_t now = word_of(page->now, i), before = word_of(same, i);
        const uint64_t own = different(word_of(ours, i), before); /* the GPU's own, not shown yet */
        const uint64_t mask = different(now, before) & ~own;
        if (!mask)
            continue;
        const uint64_t next = (word_of(ours, i) & ~mask) | (now & mask);
        const uint64_t both = (before & ~mask) | (now & mask);
        memcpy(ours + 8 * (size_t)i, &next, sizeof next);
        memcpy(same + 8 * (size_t)i, &both, sizeof both);
        first = first < 8 * i ? first : 8 * i;
        last = 8 * i + 7;
    }
    if (first < HOST_PAGE && r->timeline)
        take_in(gpu, page->addr + first, ours + first, last - first + 1);
}

/*
 * Takes in what threads have changed of shared memory, or of all. A thread writes data, and then
 * what says that the data is there: who sees the latter must see the former. So nothing is taken
 * before a whole round has found nothing new. Where threads never stop it is taken in the end, or
 * (at_once) after some rounds.
 */
static void look(struct host_gpu *gpu, bool all, bool at_once)
{
    struct host_recording *r = gpu->recording;
    const uint64_t from = wt_clock_ns();
    bool more = true, any = false;
    for (unsigned round = 0; more && round < MOST_ROUNDS; round++) {
        more = false;
        for (size_t i = 0; i < r->page_count; i++)
            if (all || r->page[i].shared)
                more |= has_changed(gpu, &r->page[i]);
        any |= more;
    }
    const bool take = !more || at_once || r->put_off == MOST_PUT_OFF;
    r->put_off = take ? 0 : r->put_off + 1;
    for (size_t i = 0; any && i < r->page_count; i++) {
        struct page *page = &r->page[i];
        if (page->now && take)
            take_page(gpu, page);
        free(page->now);
        page->now = NULL;
    }
    r->looked = wt_clock_ns();
    r->look_ns = r->looked - from;
}

static void merge(struct host_gpu *gpu)
{
    publish_all(gpu);
    look(gpu, true, true);
}

static bool look_is_due(const struct host_recording *r)
{
    const uint64_t since = wt_clock_ns() - r->looked;
    return since >= LEAST_LOOK_NS && since >= LOOK_PART * r->look_ns;
}

/* ---- what waves have stored to shared memory ---- */

/* The part of a store that lies in one page. */
struct part {
    struct page *page;
    uint8_t *at;     /* in the process */
    unsigned offset; /* in the page */
    const uint8_t *bytes;
    size_t size;
};

static bool part_of(struct host_gpu *gpu, const struct store *s, size_t done, struct part *part)
{
    const uint64_t addr = s->addr + done, page = addr & ~(uint64_t)(HOST_PAGE - 1);
    const size_t left = s->size - done, room = (size_t)(page + HOST_PAGE - addr);
    *part = (struct part){.offset = (unsigned)(addr - page),
                          .bytes = s->bytes + done,
                          .size = left < room ? left : room};
    if (!gcn_device_maps(gpu->device, page))
        return false;
    uint8_t *host = gcn_device_page(gpu->device, page);
    part->at = host + part->offset;
    part->page = find_page(gpu, page, host);
    return part->page && part->page->shared;
}

/* As one access where it can be one: threads look at flags and pointers. */
static void put(uint8_t *at, const uint8_t *bytes, size_t size)
{
    const uintptr_t low = (uintptr_t)at | size;
    if (size >= 8 && low % 8 == 0) {
        for (size_t i = 0; i < size; i += 8)
            __atomic_store_n((uint64_t *)(void *)(at + i), word_of(bytes + i, 0), __ATOMIC_RELEASE);
    } else if (low % 4 == 0) {
        for (size_t i = 0; i < size; i += 4) {
            uint32_t word;
            memcpy(&word, bytes + i, sizeof word);
            __atomic_store_n((uint32_t *)(void *)(at + i), word, __ATOMIC_RELEASE);
        }
    } else {
        for (size_t i = 0; i < size; i++)
            __atomic_store_n(at + i, bytes[i], __ATOMIC_RELEASE);
    }
}

static void tell_interrupts(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    for (size_t i = 0; i < r->told_count; i++) {
        const struct told *t = &r->told[i];
        if (!t->handler) {
            host_event_interrupt(gpu->host, t->data);
            continue;
        }
        gpu->trapped |= (uint32_t)1 << t->dispatch;
        gpu->dispatch[t->dispatch].told |= t->data & HOST_TOLD;
    }
    r->told_count = 0;
}

static void show_store(struct host_gpu *gpu, const struct store *s)
{
    struct part p;
    for (size_t done = 0; done < s->size; done += p.size) {
        uint8_t *same;
        if (!part_of(gpu, s, done, &p) || !(same = same_of(gpu->recording, p.page)))
            continue;
        put(p.at, p.bytes, p.size);
        memcpy(same + p.offset, p.bytes, p.size);
    }
}

/* False: a thread has changed what the atomic was done on. */
static bool show_atomic(struct host_gpu *gpu, const struct store *s)
{
    uint64_t before = 0, after = 0;
    struct part p;
    uint8_t *same;
    bool done;
    if (!part_of(gpu, s, 0, &p) || !(same = same_of(gpu->recording, p.page)))
        return true;
    memcpy(&before, same + p.offset, s->size);
    memcpy(&after, s->bytes, s->size);
    if (s->size == 8) {
        done = __atomic_compare_exchange_n((uint64_t *)(void *)p.at, &before, after, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    } else {
        uint32_t was = (uint32_t)before;
        done = __atomic_compare_exchange_n((uint32_t *)(void *)p.at, &was, (uint32_t)after, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    if (done)
        memcpy(same + p.offset, s->bytes, s->size);
    return done;
}

/* Lanes of one instruction may do atomics on the same bytes: the last one's result counts. */
static bool is_last(const struct host_recording *r, size_t i)
{
    for (size_t k = i + 1; k < r->store_count; k++)
        if (r->store[k].addr == r->store[i].addr)
            return false;
    return true;
}

/* The program sees what waves have stored to shared memory. False: a thread was faster than an
 * atomic, the first of its instruction; the stores before it have been seen. */
static bool show_stores(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    bool any = r->undone == MOST_UNDONE;
    for (size_t i = 0; i < r->store_count; i++) {
        const struct store *s = &r->store[i];
        if (s->atomic && !is_last(r, i))
            continue;
        if (s->atomic && show_atomic(gpu, s)) {
            any = true;
            continue;
        }
        if (s->atomic && !any)
            return false;
        show_store(gpu, s);
    }
    r->store_count = 0;
    return true;
}

/* What the device has done has happened. */
static void show(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    r->undone = 0;
    r->seen = gcn_machine(gpu->device)->time;
    tell_interrupts(gpu);
}

static enum wt_run run_live(struct host_gpu *gpu, uint64_t issues)
{
    struct host_recording *r = gpu->recording;
    r->live = true;
    const enum wt_run run = wt_timeline_run(r->timeline, issues);
    r->live = false;
    return run;
}

/* Back to before the atomic with which the slice has ended, and what threads have changed is taken
 * in. What comes before it in the slice is done again, and is the same again. */
static void undo(struct host_gpu *gpu)
{
    const struct wt_input nothing = {.kind = WT_INPUT_FLUSH_CONSOLE};
    struct host_recording *r = gpu->recording;
    const struct wt_machine *m = gcn_machine(gpu->device);
    const uint64_t before = m->time - 1;
    r->undone++;
    r->store_count = r->told_count = 0;
    if (wt_timeline_goto(r->timeline, r->seen, WT_IGNORED) != WT_OK) {
        r->failed = true;
        return;
    }
    wt_timeline_input(r->timeline, &nothing); /* here the run goes on another way */
    if (m->time < before)
        run_live(gpu, before - m->time);
    r->store_count = 0;
    look(gpu, false, true);
}

/* ---- beginning and ending ---- */

bool host_recording_on(const struct host_gpu *gpu)
{
    return gpu->recording && gpu->recording->timeline;
}

bool host_recording_is_away(const struct host_gpu *gpu)
{
    return host_recording_on(gpu) && !wt_timeline_at_end(gpu->recording->timeline);
}

bool host_recording_waits(const struct host_gpu *gpu)
{
    return host_recording_is_away(gpu) || (host_recording_on(gpu) && gpu->recording->waits);
}

void host_recording_asked(struct host_gpu *gpu)
{
    if (gpu->recording)
        gpu->recording->waits = gcn_kfd_has_event(gpu->device);
}

uint64_t host_recording_time(const struct host_gpu *gpu)
{
    return gpu->recording ? atomic_load(&gpu->recording->time) : 0;
}

struct wt_timeline *host_recording_timeline(const struct host_gpu *gpu)
{
    return gpu->recording ? gpu->recording->timeline : NULL;
}

const char *host_recording_missing(const struct host_gpu *gpu)
{
    return gpu->recording ? gpu->recording->missing : NOT_YET;
}

struct host_travel *host_recording_travel(struct host_gpu *gpu)
{
    return &gpu->recording->travel;
}

uint64_t host_recording_budget(const struct host_gpu *gpu)
{
    return gpu->recording->budget;
}

int host_recording_want(struct host_gpu *gpu, uint64_t budget, host_shared_fn is_shared)
{
    if (!budget) {
        host_recording_free(gpu);
        return 0;
    }
    if (!gpu->recording && !(gpu->recording = calloc(1, sizeof *gpu->recording)))
        return -ENOMEM;
    struct host_recording *r = gpu->recording;
    r->budget = budget;
    r->is_shared = is_shared;
    r->copy = (struct gcn_copy){copied, shared, stored, was_atomic, gpu};
    atomic_store(&r->time, gcn_machine(gpu->device)->time);
    if (!r->timeline)
        r->missing = NOT_YET;
    return 0;
}

/* To the present, in which the device must be before anything else happens to it. */
static void come_back(struct host_gpu *gpu)
{
    struct wt_timeline *t = gpu->recording->timeline;
    struct wt_error err;
    if (wt_timeline_at_end(t) || wt_timeline_goto(t, wt_timeline_end(t), &err) == WT_OK)
        return;
    fprintf(stderr,
            "wavetrap: gfx900 (node %u): the kernel goes on from the past, where its debugger was: "
            "%s\n",
            gpu->node, err.text);
}

void host_recording_end(struct host_gpu *gpu, const char *why)
{
    struct host_recording *r = gpu->recording;
    if (!r || !r->copied)
        return;
    if (r->timeline) {
        come_back(gpu);
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
    }
    forget_changes(r);
    r->waits = false;
    publish_all(gpu);
    if (r->travel.of)
        r->travel.free(r->travel.of);
    r->travel = (struct host_travel){NULL};
    gcn_device_rejoin(gpu->device);
    r->copied = false;
    r->missing = why;
    forget_pages(r);
}

void host_recording_free(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r)
        return;
    host_recording_end(gpu, NOT_YET);
    free(r->store);
    free(r->told);
    free(r->change);
    free(r);
    gpu->recording = NULL;
}

/* Another beginning of the recording. */
static void begin_here(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    struct wt_machine *m = gcn_machine(gpu->device);
    m->event = false; /* no part of the state: what it was about has been seen to here */
    const enum wt_status status = r->timeline
                                      ? wt_timeline_restart(r->timeline, WT_IGNORED)
                                      : wt_timeline_new(m, r->budget, &r->timeline, WT_IGNORED);
    forget_changes(r);
    r->seen = m->time;
    atomic_store(&r->time, m->time);
    if (status != WT_OK || r->failed)
        host_recording_end(gpu, "nothing is recorded now: the program has no host memory for it");
}

void host_recording_before_kernel(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r || (gpu->kernels && !r->timeline) || gpu->watch)
        return;
    if (r->timeline) {
        merge(gpu);
        return;
    }
    r->failed = false;
    r->copied = gcn_device_copy_memory(gpu->device, &r->copy, WT_IGNORED) == WT_OK;
}

void host_recording_after_kernel(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r || !r->copied)
        return;
    if (gpu->kernels)
        begin_here(gpu);
    else
        host_recording_end(gpu, NOT_YET); /* the kernel was refused */
}

void host_recording_restart(struct host_gpu *gpu)
{
    if (!host_recording_on(gpu))
        return;
    come_back(gpu);
    begin_here(gpu);
}

void host_recording_after_end(struct host_gpu *gpu)
{
    if (!host_recording_on(gpu))
        return;
    if (gpu->kernels)
        begin_here(gpu);
    else
        host_recording_end(gpu, NOT_YET);
}

void host_recording_merge(struct host_gpu *gpu)
{
    if (host_recording_on(gpu))
        merge(gpu);
}

void host_recording_moved(struct host_gpu *gpu)
{
    atomic_store(&gpu->recording->time, gcn_machine(gpu->device)->time);
}

void host_recording_branched(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    const uint64_t now = gcn_machine(gpu->device)->time;
    r->store_count = r->told_count = 0;
    r->seen = now;
    /* What threads have done since cannot be undone: here it has been done already. */
    for (size_t i = 0; i < r->change_count; i++)
        if (r->change[i].time > now) {
            r->change[i].time = now;
            put_in(gpu, &r->change[i]);
        }
    merge(gpu);
}

/* ---- running ---- */

void host_recording_interrupt(struct host_gpu *gpu, uint32_t wave, uint32_t data)
{
    struct host_recording *r = gpu->recording;
    uint32_t status = 0;
    uint64_t entry;
    unsigned dispatch = 0;
    gcn_device_come_back(gpu->device);
    gcn_wave_hwreg(gpu->device, wave, 2, &status);
    const bool handler = status >> 5 & 1; /* PRIV */
    if (!r->live || (handler && !gcn_wave_dispatch(gpu->device, wave, &dispatch, &entry)))
        return;
    struct told *more = wt_array_grow(r->told, &r->told_capacity, r->told_count + 1, sizeof *more);
    if (!more) {
        r->failed = true;
        return;
    }
    r->told = more;
    r->told[r->told_count++] = (struct told){data, handler, dispatch};
}

/* Kernels whose last work-group has ended. */
static void find_ended(struct host_gpu *gpu)
{
    struct gcn_progress progress;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        if (!gpu->dispatch[i].queue)
            continue;
        gcn_device_progress(gpu->device, i, &progress);
        if (progress.done == progress.total)
            gpu->ended |= (uint32_t)1 << i;
    }
}

enum wt_run host_recording_run(struct host_gpu *gpu, uint64_t issues)
{
    struct host_recording *r = gpu->recording;
    assert(r->timeline && wt_timeline_at_end(r->timeline));
    if (look_is_due(r))
        look(gpu, false, false);
    const enum wt_run run = run_live(gpu, issues);
    if (!show_stores(gpu)) {
        undo(gpu);
        return WT_RUN_BUDGET;
    }
    show(gpu);
    find_ended(gpu);
    r->waits = gcn_kfd_has_event(gpu->device);
    atomic_store(&r->time, gcn_machine(gpu->device)->time);
    if (!wt_timeline_at_end(r->timeline)) { /* it has lost what it had, without memory */
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
        r->failed = true;
    } else if (gpu->ended || run == WT_RUN_FAULT) {
        merge(gpu);
    }
    if (r->failed)
        host_recording_end(gpu, "nothing is recorded now: the program has no host memory for it");
    return run;
}

void host_recording_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    const struct host_recording *r = gpu->recording;
    bool used = false;
    for (size_t i = 0; r && i < r->page_count && !used; i++)
        used = r->page[i].addr + HOST_PAGE > addr && r->page[i].addr < addr + size;
    if (used)
        host_recording_end(gpu, "nothing is recorded now: the program has freed memory that the "
                                "kernels used");
}

/* ---- a debugger ---- */

uint32_t host_recording_input(struct host_gpu *gpu, const struct wt_input *input)
{
    struct host_recording *r = gpu->recording;
    if (!host_recording_on(gpu))
        return wt_input_apply(gcn_machine(gpu->device), input);
    /* What it does in the past is undone, or done again in a new future. */
    r->live = wt_timeline_at_end(r->timeline);
    const uint32_t result = wt_timeline_input(r->timeline, input);
    if (r->live) {
        show_stores(gpu); /* waves do no atomics here */
        show(gpu);
        find_ended(gpu);
    }
    r->live = false;
    return result;
}

static uint32_t do_call(struct wt_machine *m, const void *bytes, size_t size)
{
    struct kfd_debug_call call = {0};
    memcpy(&call, bytes, size);
    gcn_kfd_call((struct gcn_device *)m, &call);
    return (uint32_t)call.result;
}

void host_recording_call(struct host_gpu *gpu, struct kfd_debug_call *call)
{
    if (!host_recording_on(gpu)) {
        gcn_kfd_call(gpu->device, call);
        return;
    }
    const struct wt_input input = {.kind = WT_INPUT_OPERATION,
                                   .bytes = call,
                                   .size = offsetof(struct kfd_debug_call, queue) +
                                           sizeof *call->queue * call->queue_count,
                                   .operation = do_call};
    host_recording_input(gpu, &input);
    *call = *gcn_kfd_answer(gpu->device);
}

/* Whether the copy has that memory; *size becomes what lies in one page. */
static bool has(struct host_gpu *gpu, uint64_t addr, size_t *size)
{
    const uint64_t page = addr & ~(uint64_t)(HOST_PAGE - 1);
    const uint64_t room = page + HOST_PAGE - addr;
    if (*size > room)
        *size = (size_t)room;
    return host_recording_on(gpu) &&
           (gcn_device_saves_at(gpu->device, addr) || gcn_device_maps(gpu->device, addr));
}

bool host_recording_read(struct host_gpu *gpu, uint64_t addr, void *out, size_t *size)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    return has(gpu, addr, size) && m->ops->read_memory(m, 0, 0, addr, out, *size);
}

bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size)
{
    if (!has(gpu, addr, size))
        return false;
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .addr = addr, .bytes = bytes, .size = *size};
    if (!host_recording_input(gpu, &input))
        return false;
    const uint64_t at = addr & ~(uint64_t)(HOST_PAGE - 1);
    struct page *page = gcn_device_saves_at(gpu->device, addr)
                            ? NULL
                            : find_page(gpu, at, gcn_device_page(gpu->device, at));
    if (page && !host_recording_is_away(gpu))
        publish(gpu, page);
    return true;
}

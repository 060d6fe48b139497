/* Events, on which threads of the runtime wait. */
#include "runtime/kfd/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MAILBOXES (HOST_EVENTS * sizeof(uint64_t))

/* A thread that waits for some events. */
struct event_sleeper {
    pthread_cond_t changed;
    bool gone; /* one of the events was destroyed */
};

/*
 * One event that a thread waits for. As in the driver, setting an event activates everyone who
 * waits for it at that moment, also if the event resets itself: the runtime waits for one event in
 * several threads.
 */
struct host_waiter {
    struct host_waiter *next;
    struct event_sleeper *sleeper;
    uint32_t id; /* the event's */
    bool activated;
    bool missed; /* it was set before, since the age that the waiter knows */
};

uint64_t *host_mailbox(struct host *host, uint64_t addr)
{
    const uint64_t own = addr - (uintptr_t)host->event_page, other = addr - host->program_page;
    if (own < MAILBOXES)
        return (uint64_t *)(uintptr_t)addr;
    return host->program_pages && other < MAILBOXES
               ? (uint64_t *)(void *)((uint8_t *)host->program_pages + other)
               : NULL;
}

bool host_events_open(struct host *host, struct wt_error *err)
{
    pthread_mutex_init(&host->events_lock, NULL);
    host->event_page =
        mmap(NULL, MAILBOXES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (host->event_page == MAP_FAILED) {
        host->event_page = NULL;
        wt_fail(err, WT_NO_MEMORY, "the host has no memory left for events");
        return false;
    }
    memset(host->event_page, 0xff, MAILBOXES); /* nothing has come in */
    return true;
}

void host_events_close(struct host *host)
{
    for (uint32_t i = 0; i < HOST_EVENTS; i++)
        free(host->event[i].event);
    if (host->event_page) {
        host_block_gone((uint64_t)(uintptr_t)host->event_page);
        munmap(host->event_page, MAILBOXES);
    }
    pthread_mutex_destroy(&host->events_lock);
}

/* The caller holds the lock. NULL if it is no event of ours. */
static struct host_event *slot_of(struct host *host, const HsaEvent *event)
{
    if (!host || !event || event->EventId >= HOST_EVENTS ||
        host->event[event->EventId].event != event)
        return NULL;
    return &host->event[event->EventId];
}

/* The caller holds the lock. A number of no event is ignored. */
static void set(struct host *host, uint32_t id)
{
    if (id >= HOST_EVENTS || !host->event[id].event)
        return;
    struct host_event *e = &host->event[id];
    e->set = e->manual || !e->waiters;
    if (!++e->age) /* 0 and 1 mean something else */
        e->age = 2;
    for (struct host_waiter *w = e->waiters; w; w = w->next) {
        w->activated = true;
        pthread_cond_signal(&w->sleeper->changed);
    }
}

void host_event_set(struct host *host, uint32_t id)
{
    pthread_mutex_lock(&host->events_lock);
    set(host, id);
    pthread_mutex_unlock(&host->events_lock);
}

void host_event_interrupt(struct host *host, uint32_t low)
{
    pthread_mutex_lock(&host->events_lock);
    for (uint32_t id = low & 0xff; id < HOST_EVENTS; id += 0x100)
        set(host, id);
    pthread_mutex_unlock(&host->events_lock);
}

void host_event_memory(struct host *host, uint32_t node, uint64_t addr)
{
    pthread_mutex_lock(&host->events_lock);
    for (uint32_t id = 0; id < HOST_EVENTS; id++) {
        HsaEvent *e = host->event[id].event;
        if (!e || e->EventData.EventType != HSA_EVENTTYPE_MEMORY)
            continue;
        /* No page is there at all: there are none for reading only. */
        e->EventData.EventData.MemoryAccessFault = (HsaMemoryAccessFault){
            .NodeId = node,
            .VirtualAddress = addr & ~(uint64_t)(HOST_PAGE - 1),
            .Failure = {.NotPresent = 1},
            .Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS,
        };
        set(host, id);
    }
    pthread_mutex_unlock(&host->events_lock);
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual, bool is_set,
                                HsaEvent **event)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (descriptor->EventType >= HSA_EVENTTYPE_MAXID)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    HsaEvent *made = calloc(1, sizeof *made);
    if (!made)
        return HSAKMT_STATUS_NO_MEMORY;
    pthread_mutex_lock(&host->events_lock);
    uint32_t id = 1; /* 0 would be no number in a signal */
    while (id < HOST_EVENTS && host->event[id].event)
        id++;
    if (id == HOST_EVENTS) {
        pthread_mutex_unlock(&host->events_lock);
        free(made);
        return HSAKMT_STATUS_OUT_OF_RESOURCES;
    }
    host->event[id] = (struct host_event){.event = made, .set = is_set, .manual = manual, .age = 1};
    made->EventId = id;
    made->EventData.EventType = descriptor->EventType;
    made->EventData.EventData.SyncVar = descriptor->SyncVar;
    if (descriptor->EventType == HSA_EVENTTYPE_MEMORY)
        made->EventData.EventData.MemoryAccessFault = (HsaMemoryAccessFault){0};
    made->EventData.HWData1 = id;
    made->EventData.HWData2 = (uint64_t)(uintptr_t)&host->event_page[id];
    made->EventData.HWData3 = id;
    host->event_page[id] = UINT64_MAX;
    pthread_mutex_unlock(&host->events_lock);
    *event = made;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *event)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    pthread_mutex_lock(&host->events_lock);
    struct host_event *slot = slot_of(host, event);
    if (slot) {
        for (struct host_waiter *w = slot->waiters; w; w = w->next) {
            w->sleeper->gone = true;
            pthread_cond_signal(&w->sleeper->changed);
        }
        free(event);
        *slot = (struct host_event){0};
    }
    pthread_mutex_unlock(&host->events_lock);
    return slot ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *event)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    pthread_mutex_lock(&host->events_lock);
    const bool known = slot_of(host, event) != NULL;
    if (known)
        set(host, event->EventId);
    pthread_mutex_unlock(&host->events_lock);
    return known ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *event)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    pthread_mutex_lock(&host->events_lock);
    struct host_event *slot = slot_of(host, event);
    if (slot)
        slot->set = false;
    pthread_mutex_unlock(&host->events_lock);
    return slot ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* Debian's library does not ask the driver: a valid event has no other answer. */
HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *event)
{
    if (!host_get())
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* ---- waiting; the caller holds the lock ---- */

static bool is_signal(const struct host_event *e)
{
    return e->event && e->event->EventData.EventType == HSA_EVENTTYPE_SIGNAL;
}

/* An event that is set activates its waiter at once, and is reset by that if it resets itself; so
 * does one that was set since @p age, which is 0 where the waiter knows none. */
static void begin(struct host *host, struct host_waiter *w, struct event_sleeper *sleeper,
                  uint32_t id, uint64_t age)
{
    struct host_event *e = &host->event[id];
    const bool missed = !e->set && age && is_signal(e) && e->age != age;
    *w = (struct host_waiter){.next = e->waiters,
                              .sleeper = sleeper,
                              .id = id,
                              .activated = e->set || missed,
                              .missed = missed};
    e->set = e->set && e->manual;
    e->waiters = w;
}

static bool is_over(const struct host_waiter *waiter, uint32_t count, bool all)
{
    uint32_t activated = 0;
    for (uint32_t i = 0; i < count; i++)
        activated += waiter[i].activated;
    return all ? activated == count : activated > 0;
}

/* Takes the waiter out of its event's list; the unused part of an event remains. *age becomes the
 * event's where the waiter, which knows ages, is awake by it. */
static void end(struct host *host, struct host_waiter *w, bool used, uint64_t *age)
{
    struct host_event *e = &host->event[w->id];
    struct host_waiter **at = &e->waiters;
    while (*at && *at != w)
        at = &(*at)->next;
    if (!*at) /* the event has gone, with its list */
        return;
    *at = w->next;
    e->set |= w->activated && !w->missed && !used;
    if (age && *age && used && w->activated && is_signal(e))
        *age = e->age;
}

static HSAKMT_STATUS wait_for(struct host *host, struct host_waiter *waiter, HsaEvent **events,
                              uint32_t count, bool all, const struct timespec *until, uint64_t *age)
{
    pthread_condattr_t attributes;
    struct event_sleeper sleeper = {.gone = false};
    for (uint32_t i = 0; i < count; i++)
        if (!slot_of(host, events[i]))
            return HSAKMT_STATUS_ERROR;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sleeper.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    for (uint32_t i = 0; i < count; i++)
        begin(host, &waiter[i], &sleeper, events[i]->EventId, age ? age[i] : 0);
    bool over, late = false;
    while (!(over = is_over(waiter, count, all)) && !sleeper.gone && !late)
        late = until ? pthread_cond_timedwait(&sleeper.changed, &host->events_lock, until) != 0
                     : pthread_cond_wait(&sleeper.changed, &host->events_lock) != 0;
    for (uint32_t i = 0; i < count; i++)
        end(host, &waiter[i], over, age ? &age[i] : NULL);
    pthread_cond_destroy(&sleeper.changed);
    return over           ? HSAKMT_STATUS_SUCCESS
           : sleeper.gone ? HSAKMT_STATUS_ERROR
                          : HSAKMT_STATUS_WAIT_TIMEOUT;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent *events[], HSAuint32 count, bool all,
                                             HSAuint32 milliseconds, uint64_t *age)
{
    enum { FEW = 16 };
    struct host *host = host_get();
    struct host_waiter few[FEW], *waiter = few;
    struct timespec until;
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (!events)
        return HSAKMT_STATUS_INVALID_HANDLE;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    if (count > FEW && !(waiter = malloc(count * sizeof *waiter)))
        return HSAKMT_STATUS_NO_MEMORY;
    pthread_mutex_lock(&host->events_lock);
    const HSAKMT_STATUS status =
        wait_for(host, waiter, events, count, all,
                 milliseconds == HSA_EVENTTIMEOUT_INFINITE ? NULL : &until, age);
    pthread_mutex_unlock(&host->events_lock);
    if (waiter != few)
        free(waiter);
    return status;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *events[], HSAuint32 count, bool all,
                                         HSAuint32 milliseconds)
{
    return hsaKmtWaitOnMultipleEvents_Ext(events, count, all, milliseconds, NULL);
}

HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent *event, HSAuint32 milliseconds, uint64_t *age)
{
    return event ? hsaKmtWaitOnMultipleEvents_Ext(&event, 1, true, milliseconds, age)
                 : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
    return hsaKmtWaitOnEvent_Ext(event, milliseconds, NULL);
}

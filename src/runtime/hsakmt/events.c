/* Events, on which threads of the runtime wait. */
#include "runtime/hsakmt/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MAILBOXES (HOST_EVENTS * sizeof(uint64_t))

bool host_events_open(struct host *host, struct wt_error *err)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&host->events_lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&host->events_changed, &attributes);
    pthread_condattr_destroy(&attributes);
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
    if (host->event_page)
        munmap(host->event_page, MAILBOXES);
    pthread_cond_destroy(&host->events_changed);
    pthread_mutex_destroy(&host->events_lock);
}

/* The caller holds the lock. NULL for what is no event of ours. */
static struct host_event *slot_of(struct host *host, const HsaEvent *event)
{
    if (!host || !event || event->EventId >= HOST_EVENTS ||
        host->event[event->EventId].event != event)
        return NULL;
    return &host->event[event->EventId];
}

static void set(struct host *host, uint32_t id)
{
    if (id < HOST_EVENTS && host->event[id].event)
        host->event[id].set = true;
}

void host_event_set(struct host *host, uint32_t id)
{
    pthread_mutex_lock(&host->events_lock);
    set(host, id);
    pthread_cond_broadcast(&host->events_changed);
    pthread_mutex_unlock(&host->events_lock);
}

void host_event_interrupt(struct host *host, uint32_t low)
{
    pthread_mutex_lock(&host->events_lock);
    for (uint32_t id = low & 0xff; id < HOST_EVENTS; id += 0x100)
        set(host, id);
    pthread_cond_broadcast(&host->events_changed);
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
        host->event[id].set = true;
    }
    pthread_cond_broadcast(&host->events_changed);
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
    host->event[id] = (struct host_event){.event = made, .set = is_set, .manual = manual};
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
    struct host_event *slot = slot_of(host, event);
    if (slot)
        slot->set = true;
    pthread_cond_broadcast(&host->events_changed);
    pthread_mutex_unlock(&host->events_lock);
    return slot ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* Whether the wait is over; then those that are not reset by hand are reset. */
static bool satisfied(struct host *host, HsaEvent **events, uint32_t count, bool all)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct host_event *slot = slot_of(host, events[i]);
        ready += !slot || slot->set; /* one that has gone is not waited for */
    }
    if (all ? ready < count : !ready)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct host_event *slot = slot_of(host, events[i]);
        if (slot && slot->set && !slot->manual)
            slot->set = false;
    }
    return true;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *events[], HSAuint32 count, bool all,
                                         HSAuint32 milliseconds)
{
    struct host *host = host_get();
    struct timespec end;
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&host->events_lock);
    int waited = 0;
    bool done;
    while (!(done = satisfied(host, events, count, all)) && !waited)
        waited = milliseconds == HSA_EVENTTIMEOUT_INFINITE
                     ? pthread_cond_wait(&host->events_changed, &host->events_lock)
                     : pthread_cond_timedwait(&host->events_changed, &host->events_lock, &end);
    pthread_mutex_unlock(&host->events_lock);
    return done ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_WAIT_TIMEOUT;
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
    return event ? hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds)
                 : HSAKMT_STATUS_INVALID_HANDLE;
}

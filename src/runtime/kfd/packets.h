/* The order of packets that a program writes itself, without HIP: packets.c has the rules. */
#ifndef WT_RUNTIME_KFD_PACKETS_H
#define WT_RUNTIME_KFD_PACKETS_H

#include "runtime/kfd/host.h"

/* ---- for the packet processor: the GPU is entered ---- */

/** Frees what is known of a queue's packets. */
void host_packets_forget(struct host_queue *q);
/** Whether the next packet may begin: its doorbell was rung. */
bool host_packets_may_begin(struct host_queue *q);
/** The next packet of a queue begins; true if its queue is followed. It is the newest operation, if
 * it is a kernel's. */
bool host_packets_begin(struct host_queue *q, const struct gcn_aql_packet *packet);
/** Packet @p number has ended: its signal is about to change. */
void host_packets_end(struct host_queue *q, uint64_t number);
/** Signals may have changed. */
void host_packets_look(struct host_gpu *gpu);

/* ---- for the functions of the HSA runtime: no GPU is entered ---- */

/** Whether the program has queues that are followed. */
bool host_packets_are_followed(void);
/** The program has made the queue with this ring, whose doorbell is that signal. */
void host_packets_follow(uint64_t ring, uint64_t doorbell);
enum { HOST_MOST_DEPENDENCIES = 8 };
/** A copy that begins when all its dependencies, signals, are 0; or a fill, from nowhere. */
struct host_async_copy {
    uint64_t to, from, size; /**< places of a row; size 0: nobody knows what it accesses */
    uint32_t rows, slices;   /**< 0: one */
    struct host_pitches {
        uint64_t row, slice; /**< bytes from one to the next */
    } of_to, of_from;
    uint64_t completion;   /**< a signal */
    uint32_t dependencies; /**< how many there are */
    uint64_t dependency[HOST_MOST_DEPENDENCIES];
};
/** The program gives a copy by that function: constant text. */
void host_packets_copy(const struct host_async_copy *copy, const char *by);
/** The program has copied by itself, by a function that waits; or filled, from 0. */
void host_packets_copied(uint64_t to, uint64_t from, uint64_t size, const char *by);
/** The program is about to change a signal, or to ring a doorbell, until host_signal_stored().
 * @p replaces: the signal has only the program's value then. */
void host_signal_stores(uint64_t signal, bool replaces);
/** It has changed it. */
void host_signal_stored(void);
/** It has seen the value of a signal. */
void host_signal_seen(uint64_t signal);
/** A signal is about to be destroyed. */
void host_signal_gone(uint64_t signal);
/** The program frees memory, by a function that waits for nothing. */
void host_packets_freed(uint64_t address);
/** The program may look at signals without calls from now on: all counts as ordered. */
void host_signal_escapes(void);

#endif

/*
 * What the program gives to streams, for --check=race (common/streams.h): the order that the CUDA
 * Driver API guarantees ("Stream synchronization behavior", "API synchronization behavior"), and
 * not the one in which this driver does it. Graphs count as given node by node. The caller holds
 * the lock of state.h, and nothing is done where the check is not wanted.
 */
#ifndef WT_RUNTIME_CUDA_ORDER_H
#define WT_RUNTIME_CUDA_ORDER_H

#include "runtime/common/streams.h"
#include "runtime/cuda/state.h"

/** An operation on GPU @p g is given to a stream; @p usual: the function, where the program's own
 * is not known. */
void order_begin(struct gpu *g, CUstream stream, const char *usual);
/** The operation that the call has given copies: from device memory or memory of the host that the
 * driver has made or registered; of other memory of the host nothing is noted. */
void order_copied(uint64_t to, uint64_t from, uint64_t bytes);
/** It frees, or, with @p made, makes memory. */
void order_memory(uint64_t address, uint64_t bytes, bool made);
/** Memory is made, for all streams. */
void order_made(uint64_t address, uint64_t bytes, enum wt_stream_side side);
/** The memory at @p address goes, when all streams have done what they were given. */
void order_gone(uint64_t address);
/** The host waits for all that a stream was given. */
void order_waits(CUstream stream);
/** The host waits for all streams. */
void order_waits_for_all(void);
/** Likewise as order_waits() of a stream that there is, without the lock. */
void order_wait(CUstream stream);
/** @p point becomes what a stream was given so far. */
void order_record(struct wt_order_point *point, CUstream stream);
/** A stream waits for that. */
void order_after(CUstream stream, struct wt_order_point *point);
/** A stream waits for all that streams were given: for a value, which tells nobody whose it is. */
void order_after_all(CUstream stream);
/** The host waits for that. */
void order_waits_for(struct wt_order_point *point);

#endif

/* Invariants on paths where each instruction counts, such as the turns of an engine. */
#ifndef WT_BASE_CHECK_H
#define WT_BASE_CHECK_H

#include <assert.h>

/** Asserts in builds with sanitizers, where tests and fuzzers run; costs nothing in others. */
#ifdef WT_CHECK_INVARIANTS
#define WT_CHECK(invariant) assert(invariant)
#else
#define WT_CHECK(invariant) ((void)sizeof(invariant))
#endif

#endif

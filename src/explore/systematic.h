/*
 * All schedules of a small program, up to the order of instructions that do not conflict: dynamic
 * partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas,
 * POPL 2014, algorithm 1); with a bound of preemptions instead the persistent sets of bounded
 * search (Coons, Musuvathi, McKinley, OOPSLA 2013). The program is run from its beginning each
 * time.
 */
#ifndef WT_EXPLORE_SYSTEMATIC_H
#define WT_EXPLORE_SYSTEMATIC_H

#include "explore/subject.h"

/**
 * Searches. Whatever the number of processes, and however often the search was left and gone on
 * with, the same runs are made and taken in the same order. WT_UNSUPPORTED: the program has more
 * waves at a time than can be told apart, or does not repeat itself.
 */
enum wt_status explore_systematically(const struct explore_subject *subject,
                                      const struct explore_limits *limits,
                                      struct explore_counts *counts, struct wt_error *err);

#endif

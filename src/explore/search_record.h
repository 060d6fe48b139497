/* Records of the runs of a systematic search: what one has found, for other processes and later
 * ones. */
#ifndef WT_EXPLORE_SEARCH_RECORD_H
#define WT_EXPLORE_SEARCH_RECORD_H

#include "explore/records.h"
#include "explore/search.h"

/* Findings of the last run, behind the fixed nodes. record->bytes is malloc'ed. */
enum wt_status search_record(struct search *s, struct explore_record *record, struct wt_error *err);
/* Does as if that run had been made here, and counts it. WT_INVALID: it is none of this search's.
 */
enum wt_status search_read(struct search *s, const struct explore_record *record,
                           struct wt_error *err);

#endif

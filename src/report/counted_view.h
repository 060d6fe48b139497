/* The file in which GPUs of host programs have counted and checked (runtime/common/counted.h), as
 * the command reads it: its blocks, and the code that was loaded. */
#ifndef WT_REPORT_COUNTED_VIEW_H
#define WT_REPORT_COUNTED_VIEW_H

#include "debug/source/modules.h"
#include "runtime/common/counted.h"
#include "target/core_file.h"
#include "target/family.h"

/** A section of code that was loaded. */
struct wt_report_counted_code {
    uint64_t at; /**< its place in the file */
    struct wt_modules *modules;
    struct wt_core_code code;
    uint64_t bias;
    const struct wt_family *family;
    void *texts;    /**< what wt_core_section_text() keeps */
    bool has_texts; /**< those of a list in which it was found are among its modules */
};

/** The file, as far as it is written now. {0}: it has not been opened. */
struct wt_report_counted_view {
    const uint8_t *bytes; /**< mapped while it is open */
    uint64_t end;
    struct wt_report_counted_code *code; /**< by their place; they stay when it is closed */
    size_t count, capacity;
};

/** Maps the file, as far as it is written now. It may be opened again after it was closed. */
enum wt_status wt_report_counted_open(int fd, struct wt_report_counted_view *view,
                                      struct wt_error *err);
/** Counts of its first page. */
struct wt_report_counted_sums {
    uint64_t more;     /**< findings beyond the limit */
    uint64_t unjudged; /**< pairs of operations of two host threads that --check=race left out */
    bool opened;       /**< a program has opened a GPU */
};
/** Unmaps it. WT_NO_MEMORY: something could not be counted. */
enum wt_status wt_report_counted_close(struct wt_report_counted_view *view,
                                       struct wt_report_counted_sums *sums, struct wt_error *err);
/** Frees the code, after it was closed. */
void wt_report_counted_free(struct wt_report_counted_view *view);

/** The complete block behind @p block, the first one for NULL; NULL: it was the last. */
const struct wt_counted_block *wt_report_counted_next(const struct wt_report_counted_view *view,
                                                      const struct wt_counted_block *block);
/** The block at a place; NULL: there is none, or it is not complete. */
const struct wt_counted_block *wt_report_counted_at(const struct wt_report_counted_view *view,
                                                    uint64_t place);
/** The family of the GPU that a block is about; NULL: of none. */
const struct wt_family *wt_report_counted_family(const struct wt_counted_block *block);
/** The code that is loaded at an address, of a LIST at a place; NULL: it is not known. It is valid
 * until the next call. */
struct wt_report_counted_code *wt_report_counted_code(struct wt_report_counted_view *view,
                                                      uint64_t list, uint64_t pc);

#endif

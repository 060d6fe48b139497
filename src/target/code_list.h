/* The code that a host program has loaded, which a family follows by the list that its driver
 * gives. */
#ifndef WT_TARGET_CODE_LIST_H
#define WT_TARGET_CODE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "debug/source/modules.h"

struct wt_process;

/** Code that a program has loaded, in a list: the first member of a family's entries. */
struct wt_listed_code {
    uint64_t id; /**< that no other code of the program has or had; 0: of a program's file */
    wt_module_id module; /**< module of the list of modules; 0: it has no names */
};

struct wt_code_list {
    void *entry;
    size_t count, room;
};

/** How a family follows the list that its driver gives. */
struct wt_code_list_ops {
    uint32_t verb;       /**< that asks for the list: records that begin with the id, */
    size_t record_bytes; /**< each of so many bytes */
    size_t entry_bytes;  /**< entry bytes of the family's entries */
    /** Adds the module of a record; @p entry, zeros but for the id, is its entry. WT_INVALID: the
     * program has unloaded it meanwhile. */
    enum wt_status (*add)(struct wt_process *p, void *record, void *entry, struct wt_error *err);
    /** Frees what an entry has; its module is removed. */
    void (*drop)(void *entry);
};

/** Brings @p list, and p->modules, up to date. */
enum wt_status wt_process_follow(struct wt_process *p, const struct wt_code_list_ops *ops,
                                 struct wt_code_list *list, struct wt_error *err);
/** A new entry of zeros, which is the list's once it is counted; NULL: no host memory. */
void *wt_code_list_next(struct wt_code_list *list, size_t entry_bytes);

#endif

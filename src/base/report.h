/*
 * Reports for programs (--report=json:FILE): JSON objects, one a line, each written whole.
 * docs/report.schema.json describes them, docs/report.md explains them.
 */
#ifndef WT_BASE_REPORT_H
#define WT_BASE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/** The version of the objects: member "wavetrap". It rises when a member goes or means another
 * thing; new members and kinds may come without it. */
enum { WT_REPORT_VERSION = 1 };

/** The variable by which `exec` names the files to the drivers in the program's processes. */
#define WT_REPORT_VARIABLE "WAVETRAP_REPORT"

/** An object that is being written. */
struct wt_report_object {
    const char *files;
    long process;
    FILE *out;
    char *text;
    size_t size;
    bool first; /* the next member, or object of a list, is the first one */
};

/**
 * Adds the file of "json:FILE" to *files, a text of the heap with a name a line. The file is made
 * at once (wt_file_make): a name may have "%p", the process's id.
 */
enum wt_status wt_report_add(char **files, const char *value, struct wt_error *err);

/** Begins an object of this kind for these files (wt_report_add), with this process's id. Where
 * there are none (NULL), and without host memory, nothing is built or written. */
void wt_report_begin(struct wt_report_object *o, const char *files, const char *kind);
/** Likewise in the name of another process: the object, and '%p' in names of files, have the id
 * @p process. */
void wt_report_begin_of(struct wt_report_object *o, const char *files, const char *kind,
                        long process);
/** Adds a member; a text's bytes that are no UTF-8 become U+FFFD. */
void wt_report_text(struct wt_report_object *o, const char *name, const char *value);
/** Adds a number. */
void wt_report_number(struct wt_report_object *o, const char *name, uint64_t value);
/** Adds a member that is true; one that is false is left out. */
void wt_report_true(struct wt_report_object *o, const char *name);
/** Adds a number as a text, "0x1f": numbers of JSON are exact up to 2^53 only. */
void wt_report_address(struct wt_report_object *o, const char *name, uint64_t value);
/** Adds a number that may be negative. */
void wt_report_signed(struct wt_report_object *o, const char *name, int64_t value);
/** Begins a member that is an object, whose members follow; in a list @p name is NULL. */
void wt_report_begin_member(struct wt_report_object *o, const char *name);
/** Ends it. */
void wt_report_end_member(struct wt_report_object *o);
/** Begins a member that is a list of objects. */
void wt_report_begin_list(struct wt_report_object *o, const char *name);
/** Ends it. */
void wt_report_end_list(struct wt_report_object *o);
/** Ends the object, and appends it to each of its files. What goes wrong is told on stderr. */
void wt_report_end(struct wt_report_object *o);
/** Whether this process could not write a report. */
bool wt_report_has_failed(void);

#endif

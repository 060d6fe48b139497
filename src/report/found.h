/* Findings of --check with the names of their places, and the forms in which they are reported. */
#ifndef WT_REPORT_FOUND_H
#define WT_REPORT_FOUND_H

#include <stdio.h>

#include "check/finding.h"
#include "report/counted_view.h"
#include "report/host_calls.h"

struct wt_emulated;
struct wt_family;

/** A finding, resolved. Texts are "" where something is not known. */
struct wt_report_found {
    struct wt_finding finding;
    long process;
    const struct wt_family *family; /**< NULL: of the host */
    char gpu[24];                   /**< name of the model, or of the family */
    /** Of a kernel: the place, then the calls that it is inlined in, the innermost first. Of the
     * host: its calls. */
    struct wt_report_calls calls;
    struct wt_report_calls launch;       /**< where the host launched the kernel */
    struct wt_report_calls made, ended;  /**< where the host made the object, and ended it */
    struct wt_report_calls other;        /**< other of the other access of a race: as `calls` */
    struct wt_report_calls other_launch; /**< other launch of its kernel */
    char kernel[256], instruction[256], other_instruction[256];
    bool suppressed;
    uint64_t more; /**< others of this kind, at this line, that are not listed */
};

struct wt_report_found_list {
    struct wt_report_found *list;
    size_t count, capacity;
    struct wt_report_host_files files;
    struct wt_report_counted_sums sums;
    char *unseen; /**< sentences on what checks do not see, each one once and with its NUL, and one
                       more NUL; NULL: there are none */
};

/** Reads the findings of a file of counts; @p e: the device whose they are, NULL: those of host
 * programs. */
enum wt_status wt_report_found_read(int fd, const struct wt_emulated *e,
                                    struct wt_report_found_list *all, struct wt_error *err);
/** The number of findings in a file of counts, which are not read. */
size_t wt_report_found_used(int fd);
/** Makes one of races of the same two lines and objects that were made at one place, as an unrolled
 * loop has them; of more than ten of a kernel of a kind at one line the others are counted
 * alone, and so are those beyond @p limit. Suppressed ones do not count. */
void wt_report_found_few(struct wt_report_found_list *all, uint64_t limit);
/** Frees what one of them holds. */
void wt_report_found_free_one(struct wt_report_found *f);
/** Frees them. */
void wt_report_found_free(struct wt_report_found_list *all);

/** The place that reports name: of a kernel the innermost one, of the host the first one of the
 * program's own; NULL: none is known. */
const struct wt_report_call *wt_report_found_place(const struct wt_report_found *f);
/** "out-of-bounds store of 4 bytes", with what else there is to say. */
void wt_report_found_sentence(const struct wt_report_found *f, char *text, size_t size);

/** Prints calls, a line each. */
void wt_report_calls_print(FILE *out, const struct wt_report_calls *calls, const char *indent);
/** Prints the report for people. */
void wt_report_found_print(FILE *out, const struct wt_report_found *f);
/** Appends objects to the files of wt_report_add(). */
void wt_report_found_report(const char *files, const struct wt_report_found *f);
/** Writes a file of the OASIS standard SARIF 2.1.0; a suppressed finding is one there, too. */
enum wt_status wt_report_found_write_sarif(const char *path, const struct wt_report_found_list *all,
                                           struct wt_error *err);
/** Writes a file of the form that JUnit's reports have: a test case for each place of findings, and
 * one that passes without any. */
enum wt_status wt_report_found_write_junit(const char *path, const struct wt_report_found_list *all,
                                           struct wt_error *err);

#endif

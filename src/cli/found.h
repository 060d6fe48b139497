/* Findings of --check with the names of their places, and the forms in which they are reported. */
#ifndef WT_CLI_FOUND_H
#define WT_CLI_FOUND_H

#include <stdio.h>

#include "check/finding.h"
#include "cli/counted_view.h"
#include "cli/host_calls.h"

/** A finding, resolved. Texts are "" where something is not known. */
struct cli_found {
    struct wt_finding finding;
    long process;
    const struct wt_family *family; /**< NULL: of the host */
    /** Of a kernel: the place, then the calls that it is inlined in, the innermost first. Of the
     * host: its calls. */
    struct cli_calls calls;
    struct cli_calls launch;       /**< of the host, of a kernel that was launched there */
    struct cli_calls made, ended;  /**< of the object, of the host */
    struct cli_calls other;        /**< of the other access of a race: as `calls` */
    struct cli_calls other_launch; /**< of its kernel */
    char kernel[256], instruction[256], other_instruction[256];
    bool suppressed;
};

struct cli_found_list {
    struct cli_found *list;
    size_t count, capacity;
    struct cli_host_files files;
    uint64_t more; /**< findings beyond the limit */
};

/** Reads the findings of a file of counts; @p e: the device whose they are, NULL: those of host
 * programs. */
enum wt_status cli_found_read(int fd, const struct wt_emulated *e, struct cli_found_list *all,
                              struct wt_error *err);
/** Frees what one of them holds. */
void cli_found_free_one(struct cli_found *f);
/** Frees them. */
void cli_found_free(struct cli_found_list *all);

/** The place that reports name: of a kernel the innermost one, of the host the first one of the
 * program's own; NULL: none is known. */
const struct cli_call *cli_found_place(const struct cli_found *f);
/** "out-of-bounds store of 4 bytes", with what else there is to say. */
void cli_found_sentence(const struct cli_found *f, char *text, size_t size);

/** Prints calls, a line each. */
void cli_calls_print(FILE *out, const struct cli_calls *calls, const char *indent);
/** Prints the report for people. */
void cli_found_print(FILE *out, const struct cli_found *f);
/** Appends objects to the files of wt_report_add(). */
void cli_found_report(const char *files, const struct cli_found *f);
/** Writes a file of the OASIS standard SARIF 2.1.0; a suppressed finding is one there, too. */
enum wt_status cli_found_write_sarif(const char *path, const struct cli_found_list *all,
                                     struct wt_error *err);
/** Writes a file of the form that JUnit's reports have: a test case for each place of findings, and
 * one that passes without any. */
enum wt_status cli_found_write_junit(const char *path, const struct cli_found_list *all,
                                     struct wt_error *err);

#endif

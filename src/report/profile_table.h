/* Counts by instruction and by source line, and their reports (docs/profile.md). */
#ifndef WT_REPORT_PROFILE_TABLE_H
#define WT_REPORT_PROFILE_TABLE_H

#include <stdio.h>

#include "debug/source/modules.h"
#include "emulator/machine/profile.h"

/** Where counts are from. */
struct wt_report_profile_place {
    const struct wt_modules *modules; /**< NULL: none are known. They outlive the table */
    uint64_t code;                    /**< the same for the same code, however it is loaded */
    uint64_t base;                    /**< where that is loaded */
    uint64_t bias;                    /**< address that people are told plus this: the loaded one */
    bool unlisted;                    /**< no module is known that has it: a kernel of the GPU's
                                           runtime; `base` is its first instruction */
    size_t order;                     /**< order of its process among others */
    long process;                     /**< its id */
};

/** The counts of an instruction, or of a line in a function and a kernel. */
struct wt_report_profile_row {
    const char *function, *kernel, *file; /**< NULL: not known */
    unsigned line;
    struct wt_report_profile_place place;
    uint64_t offset;             /**< offset of the instruction from place.base */
    struct wt_profile_count sum; /**< `pc` for people */
};

/** {0}: empty. */
struct wt_report_profile_table {
    struct wt_report_profile_row *row;
    size_t count, capacity;
    const char *lane; /**< what people call lanes */
};

/** Adds the counts of an instruction. WT_NO_MEMORY. */
enum wt_status wt_report_profile_add(struct wt_report_profile_table *t,
                                     const struct wt_report_profile_place *place,
                                     const struct wt_profile_count *count, struct wt_error *err);
/** Frees the rows. */
void wt_report_profile_table_free(struct wt_report_profile_table *t);

/** Makes one row of all instructions of the same place of the same code in a process. */
void wt_report_profile_join_instructions(struct wt_report_profile_table *t);
/** *lines becomes the same by line: of each process, or of all of them. An instruction whose line
 * is not known stays. WT_NO_MEMORY. */
enum wt_status wt_report_profile_lines(const struct wt_report_profile_table *t, bool by_process,
                                       struct wt_report_profile_table *lines, struct wt_error *err);

/** Prints the first lines, with most work first; the order of the rows changes. */
void wt_report_profile_print_table(FILE *out, struct wt_report_profile_table *lines);
/** Appends objects to the files of wt_report_add(): of lines that are known, or instructions. */
void wt_report_profile_write_objects(const char *files, const struct wt_report_profile_table *t,
                                     bool instructions);
/** Writes a tracefile of lcov: of each line how many of its instructions have issued. @p lines is
 * of all processes. */
enum wt_status wt_report_profile_write_lcov(const char *path,
                                            const struct wt_report_profile_table *lines,
                                            struct wt_error *err);

/** Whether @p text is "FILE:LINE COUNT<=N". */
bool wt_report_profile_is_limit(const char *text);
/** Whether a line has more than such a limit says, or none of its instructions has issued, which is
 * told on stderr. @p lines is of all processes. */
bool wt_report_profile_is_over(const char *text, const struct wt_report_profile_table *lines);

#endif

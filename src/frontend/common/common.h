/* Texts that people read, the same in all front ends. */
#ifndef WT_FRONTEND_COMMON_COMMON_H
#define WT_FRONTEND_COMMON_COMMON_H

#include <stdio.h>

#include "debug/core/debugger.h"
#include "debug/program/program.h"
#include "debug/source/modules.h"
#include "debug/source/source.h"

struct wt_called_place;

/* ---- faults.c ---- */

/** The surroundings of a fault's report: symbols, texts of instructions, files. */
struct wt_fault_report {
    struct wt_debugger *debugger;
    const struct wt_modules *modules; /**< NULL: the reader has the symbols of addresses */
    /** Puts the text of the instruction at an address, "" if it is not known. NULL: no instruction
     * is shown. */
    void (*instruction)(void *context, uint64_t at, char *text, size_t size);
    void *context;
    /** wt_frames_describe(); NULL: the report has no callers. */
    void (*place)(struct wt_debugger *debugger, const struct wt_modules *modules, wt_thread thread,
                  uint64_t pc, bool callers, char *text, size_t size);
    const char *files; /**< that get it as an object, too (wt_report_add); NULL: none */
};

/** Prints the report of a fault of a thread's wave, as `run` and `exec` do. */
void wt_report_fault(FILE *out, const struct wt_fault_report *report, wt_thread thread,
                     const struct wt_fault *fault);
/** Prints the report of the fault for which a thread's wave stands where it is, behind @p before;
 * nothing if there is none. NULL: nothing stands before it, and it is said that there is none. */
void wt_report_standing(FILE *out, const struct wt_fault_report *report, wt_thread thread,
                        const char *before);

/* ---- slice.c ---- */

/** A source line. */
struct wt_slice_line {
    const char *file;
    unsigned number;
    const char *text;
};

/** The source line of an instruction, and its text ("": not at hand), which live until the next
 * call; false: it has none. */
typedef bool wt_slice_line_fn(void *context, const struct wt_called_place *place,
                              struct wt_slice_line *line);

/** The turns of a loop in the steps of a value: @p all steps from @p first on, the latest first. */
struct wt_slice_turns {
    const struct wt_slice_step *first;
    size_t turn;  /**< how many of them are the first turn */
    size_t all;   /**< steps in all turns */
    size_t turns; /**< how often it turns */
    size_t steps; /**< how many of the first turn the walk has shown: loops in it turn once */
};

/** Receives the steps of a value, the latest first. */
struct wt_slice_walk {
    void *context;
    /** A step, which is shown, and those of the same instruction in the same lanes before it. */
    void (*step)(void *context, const struct wt_slice_turns *turns);
    /** The first turn of a loop was shown: what its other turns are, which were not. */
    void (*turns)(void *context, const struct wt_slice_turns *turns);
};

/** Walks through the steps of a value with the turns of loops folded; without host memory for that
 * it shows none. */
void wt_walk_slice(const struct wt_slice_found *found, const struct wt_slice_walk *to);

/** Writes "FILE:FROM-TO" of steps that are all of one file, those without a line aside; returns the
 * length, 0: they are of none or of several. @p line NULL: no instruction has a line. */
size_t wt_slice_lines(wt_slice_line_fn *line, void *context, const struct wt_slice_step *step,
                      size_t count, char *text, size_t size);

/** The texts of a printed slice, or of what is defined: places, instructions, memory. */
struct wt_slice_report {
    const char *lane_word;
    /** Puts the place of an instruction in words: its function, file and line. */
    void (*place)(void *context, const struct wt_called_place *place, char *text, size_t size);
    /** As in struct wt_fault_report. */
    void (*instruction)(void *context, uint64_t pc, char *text, size_t size);
    /** Describes what an address of global memory belongs to; "" if that is not known. */
    void (*memory)(void *context, uint64_t address, char *text, size_t size);
    wt_slice_line_fn *line; /**< NULL: no instruction has one */
    void *context;
};

/** Prints the steps and inputs of a value, of which @p unwritten bytes were never written. */
void wt_print_slice(FILE *out, const struct wt_slice_report *report,
                    const struct wt_slice_found *found, uint64_t unwritten);
/** Sets a limit: "--depth=N", "--steps=N" or "--addresses" at *text, which then stands behind it
 * and the blanks there. WT_INVALID: it is none, or the number is. */
enum wt_status wt_slice_option(const char **text, struct wt_slice_limits *limits,
                               struct wt_error *err);
/** The limits where nothing else is said. */
#define WT_SLICE_LIMITS ((struct wt_slice_limits){.depth = 64, .steps = 100})

/* ---- defined.c ---- */

/** Prints which bits of a value are undefined, lanes that are alike together, with the origin of
 * the first of these bits; @p report: its lane_word, place and context are used. */
void wt_print_defined(FILE *out, const struct wt_slice_report *report,
                      const struct wt_checks *checks, const struct wt_defined_value *value);

/* ---- lanes.c ---- */

/** Prints values over lanes, compactly; masked lanes are marked, and stand between @p dim and
 * @p plain. */
void wt_print_lanes(FILE *out, struct wt_debugger *debugger, const struct wt_view *view,
                    const struct wt_values *values, const struct wt_format *format, const char *dim,
                    const char *plain);

/* ---- page.c ---- */

/** A page that is being filled with output. */
struct wt_page {
    unsigned row, column; /**< place of the next character */
    bool in_sequence;     /**< the text so far ends within a control sequence */
};
/** Bytes of @p text up to where a page of @p rows, 2 or more, is full, its last row left for a
 * question; text goes on in the next row behind @p columns, 0: it does not. */
size_t wt_page_fill(struct wt_page *page, const char *text, size_t length, unsigned rows,
                    unsigned columns);

/* ---- progress.c ---- */

/** How far a run or a search is that began at issue time @p from. */
void wt_progress_text(struct wt_program *program, uint64_t from, char *text, size_t size);
/** How far the reading of debug information is. */
void wt_loading_text(uint64_t done, uint64_t total, char *text, size_t size);

/* ---- objects.c: objects of --report ---- */

/** The report of a session. */
struct wt_report_of {
    const char *files;  /**< that get the objects (wt_report_add); NULL: none */
    const char *reason; /**< reason of the stop that is to be reported; NULL: none yet */
    unsigned point;     /**< … and its point; 0: none */
};

/** Notes why the program stands; writes the object of its end. */
void wt_report_news(struct wt_report_of *report, const struct wt_news *news);
/** Writes the object of the stop, of which it was told last. */
void wt_report_stop(struct wt_report_of *report, struct wt_program *program);
/** Writes an object for the value in each lane. @p number: that of "$1"; 0: it has none. */
void wt_report_values(const char *files, const char *expression, unsigned number,
                      const struct wt_view *view, const struct wt_values *values,
                      const struct wt_format *format);

#endif

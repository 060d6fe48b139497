/*
 * Words for a program in the debugger, as GDB's users know them: where it stands, what happens to
 * it, its frames, waves, threads and lists of them. For any front end that shows text.
 */
#ifndef WT_FRONTEND_COMMON_WORDS_H
#define WT_FRONTEND_COMMON_WORDS_H

#include "base/text.h"
#include "frontend/common/common.h"

/** Which values of arguments frames are printed with. */
enum wt_frame_arguments {
    WT_ARGUMENTS_SCALARS,
    WT_ARGUMENTS_ALL,
    WT_ARGUMENTS_NONE,
    WT_ARGUMENTS_PRESENCE
};

/*
 * out: where they are printed.
 * program: of which.
 * how: as the user has set it.
 * report_files: files that get faults as objects, too (wt_report_add); NULL: none.
 */
#define WT_WORDS_MEMBERS                                                                           \
    FILE *out;                                                                                     \
    struct wt_program *program;                                                                    \
    struct {                                                                                       \
        bool styled; /* with colours */                                                            \
        bool pretty;                                                                               \
        unsigned elements, repeats; /* limits of a value's text, 0: as GDB has them */             \
        enum wt_frame_arguments arguments;                                                         \
    } how;                                                                                         \
    const char *report_files;

/** Where and how words are printed. */
struct wt_words {
    WT_WORDS_MEMBERS
};

/** In a front end's structure: the members, by name and as `words`. */
#define WT_WORDS                                                                                   \
    union {                                                                                        \
        struct wt_words words;                                                                     \
        struct {                                                                                   \
            WT_WORDS_MEMBERS                                                                       \
        };                                                                                         \
    }

/* ---- words.c ---- */

enum wt_style {
    WT_STYLE_PLAIN,
    WT_STYLE_FUNCTION,
    WT_STYLE_SOURCE_FILE,
    WT_STYLE_ADDRESS,
    WT_STYLE_NAME,
    WT_STYLE_HEADLINE,
    WT_STYLE_DIM
};
/** The text that begins a style where there are colours, and WT_STYLE_PLAIN ends it; "" else. */
const char *wt_style(const struct wt_words *w, enum wt_style which);
/** The name of a frame's function for people, "??" where there is none; returns @p text. */
const char *wt_function_text(const struct wt_frame *frame, char *text, size_t size);
enum { WT_FUNCTION_TEXT = 512 }; /**< bytes that are enough for most */
/** Prints device, dispatch, group, wave and lane of a thread, and its active lanes. */
void wt_words_where(const struct wt_words *w, wt_thread thread);
/** Prints the symbol and line of an address of code. */
void wt_words_place(const struct wt_words *w, uint64_t pc);
/** "Hardware watchpoint", or what else this one is. */
const char *wt_words_watch(const struct wt_words *w, enum wt_point_kind kind);
/** Prints the report of a fault of the current thread's wave, as `run` and `exec` do. */
void wt_words_fault(const struct wt_words *w, const struct wt_fault *fault);
/** Prints the report of the fault for which the current thread's wave stands here, as
 * wt_report_standing() does. */
void wt_words_standing(const struct wt_words *w, const char *before);

/* ---- frames.c ---- */

/** How values are printed: a letter of /FMT or 0; @p top: not within a structure. */
struct wt_format wt_words_format(const struct wt_words *w, char letter, bool top);
/** Prints a frame's variables, one a line behind @p indent; false: there are none. */
bool wt_words_variables(const struct wt_words *w, const struct wt_frame *frame, bool arguments,
                        const char *indent);
/** Prints a frame as a line of a backtrace; with its number, with its PC in front of its function.
 */
void wt_words_frame(const struct wt_words *w, const struct wt_frame *frame, bool numbered,
                    bool address);
/** Prints the line of a frame, with the PC in front of it if @p address; `list` goes on there. */
void wt_words_line(const struct wt_words *w, const struct wt_frame *frame, bool address);
/** Shows the frame and line of a stop. */
void wt_words_stop(const struct wt_words *w, bool with_frame);
/** Whether a frame's line has its address: it is not at the beginning of its line. For an inlined
 * call it would be the address of the frame above. */
bool wt_words_needs_address(const struct wt_words *w, const struct wt_frame *frame);

/* ---- scope.c ---- */

/** Prints where the variables of a place of the program are. */
enum wt_status wt_words_scope(const struct wt_words *w, const char *text, struct wt_error *err);

/* ---- news.c ---- */

/** Prints what happens to the program. */
void wt_words_news(const struct wt_words *w, const struct wt_news *news);
/** Prints a value of a watchpoint; NULL: it cannot be read. */
void wt_print_watched(FILE *out, struct wt_program *program, const struct wt_point *p,
                      const uint8_t *bytes);

/* ---- lists.c ---- */

/** Prints a list. */
typedef enum wt_status wt_words_list(const struct wt_words *w, struct wt_error *err);
/** Waves that work now; those that wait at barriers; the selected wave's lanes, those at the same
 * place in one line, and which of them wait and go on where; GPUs, address spaces, loaded code;
 * whether the program runs; the issue time, with what is recorded. */
wt_words_list wt_words_dispatches, wt_words_groups, wt_words_queues, wt_words_waves,
    wt_words_barriers, wt_words_lanes, wt_words_divergence, wt_words_devices, wt_words_spaces,
    wt_words_modules, wt_words_program, wt_words_time;
/** Prints an access to a value. */
void wt_words_touch(const struct wt_words *w, const struct wt_touch *touch,
                    const struct wt_home *home);

/* ---- threads.c ---- */

enum { WT_ALIKE_TEXT = 120 }; /**< bytes of a list of threads */

/** Threads with the same text. */
struct wt_alike {
    char *text;
    FILE *ranges; /**< writes into: */
    char *list;
    size_t list_size, count;
    struct wt_thread_info example; /**< the first of them */
    wt_thread first, last;         /**< the range at hand */
    size_t waves;
    wt_wave_id wave; /**< the last one */
};
struct wt_alikes {
    struct wt_alike **list; /**< each stays where it is: a stream writes into it */
    size_t count, capacity;
};
/** Adds a thread to those of its text, which is taken over. WT_NO_MEMORY. */
enum wt_status wt_alikes_add(struct wt_alikes *all, const struct wt_thread_info *thread, char *text,
                             struct wt_error *err);
/** The threads of a text, "1-64, 70"; a long list ends with "…". */
const char *wt_alike_list(struct wt_alike *alike, char *text, size_t size);
/** Frees them. */
void wt_alikes_free(struct wt_alikes *all);
/** Lists the program's threads: those that are @p wanted (count 0: all, and where there are many,
 * those at one place share a line). */
enum wt_status wt_words_threads(const struct wt_words *w, const struct wt_ranges *wanted,
                                struct wt_error *err);

/* ---- cuda.c ---- */

/** Lists kernels, blocks, threads, warps, lanes, sms or devices. WT_INVALID: @p text is none. */
enum wt_status wt_words_cuda(const struct wt_words *w, const char *text, struct wt_error *err);
/** Selects what "kernel N block X,Y,Z thread X,Y,Z …" names, and prints it; a text that names only
 * words, or nothing, prints the focus, and *switched is false then. WT_INVALID: no such words, or
 * no thread there is active; WT_STATE: no kernel is selected. ("CUDA-GDB": 8.2) */
enum wt_status wt_words_cuda_switch(const struct wt_words *w, const char *text, bool *switched,
                                    struct wt_error *err);

#endif

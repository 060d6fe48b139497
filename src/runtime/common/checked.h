/*
 * Checks in a host program: for `exec` and `debug` with --check. Drivers tell what the program
 * does; findings go into the file of counted.h.
 */
#ifndef WT_RUNTIME_COMMON_CHECKED_H
#define WT_RUNTIME_COMMON_CHECKED_H

#include "check/init.h"
#include "check/race.h"
#include "check/sync.h"

struct wt_archive;
struct wt_core_writer;

/** The variable by which the command says what is checked: wt_checked_options as text. */
#define WT_CHECK_VARIABLE "WAVETRAP_CHECK"
/** The exit status of a program with an error, where its own is 0; and of one that --check-stop
 * ends. */
enum { WT_CHECK_STATUS = 115 };

struct wt_check_options {
    unsigned checks;      /**< bits of enum wt_check */
    uint64_t limit;       /**< distinct findings of a process; those beyond are counted */
    uint64_t quarantine;  /**< bytes */
    bool stop;            /**< the process ends at the first error */
    uint64_t first, last; /**< launches whose kernels are checked, from 1 on */
    unsigned lanes;       /**< enum wt_check_lanes */
    unsigned init;        /**< enum wt_init_level */
};
enum { WT_CHECK_LIMIT = 100, WT_CHECK_QUARANTINE = 256 << 20 };

/** Writes the options as text for the variable; @p text has 200 bytes. */
void wt_check_options_write(const struct wt_check_options *options, char *text);

/* ---- drivers ---- */

/** Whether a check is wanted: the first call reads the variable. */
bool wt_check_wants(enum wt_check check);
/** Whether accesses are judged by --check=memory: without, the objects may be known alone. */
bool wt_check_judges_memory(void);

/** The bits of those that are wanted; MEMORY as wt_check_judges_memory() says. */
unsigned wt_checks_of_machines(void);

/** Whether any check is wanted. */
bool wt_checks_wanted(void);

/** The launches whose kernels are checked, where a check is wanted. */
void wt_check_launches(uint64_t *first, uint64_t *last);

/** Whether lanes of a wave are ordered, where races are looked for. */
enum wt_check_lanes wt_check_lanes(void);

/** Reports of uninitialised values. */
enum wt_init_level wt_check_init_level(void);
/** The program asks for a copy. What comes from the host may be written without the driver: from
 * now on it counts as written. */
void wt_checked_copied(uint64_t to, uint64_t from, uint64_t size);

/** Bytes that a driver leaves free behind and before each allocation: 0 where memory is not
 * checked. */
uint64_t wt_check_redzone(void);

/** Takes a finding; @p context: the place of the LIST of code (counted_file.h) for its `pc`,
 * const uint64_t *; NULL: the host made it. */
void wt_checked_found(void *context, const struct wt_finding *finding);

/**
 * Reports a call of the host that is a mistake, if the check of that kind is wanted. The calling
 * thread's call stack is taken. @p object: that it is about; NULL: none is known. @p format: what
 * else there is to say, with the function's name.
 */
void wt_checked_call(enum wt_finding_kind kind, const struct wt_object *object, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/**
 * The object that begins at @p addr is about to be freed by function @p by: as wt_object_freed(),
 * and a mistake is reported: it was freed before, it begins elsewhere, or there is none. False:
 * nothing may be freed.
 */
bool wt_checked_free(const void *space, uint64_t addr, const char *by);

/**
 * The host, or a copy engine for it, is about to access memory of GPUs by function @p by, to copy
 * or to fill. Mistakes are reported. Returns how many of the bytes, from the first one on, may be
 * accessed; all of them where memory is not checked.
 */
uint64_t wt_checked_access(const void *space, uint64_t addr, uint64_t size, enum wt_access access,
                           const char *by);

/** Writes the findings of this process as section FIND of a core file. A process without findings
 * gets no such section. */
void wt_checked_write(struct wt_core_writer *w, struct wt_archive *a);
/** Adds the findings of such a section to the file of findings (wt_counted_create()) of this
 * process. */
void wt_checked_read(struct wt_archive *a);

/** Writes the objects of a space (objects.h) as section OBJS of a core file; without objects there
 * is none. */
void wt_checked_write_objects(struct wt_core_writer *w, struct wt_archive *a, const void *space);
/** Adds the objects of such a section to the table, as those of @p space; *maps: the lines of
 * /proc/PID/maps for their call stacks, which the caller frees; NULL: they have none. */
void wt_checked_read_objects(struct wt_archive *a, const void *space, char **maps);

/** Says to the user what a check does not see in this process, once, and leaves it for reports. */
void wt_checked_unseen(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports an object as a leak. */
void wt_checked_leak(const struct wt_object *object);
/** At the end of the process: reports each object that it has made and not freed as a leak, where
 * @p is_leak. */
void wt_checked_leaks(bool (*is_leak)(const struct wt_object *object));

#endif

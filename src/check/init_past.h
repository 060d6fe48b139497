/*
 * What was defined before: each change of the recorded run that a debugger goes back in, with what
 * was there. Undoing those of a time and later gives the state before the instruction of that time.
 */
#ifndef WT_CHECK_INIT_PAST_H
#define WT_CHECK_INIT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct init_past;
struct init_space;
struct init_wave;

enum {
    INIT_PAGE = 256,  /* bytes */
    INIT_GRANULE = 4, /* bytes that have one origin */
};

/* Page of memory, of which some bytes are undefined. */
struct init_page {
    uint8_t undefined[INIT_PAGE]; /* bits of each byte */
    uint8_t computed[INIT_PAGE / 8];
    uint32_t origin[INIT_PAGE / INIT_GRANULE]; /* origin of the latest undefined byte */
    uint16_t count;                            /* undefined bytes */
};

/* Values of cells of which one was undefined, and written. */
struct init_cells {
    uint32_t undefined[64], computed[64], origin[64];
};

/* Registers: cells of 32 bits. */
struct init_file {
    size_t cells;
    uint64_t *any;              /* a bit a cell: some bits are undefined */
    uint64_t *fresh;            /* fresh of these: all bits, and the cell has no values yet */
    struct init_cells **values; /* values of 64 cells each; NULL: none of them has any */
    struct init_past *past;     /* what changes is noted there; NULL: it is not */
    uint32_t *state;            /* state of the wave (init_state.h) */
};

enum init_change_kind {
    INIT_WAS_SET,     /* 64 cells' bits of a file */
    INIT_WAS_CELL,    /* a cell's values in a file */
    INIT_WAS_GRANULE, /* INIT_GRANULE bytes of a space */
    INIT_WAS_PAGE,    /* a page of a space; NULL: it was as its regions say */
    INIT_WAS_CHANGED, /* the host has changed [at, last] of a space */
};

struct init_change {
    uint64_t time;
    const void *of; /* the file or space */
    uint64_t at;
    enum init_change_kind kind;
    union {
        struct {
            uint64_t any, fresh;
        } set;
        struct {
            uint32_t undefined, computed, origin;
        } cell;
        struct {
            uint8_t undefined[INIT_GRANULE], computed;
            uint32_t origin;
        } granule;
        struct init_page *page; /* the list's */
        uint64_t last;
    } was;
};

/* A wave, or a group's memory, that has ended. */
struct init_gone {
    uint64_t time;
    size_t bytes;
    struct init_wave *wave;
    struct init_space *group;
    uint64_t home; /* home of the group */
};

struct init_past {
    bool kept;     /* the run is recorded */
    uint64_t now;  /* the time of what changes */
    uint64_t from; /* changes before are not there */
    struct init_change *list;
    size_t count, room;
    struct init_gone *gone;
    size_t gone_count, gone_room;
    size_t bytes; /* bytes of all that is kept */
    void (*free_gone)(struct init_gone *gone);
};

/* Nothing is known of what was before now. */
void init_past_clear(struct init_past *p);

/* These are about to change, as far as `past` of the file says that it is noted. */
void init_note_set(struct init_file *f, size_t word);
void init_note_cell(struct init_file *f, size_t cell);
/* A byte of a page is about to change. */
void init_note_byte(struct init_past *p, const struct init_space *s, uint64_t number,
                    const struct init_page *page, unsigned at);
/* A page is about to be defined. True: the past has taken it over. */
bool init_note_page(struct init_past *p, const struct init_space *s, uint64_t number,
                    struct init_page *page);
/* The host is about to change memory. */
void init_note_host(struct init_past *p, const struct init_space *s, uint64_t addr, uint64_t size);
/* The object that ends now is kept; false: it is not, and the caller's. */
bool init_past_take(struct init_past *p, const struct init_gone *gone);

#endif

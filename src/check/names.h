/*
 * Functions and variables of the code that GPUs run, as its symbols say. Drivers tell of them;
 * checks analyse functions, and tell variables apart by them. A process has one list, which any
 * thread may use.
 */
#ifndef WT_CHECK_NAMES_H
#define WT_CHECK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "check/objects.h"

/** A variable. */
struct wt_known_variable {
    uint64_t first, size;
    bool shared; /**< its address has other symbols, too, of which no size is known: those of linker
                      scripts, from which code goes through all variables */
    char name[48];
};

/** Forgets those of a space (objects.h): all of its code is listed anew. */
void wt_names_begin(const void *space);
/** Forgets the functions that were in a range of addresses, in which other code is loaded. */
void wt_functions_gone(const void *space, uint64_t first, uint64_t size);
/** A driver has loaded a function of so many bytes; @p name: as its symbol is. */
void wt_function_at(const void *space, uint64_t first, uint64_t size, const char *name);

/** Symbols of data that are read, by address. */
struct wt_names_reader {
    const void *space;
    struct wt_known_variable variable; /**< the last one; size 0: none */
    bool any;
    uint64_t bare; /**< `any`: the address of the last symbol without a size */
};

/** The next one; @p size 0: it has none. Symbols that overlap are one variable. */
void wt_names_read(struct wt_names_reader *r, const char *name, uint64_t addr, uint64_t size);
/** There are no others. */
void wt_names_end(struct wt_names_reader *r);

/** The function that holds an instruction: [*first, *end). */
bool wt_function_of(const void *space, uint64_t pc, uint64_t *first, uint64_t *end);
/** Whether two instructions are in functions of OpenMP's or OpenACC's runtime, as their names say:
 * libgomp's for GPUs, LLVM's device library, libatomic, and the C library's allocator, which they
 * call; or one is, and the other one in memcpy() and its like; or both are, in memory that a kernel
 * has allocated (@p heap). Their threads hand values on in ways that are races by the rules of the
 * code that they are compiled to. */
bool wt_functions_are_of_runtime(const void *space, uint64_t pc, uint64_t other, bool heap);
/** The variable that holds an address. */
bool wt_variable_of(const void *space, uint64_t addr, struct wt_known_variable *variable);
/** Of an object that has neither a name nor a function that has made it, as a segment of a bare
 * program: it becomes the variable in it that holds an address, if there is one. */
void wt_variable_within(struct wt_object *object, uint64_t addr);
/** The addresses of variables: [*first, *last]; false: there are none. */
bool wt_variables_extent(const void *space, uint64_t *first, uint64_t *last);
/** A number that changes with the list. */
uint64_t wt_names_state(void);

#endif

/*
 * The debug information of one module: units, functions by address, names of functions, variables
 * and types, over libdw. Addresses are those of the file; a caller adds the module's bias.
 */
#ifndef WT_DEBUG_SOURCE_INFO_H
#define WT_DEBUG_SOURCE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

struct wt_types;

/** The kinds of names in the debug information. */
enum wt_name_kind { WT_NAME_FUNCTION, WT_NAME_VARIABLE, WT_NAME_TYPE, WT_NAME_ENUMERATOR };

/** One name at file, namespace or class scope. */
struct wt_name {
    const char *name; /**< with its namespaces and classes: "ns::Class::f" */
    enum wt_name_kind kind;
    Dwarf_Die die;
    Dwarf_Die type; /**< ENUMERATOR: its enumeration */
};

struct wt_info;
struct wt_symbols;

/**
 * The path of a file that DWARF names: as it stands, or behind the folder that its unit was
 * compiled in (DWARF 5, 6.2.4.1: libdw leaves that to its callers). Text N of an OpenCL program is
 * /opencl/program-N.cl, as under the debugger. It stays with @p symbols. NULL: @p file is NULL, or
 * there is no host memory.
 */
const char *wt_symbols_path(struct wt_symbols *symbols, Dwarf_Die *unit, const char *file);
/** Whether a DIE, or what it is an instance of, is declared in the file of that path, or of its
 * last components. */
bool wt_symbols_declares_in(Dwarf_Die *die, const char *wanted);

/** Asked on the way whether to go on. */
struct wt_info_loading {
    bool (*reads)(void *context, uint64_t done);    /**< behind each unit: the next one's offset */
    bool (*sorts)(void *context, unsigned percent); /**< every few thousand comparisons of names */
    void *context;
};

/** For wt_symbols_close(). */
void wt_info_free(struct wt_info *info);
/**
 * Collects names and ranges; NULL without host memory. Where @p loading says no, NULL is the answer
 * and *complete is false. For wt_symbols_info().
 */
struct wt_info *wt_info_new(Dwarf *dwarf, Elf *elf, const struct wt_info_loading *loading,
                            bool *complete);

/** The ELF file; it stays with the information. */
Elf *wt_info_elf(struct wt_info *info);
/** The types of this module. */
struct wt_types *wt_info_types(struct wt_info *info);

/** Call frame information: of .debug_frame if it covers @p pc, else of .eh_frame. NULL: none. The
 *  caller frees it. */
Dwarf_Frame *wt_info_frame(struct wt_info *info, uint64_t pc);

/** The unit that covers @p pc; false if none does. */
bool wt_info_unit(struct wt_info *info, uint64_t pc, Dwarf_Die *unit);

/** Whether GCC has made units of the module, for an AMD GPU. */
bool wt_info_is_of_gcc(const struct wt_info *info);
/** Whether GCC has compiled the code at @p pc with optimisation, as its producer's name says. */
bool wt_info_is_optimised_by_gcc(struct wt_info *info, uint64_t pc);
/** Whether the code at @p pc was written in assembly language, where each instruction is a line. */
bool wt_info_is_assembly(struct wt_info *info, uint64_t pc);

#define WT_SCOPES 64 /**< nested scopes at one address, at most */

/**
 * The scopes that hold @p pc, from the function (a concrete DW_TAG_subprogram) down to the
 * innermost block or inlined call. Returns how many there are, 0 if no function covers it.
 */
unsigned wt_info_scopes(struct wt_info *info, uint64_t pc, Dwarf_Die scope[WT_SCOPES]);
/** Whether variables of @p child are those of @p scope, which it is a child of: Intel's compiler
 * has a kernel's variables in local memory in an inlined call of the kernel in itself without code.
 */
bool wt_info_is_part(Dwarf_Die *scope, Dwarf_Die *child);

/**
 * Names equal to @p name, or ending with "::" and it: the exact ones first. Calls @p found for
 * each until it returns false.
 */
void wt_info_find(struct wt_info *info, const char *name,
                  bool (*found)(void *context, const struct wt_name *name), void *context);

/** A name without namespaces and classes. */
const char *wt_info_last_part(const char *name);

/** The names whose last part is @p part or comes behind it, sorted by their last part. */
const struct wt_name *wt_info_names_from(struct wt_info *info, const char *part, size_t *count);

/** The namespaces and classes in which a DIE stands: "ns::Class"; "" at file scope. Of what stands
 *  in a function it is where the function stands. */
const char *wt_info_scope_of(const struct wt_info *info, Dwarf_Die *die);

/** All names, sorted by their last part. */
const struct wt_name *wt_info_names(struct wt_info *info, size_t *count);

/** The qualified name of a function's or variable's DIE, following its origins; NULL: none. */
const char *wt_info_name_of(struct wt_info *info, Dwarf_Die *die);

/**
 * Calls of a function that were inlined: @p function is its abstract entry (DW_AT_inline). Calls
 * @p found with the first address of each.
 */
void wt_info_inlined(struct wt_info *info, const Dwarf_Die *function,
                     void (*found)(void *context, uint64_t start), void *context);

/** First address and, if it is one range, the end of a function's DIE; false if it has no code. */
bool wt_info_entry(Dwarf_Die *die, uint64_t *start, uint64_t *end);

#endif

/*
 * HIP 5.2 asks the dynamic linker for the functions of AMD's compiler, by name; HIP 5.7 is linked
 * with it. In every program that `exec` starts this dlsym() comes before libc's, and this
 * amd_comgr_do_action() before the compiler's: both lead to one that remembers (compiled.h).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/common/next_function.h"
#include "runtime/hip/compiled.h"

#define ACTION "amd_comgr_do_action"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

typedef void *lookup(void *library, const char *name);
typedef int act(int action, uint64_t info, uint64_t input, uint64_t result); /* three handles */
int amd_comgr_do_action(int action, uint64_t info, uint64_t input, uint64_t result);

static lookup *libc_dlsym(void)
{
    static _Atomic(lookup *) known;
    lookup *found = known;
    if (!found) {
        void *function = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!function)
            function = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        known = found = (lookup *)function;
    }
    return found;
}

static void *remembering(void *library, void *action)
{
    void *replace = wt_loaded_function("libhsakmt.so.1", "wavetrap_comgr_action");
    return replace ? ((__typeof__(&wavetrap_comgr_action))replace)(library, action) : action;
}

/* No strcmp(): a program's AddressSanitizer looks up functions of libc by this dlsym(), and until
 * it has them its own strcmp() crashes. */
static bool is_action(const char *name)
{
    size_t i = 0;
    while (name[i] && name[i] == ACTION[i])
        i++;
    return name[i] == ACTION[i];
}

/* The call of libc's is a jump, at each level of optimisation: it looks at the address that it
 * returns to, which tells what RTLD_NEXT means. */
#if defined __clang__
#define JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define JUMPS __attribute__((optimize("optimize-sibling-calls", "omit-frame-pointer")))
#define JUMP return
#endif
JUMPS __attribute__((visibility("default"))) void *dlsym(void *restrict library,
                                                         const char *restrict name)
{
    if (is_action(name) && library != RTLD_NEXT) {
        void *action = libc_dlsym()(library, name);
        return action && action != (void *)amd_comgr_do_action ? remembering(library, action)
                                                               : action;
    }
    JUMP libc_dlsym()(library, name);
}

/* The compiler's own function, and its library. A library that was loaded for itself alone, as a
 * module of Python's, may have brought it along: then it does not come after this one. */
static void *compilers_own(void **library)
{
    static const char *const names[] = {"libamd_comgr.so.2", "libamd_comgr.so.3"};
    Dl_info found;
    void *function = dlsym(RTLD_NEXT, ACTION);
    *library = function && dladdr(function, &found)
                   ? dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                   : NULL;
    for (size_t i = 0; !function && i < sizeof names / sizeof *names; i++)
        if ((*library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD)))
            function = libc_dlsym()(*library, ACTION);
    return function;
}

__attribute__((visibility("default"))) int amd_comgr_do_action(int action, uint64_t info,
                                                               uint64_t input, uint64_t result)
{
    static _Atomic(act *) known;
    enum { ERROR = 1 }; /* AMD_COMGR_STATUS_ERROR */
    act *function = known;
    if (!function) {
        void *library, *own = compilers_own(&library);
        if (own && library)
            own = remembering(library, own);
        memcpy(&function, &own, sizeof own);
        known = function; /* the library stays: who calls this needs it */
    }
    return function ? function(action, info, input, result) : ERROR;
}

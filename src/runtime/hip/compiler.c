/*
 * HIP asks the dynamic linker for the functions of AMD's compiler, by name. This dlsym() stands
 * before libc's in every program that `exec` starts, and gives it one that remembers (compiled.h).
 */
#include <dlfcn.h>
#include <string.h>

#include "runtime/hip/compiled.h"

typedef void *lookup(void *library, const char *name);

static lookup *libc_dlsym(void)
{
    static _Atomic(lookup *) known;
    lookup *found = known;
    if (!found) {
        void *function = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!function)
            function = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        memcpy(&found, &function, sizeof function);
        known = found;
    }
    return found;
}

static void *remembering(void *library, const char *name)
{
    void *action = libc_dlsym()(library, name), *replace = NULL;
    void *driver = action ? dlopen("libhsakmt.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (driver) {
        replace = libc_dlsym()(driver, "wavetrap_comgr_action");
        dlclose(driver); /* it stays */
    }
    return replace ? ((__typeof__(&wavetrap_comgr_action))replace)(library, action) : action;
}

/* The call of libc's is a jump, at each level of optimisation: it looks at the address that it
 * returns to, which tells what RTLD_NEXT means. */
#if defined __clang__
#define JUMP __attribute__((musttail)) return
#else
#define JUMP return
__attribute__((optimize("optimize-sibling-calls", "omit-frame-pointer")))
#endif
__attribute__((visibility("default"))) void *dlsym(void *restrict library,
                                                   const char *restrict name)
{
    if (strcmp(name, "amd_comgr_do_action") == 0)
        return remembering(library, name);
    JUMP libc_dlsym()(library, name);
}

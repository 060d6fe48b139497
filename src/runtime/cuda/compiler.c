/*
 * libcuda: the end of a program that compiles at run time. NVIDIA's compiler (NVRTC) may make no
 * code for the GPU's compute capability; it says so with words of its own, if the program prints
 * them at all, and nothing runs. Then a line names the capability to ask `exec` for.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/state.h"

static bool module_came; /* written under the lock */
static int own;          /* the capability of the first GPU, times 10 */

void compiler_module_came(void)
{
    module_came = true;
}

static int is_compiler(struct dl_phdr_info *info, size_t size, void *handle)
{
    if (!strstr(info->dlpi_name, "/libnvrtc.") && !strstr(info->dlpi_name, "/libnvrtc-"))
        return 0;
    *(void **)handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return *(void **)handle != NULL;
}

/* Of the capabilities that the compiler knows the lowest above the GPU's; 0: it knows the GPU's. */
static int capability_to_ask_for(void *compiler)
{
    int (*const get_count)(int *) = (int (*)(int *))dlsym(compiler, "nvrtcGetNumSupportedArchs");
    int (*const get)(int *) = (int (*)(int *))dlsym(compiler, "nvrtcGetSupportedArchs");
    int count = 0, known[100], next = 0;
    const int most = sizeof known / sizeof known[0];
    if (!get_count || !get || get_count(&count) || count < 1 || count > most || get(known))
        return 0;
    for (int i = 0; i < count; i++) {
        if (known[i] == own)
            return 0;
        if (known[i] > own && (!next || known[i] < next))
            next = known[i];
    }
    return next;
}

static void tell_at_the_end(void)
{
    void *compiler = NULL;
    if (!module_came)
        dl_iterate_phdr(is_compiler, &compiler);
    const int next = compiler ? capability_to_ask_for(compiler) : 0;
    char what[200];
    snprintf(
        what, sizeof what,
        "no module was loaded: the program's compiler (NVRTC) has no compute capability %d.%d; "
        "say -g sm:cc=%d.%d",
        own / 10, own % 10, next / 10, next % 10);
    if (next)
        call_refused(what);
}

void compiler_tell_at_the_end(unsigned capability)
{
    own = (int)capability;
    atexit(tell_at_the_end);
}

/* Results of AMD's compiler that are kept for the next start of a HIP program. */
#ifndef WT_RUNTIME_HIP_COMPILED_H
#define WT_RUNTIME_HIP_COMPILED_H

/**
 * A function for HIP in the place of @p action, amd_comgr_do_action() of the compiler's library
 * @p library (a handle of dlopen()): it keeps results in the cache of code. @p action itself if the
 * library has another version than 2, or is a second one.
 */
void *wavetrap_comgr_action(void *library, void *action);

#endif

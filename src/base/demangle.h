/* Names of C++ functions for people. */
#ifndef WT_BASE_DEMANGLE_H
#define WT_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * "_Z5scalePfi" becomes "scale(float*, int)", and the kernel that clang makes of an OpenMP region
 * ("__omp_offloading_fe00_53a511__Z5scalePfi_l20") "scale(float*, int):20". Every other name, and
 * every name of C++ where the system has no C++ library, stays as it is. Cut off at @p size.
 */
void wt_demangle(const char *name, char *text, size_t size);

/** Likewise of the function in the source: the code of a region, which GCC calls
 * "scale._omp_fn.0", in PTX "scale$_omp_fn$0$impl", is of scale. */
void wt_demangle_source(const char *name, char *text, size_t size);

/** Likewise of a variable; one that is inside of a function is called without it: "words". */
void wt_demangle_variable(const char *name, char *text, size_t size);

/**
 * Whether people may call the function @p name so: by its name in the file; as wt_demangle() writes
 * it; or that without the compiler's additions (":20", " [clone ._omp_fn.0]", "._omp_fn.0"),
 * without the result's type (templates have it), without namespaces, without parameters, without
 * the arguments of a template: "void ns::scale<float>(float*, int)" is ns::scale<float>, and scale.
 */
bool wt_name_matches(const char *name, const char *called);

#endif

/* Names of C++ functions for people. */
#ifndef WT_BASE_DEMANGLE_H
#define WT_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * "_Z5scalePfi" becomes "scale(float*, int)"; every other name, and every name where the system has
 * no C++ library, stays as it is. Cut off at @p size.
 */
void wt_demangle(const char *name, char *text, size_t size);

/**
 * Whether people may call the function @p name so: by its name in the file; as C++ writes it; or
 * that without parameters, without the result's type (templates have it), without the arguments of
 * a template: "void ns::scale<float>(float*, int)" is ns::scale<float>, and ns::scale.
 */
bool wt_name_matches(const char *name, const char *called);

#endif

/* Source that is not the user's: headers of systems, compilers and runtimes, and wavetrap's own. */
#ifndef WT_BASE_FOREIGN_H
#define WT_BASE_FOREIGN_H

#include <stdbool.h>

/** Whether a file is in one of them; NULL is in none. */
bool wt_is_foreign(const char *path);

#endif

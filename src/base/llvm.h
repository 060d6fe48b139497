/* Which of the installed versions of LLVM is used. Nothing else in the source names a version,
 * except where it is a fact about one. */
#ifndef WT_BASE_LLVM_H
#define WT_BASE_LLVM_H

#include <stddef.h>

/** The version that scripts/need.sh installs for users, and with whose text the tests compare. */
#define WT_LLVM_USUAL 19
/** The versions that are looked for: from the oldest with which something works, to those to come.
 */
#define WT_LLVM_OLDEST 15
#define WT_LLVM_LAST 49

/**
 * The newest version of LLVM that has all of @p files, with blanks or commas between them; 0: none
 * has. '#' stands for the version. A file without a slash is a command in a folder of PATH.
 */
unsigned wt_llvm_newest(const char *files);
/** Writes a text with a version in place of each '#' to @p to, as far as there is room. */
void wt_llvm_text(char *to, size_t size, const char *text, unsigned version);

#endif

/*
 * Clang and LLVM's tools, for the libraries that stand in for NVIDIA's run-time compilers: each
 * compilation is a process in a folder of its own.
 */
#ifndef WT_CUDAPATH_RTC_COMPILER_H
#define WT_CUDAPATH_RTC_COMPILER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { COMPILER_WORDS = 512 };

/** Compute capabilities times 10 that clang and LLVM compile for, in order; `compiler_archs` has
 * COMPILER_OLD_ARCHS first, which NVIDIA's compilers had until CUDA 11. */
enum { COMPILER_ARCHS = 16, COMPILER_OLD_ARCHS = 2 };
extern const unsigned compiler_archs[COMPILER_ARCHS];
/** One of them, from number @p first on, by its text: "75", "90a". *feature becomes 'a', or 0. */
bool compiler_arch(const char *text, unsigned first, unsigned *arch, char *feature);

/** A command line. */
struct compiler_command {
    char *word[COMPILER_WORDS + 1]; /**< NULL behind the last one */
    size_t count;
    bool failed; /**< too many words, or no host memory */
};

/** Adds a word, as printf writes it. */
void compiler_add(struct compiler_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Adds the words of a text, which have blanks between them; NULL: none. */
void compiler_add_words(struct compiler_command *command, const char *words);
/** Frees the words. */
void compiler_free(struct compiler_command *command);

/** Makes a new folder in that for temporary files; false: it could not be made. */
bool compiler_folder(char folder[PATH_MAX]);
/** Removes it and all that is in it. */
void compiler_remove(const char *folder);
/**
 * Writes a file in the folder; @p name may have folders, which are made. False: it could not be
 * written, as errno says, or the name leads out of the folder: EINVAL.
 */
bool compiler_write(const char *folder, const char *name, const char *bytes, size_t length);
/** Reads one: a text of the heap, with its length; NULL: there is none. */
char *compiler_read(const char *folder, const char *name, size_t *length);

/**
 * Runs the command in the folder. What it says becomes *said, a text of the heap ("" at least; NULL
 * without host memory). Returns its exit status; -1: it could not be started or was killed, and
 * *said tells why.
 */
int compiler_run(const struct compiler_command *command, const char *folder, char **said);

/** The folder of `wavetrap cuda-path`, of which this library is in lib64; false: it is elsewhere.
 */
bool compiler_cuda_path(char path[PATH_MAX]);

#endif

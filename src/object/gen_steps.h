/*
 * Facts of a Gen9's kernel that its code does not show and its program's SPIR-V does: where the
 * work-items of a thread wait for each other though no instruction does (sub_group_barrier() has no
 * code, since a sub-group is one thread), and for which asynchronous copies of a work-group nothing
 * waits. The module has the calls, and the lines that they are at; debug data the lines of
 * instructions.
 */
#ifndef WT_OBJECT_GEN_STEPS_H
#define WT_OBJECT_GEN_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gen_steps;

/**
 * Those of a kernel of a module of SPIR-V: @p size bytes at @p module. @p elf: the kernel's ELF
 * file with lines (.debug_line), whose code begins at address 0; NULL: there is none. NULL: the
 * kernel and what it calls have no such barrier or copy, or there is no host memory. Where the
 * module is none, or has no such kernel, a barrier may be anywhere (gen_steps_knows()).
 */
struct gen_steps *gen_steps_make(const uint8_t *module, size_t size, const char *kernel,
                                 const uint8_t *elf, size_t elf_size);
/** A copy, which the caller frees; NULL of NULL, and without host memory. */
struct gen_steps *gen_steps_copy(const struct gen_steps *steps);
/** Frees them; NULL is none. */
void gen_steps_free(struct gen_steps *steps);

/** Whether it is known that the kernel has such barriers. */
bool gen_steps_knows(const struct gen_steps *steps);

/** Whether there is a barrier, or may be one; not in NULL. */
bool gen_steps_has_barriers(const struct gen_steps *steps);
/** The @p n-th asynchronous copy for which nothing waits: *at becomes the offset of the first
 * instruction of its line, 0 if that is not known. False: there are no more, and none in NULL. */
bool gen_steps_unwaited(const struct gen_steps *steps, size_t n, uint64_t *at);

/** Whether lines are known: else a barrier may be anywhere. */
bool gen_steps_has_lines(const struct gen_steps *steps);

/** The line of an instruction, and the function in whose source that is. */
struct gen_step {
    uint32_t function; /**< 0: not known */
    uint32_t line;
};

/** That of the instruction at offset @p at of the kernel. */
struct gen_step gen_steps_at(const struct gen_steps *steps, uint64_t at);
/** Whether the code from one place to a later one comes back to the line of the first, as an
 * unrolled loop does. */
bool gen_steps_go_back(const struct gen_steps *steps, uint64_t from, uint64_t to);
/**
 * Whether a barrier may be on the way from the access at one place to the next one, at another
 * place: by lines. @p again: the way may go back, as in a loop. False only where none is.
 */
bool gen_steps_between(const struct gen_steps *steps, struct gen_step from, struct gen_step to,
                       bool again);

/** The type of the section of SPIR-V in a program's ELF file, as compilers and runtimes make them
 * (wt_elf_section()). */
#define GEN_STEPS_SECTION 0xff000009u

#endif

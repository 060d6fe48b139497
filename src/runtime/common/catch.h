/* The exceptions that end a host program (exec --catch). */
#ifndef WT_RUNTIME_COMMON_CATCH_H
#define WT_RUNTIME_COMMON_CATCH_H

#include <stdbool.h>
#include <stdint.h>

/** The variable that `exec` sets: the exceptions as a number, when there are any. */
#define WT_CATCH_VARIABLE "WAVETRAP_CATCH"

/** The exceptions are numbered as AMD's GPUs do (gcn_exception_name); of these a bit is set. */
enum { WT_CATCH_MEM_VIOL = 1 << 8, WT_CATCH_ALL = (1 << 9) - 1 };

/** The exit status of a program that is ended so. */
#define WT_CAUGHT_STATUS 123

/** The exceptions of WT_CATCH_VARIABLE; 0 where it is not set. */
uint16_t wt_catch_of_environment(void);

/** Whether a failure of a kernel ends the program, on a GPU whose instructions have no such
 * exceptions (gen9, sm): `mem_viol` is an access that fails (@p access), `all` is any failure. */
bool wt_catch_ends(bool access);

/** Ends the program with WT_CAUGHT_STATUS from any thread; what it has printed so far is not lost.
 */
_Noreturn void wt_catch_end(void);

#endif

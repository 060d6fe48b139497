/* How the functions of a library are written that logs its calls where WAVETRAP_LOG_CALLS says so.
 */
#ifndef WT_RUNTIME_COMMON_CALL_LOG_H
#define WT_RUNTIME_COMMON_CALL_LOG_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))
#define CALL_LIST(...) __VA_ARGS__
/** The number that a pointer for a result points to; 0 for NULL. */
#define RESULT(pointer) ((unsigned long long)((pointer) ? *(pointer) : 0))
/** Likewise of a pointer to a handle. */
#define HANDLE(pointer) ((const void *)((pointer) ? *(pointer) : NULL))

/** Whether calls are logged. Opens the log the first time. */
bool call_logged(void);
/** Logs a line, formatted as by printf, of which 1199 characters are kept. They are logged. */
void call_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

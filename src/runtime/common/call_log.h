/* How the functions of a library are written that logs its calls where WAVETRAP_LOG_CALLS says so.
 */
#ifndef WT_RUNTIME_COMMON_CALL_LOG_H
#define WT_RUNTIME_COMMON_CALL_LOG_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/*
 * The parameters of a function, (TYPE, NAME) each; behind the name may stand what is logged of it
 * in place of its value, which is nothing where that is empty: (TYPE, NAME, ). (void, , "") is for
 * a function without parameters.
 */
#define CALL_PARAMETERS(...) CALL_SCAN(CALL_LISTED(CALL_PARAMETER, __VA_ARGS__))
/** Their names, with commas between them. */
#define CALL_NAMES(...) CALL_SCAN(CALL_LISTED(CALL_NAME, __VA_ARGS__))
/** The logged values, with a comma before each. */
#define CALL_VALUES(...) CALL_SCAN(CALL_JOINED(CALL_VALUE, __VA_ARGS__))

#define CALL_PARAMETER(type, name, ...) type name
#define CALL_NAME(type, name, ...) name
#define CALL_VALUE(...)                                                                            \
    CALL_EIGHTH(__VA_ARGS__, GIVEN, GIVEN, GIVEN, GIVEN, GIVEN, PLAIN, )(__VA_ARGS__)
#define CALL_EIGHTH(a, b, c, d, e, f, g, h, ...) CALL_VALUE_##h
#define CALL_VALUE_PLAIN(type, name) , name
#define CALL_VALUE_GIVEN(type, name, ...) __VA_OPT__(, ) __VA_ARGS__
/* Each of them, by expansions that are scanned 16 times. */
#define CALL_LISTED(what, one, ...)                                                                \
    what one __VA_OPT__(, CALL_LISTED_NEXT CALL_NOTHING()()(what, __VA_ARGS__))
#define CALL_LISTED_NEXT() CALL_LISTED
#define CALL_JOINED(what, one, ...)                                                                \
    what one __VA_OPT__(CALL_JOINED_NEXT CALL_NOTHING()()(what, __VA_ARGS__))
#define CALL_JOINED_NEXT() CALL_JOINED
#define CALL_NOTHING()
#define CALL_SCAN(...) CALL_SCAN_4(CALL_SCAN_4(CALL_SCAN_4(CALL_SCAN_4(__VA_ARGS__))))
#define CALL_SCAN_4(...) CALL_SCAN_1(CALL_SCAN_1(CALL_SCAN_1(CALL_SCAN_1(__VA_ARGS__))))
#define CALL_SCAN_1(...) __VA_ARGS__

/** The number that a pointer for a result points to; 0 for NULL. */
#define RESULT(pointer) ((unsigned long long)((pointer) ? *(pointer) : 0))
/** Likewise of a pointer to a handle. */
#define HANDLE(pointer) ((const void *)((pointer) ? *(pointer) : NULL))

/** Whether calls are logged. Opens the log the first time. */
bool call_logged(void);
/** Logs a line, formatted as by printf, of which 1199 characters are kept. They are logged. */
void call_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

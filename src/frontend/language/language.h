/*
 * The language of a console: tables of commands, found by their names, aliases and abbreviations;
 * scripts of them with `if`, `while`, `define`; a shell's commands and pipes. What the commands do
 * is their owner's.
 */
#ifndef WT_FRONTEND_LANGUAGE_LANGUAGE_H
#define WT_FRONTEND_LANGUAGE_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "base/error.h"

/** The object of the commands. It begins with a struct wt_language_owner. */
struct wt_shell;
struct wt_language;
struct wt_language_owner {
    struct wt_language *language;
};

/** Does one command. Its word is separated from its arguments; @p text begins without blanks. */
typedef enum wt_status wt_command_fn(struct wt_shell *c, const char *text, struct wt_error *err);

struct wt_command {
    const char *name;
    const char *aliases; /**< separated by blanks; NULL: none */
    wt_command_fn *run;
    const char *group;   /**< group of help */
    const char *summary; /**< one line */
    const char *help;    /**< more; NULL */
    char completes;      /**< its arguments: 0 nothing, 'e' expressions, 'l' locations, 'f' files,
                              'c' commands, 'i' info topics, 's' what is saved, 'x' what is caught;
                              'E' an expression, and lines up to 'end' belong to it; 'B' such lines;
                              'T' text of which blanks at the end count */
    bool repeats;        /**< an empty line does it again */
};

/** Functions of a console's owner for its language. */
struct wt_language_options {
    const struct wt_command *commands; /**< up to a row without a name */
    struct wt_shell *shell;
    FILE **out; /**< what commands print; a pipe exchanges it meanwhile */
    /** Whether an expression holds, for `if` and `while`. */
    enum wt_status (*holds)(struct wt_shell *shell, const char *expression, bool *holds,
                            struct wt_error *err);
    /** Does a command that was found. */
    enum wt_status (*run)(struct wt_shell *shell, const struct wt_command *command,
                          const char *arguments, struct wt_error *err);
    /** Called after each line of a script. */
    enum wt_status (*after)(struct wt_shell *shell, struct wt_error *err);
    /** Whether no further line of a script is wanted. */
    bool (*ends)(struct wt_shell *shell);
    /** Whether the user has asked for an end. */
    bool (*interrupted)(struct wt_shell *shell);
    /** Reads a line from the user, which the caller frees; false: there is none. */
    bool (*read_line)(struct wt_shell *shell, char **line);
    /** Whether there is a user who can be asked for lines. */
    bool (*can_read)(struct wt_shell *shell);
    bool no_shell; /**< `shell` and `pipe` are refused */
};

/** NULL without host memory. */
struct wt_language *wt_language_new(const struct wt_language_options *options);
/** Frees it. NULL is ignored. */
void wt_language_free(struct wt_language *language);
/** That of a shell. */
static inline struct wt_language *wt_shell_language(struct wt_shell *shell)
{
    return ((struct wt_language_owner *)shell)->language;
}

/** Bytes of the word with which a line begins: "x/4xw" and "p*q" end before the first other
 * character. */
size_t wt_language_word(const char *text);
/** The command of a word or of its unambiguous beginning; NULL, and whether several begin so. */
const struct wt_command *wt_language_find(const struct wt_command *table, const char *word,
                                          size_t length, bool *ambiguous);
/** Fails with a sentence: what GDB, cuda-gdb or rocgdb call so and what to use instead, or that
 * there is no such command. @p prefix: "info "; "". */
enum wt_status wt_language_not_found(const struct wt_command *table, const char *prefix,
                                     const char *word, size_t length, bool ambiguous,
                                     struct wt_error *err);
/** Fails with a sentence where the word, or its beginning of three letters and more, is another
 * debugger's. @p kind: "" for commands, else the words before it: "info ", "set ", "set print ",
 * "catch ", "unset "; "points ": delete, enable or disable. */
enum wt_status wt_language_elsewhere(const char *kind, const char *word, size_t length,
                                     struct wt_error *err);

/** Prints the lines of the words that the user has made; @p name: of this one, "" of all. */
void wt_language_show(const struct wt_language *language, const char *name, FILE *out);

/** Executes one line. */
enum wt_status wt_language_execute(struct wt_language *language, const char *line,
                                   struct wt_error *err);
/** Executes lines; *at is the number of the one that failed, from 1. */
enum wt_status wt_language_lines(struct wt_language *language, char *const *line, size_t count,
                                 size_t *at, struct wt_error *err);
/** Executes the lines of a file; the error names file and line. */
enum wt_status wt_language_source(struct wt_language *language, const char *path,
                                  struct wt_error *err);
/**
 * Reads the lines of a command up to its 'end'; @p what names it in errors. @p told is printed
 * first if a user types them; NULL.
 */
enum wt_status wt_language_block(struct wt_language *language, const char *what, const char *told,
                                 struct wt_script *block, struct wt_error *err);
/** Scripts that are being executed, one by another. */
unsigned wt_language_depth(const struct wt_language *language);
/** Commands are printed before they are done (`set trace-commands`). */
void wt_language_trace(struct wt_language *language, bool on);
/** The first line of help of a word that was defined; false: it was not. *help: its document. */
bool wt_language_defined(const struct wt_language *language, const char *word, size_t length,
                         const char **help);
/** Calls @p found for each word that was defined or is an alias. */
void wt_language_each(const struct wt_language *language,
                      void (*found)(void *context, const char *word), void *context);

/* ---- settings ---- */

enum wt_setting_kind {
    WT_SETTING_SWITCH,   /**< a bool */
    WT_SETTING_COUNT,    /**< an unsigned number, or no limit */
    WT_SETTING_ONE_OF,   /**< an unsigned: the number of a word */
    WT_SETTING_TEXT,     /**< a char *, of malloc(); NULL: "" */
    WT_SETTING_FIXED,    /**< it has one value only, and `shown` is the reason */
    WT_SETTING_NO_EFFECT /**< one of GDB that scripts set */
};
/** Values of a count: no limit; what the terminal has, until it is set. */
enum { WT_SETTING_UNLIMITED = 1 << 20, WT_SETTING_OF_TERMINAL };

/** A setting: the place of its value, and the sentence of `show`, with %s for the value. A table of
 * settings ends with one without a name. */
struct wt_setting {
    const char *name;
    enum wt_setting_kind kind;
    size_t offset;     /**< offset of the value, in the owner's structure */
    const char *words; /**< ONE_OF: the words, from 0 on; FIXED: the one; COUNT: what 0 is */
    const char *shown;
};

/** The setting that a text begins with, which goes on behind it; NULL: none. Words may be
 * abbreviated, the last one to three letters. "pretty" is "print pretty" where @p in is "print ".
 */
const struct wt_setting *wt_setting_take(const struct wt_setting *table, const char **text,
                                         const char *in);
/** Sets the value in the owner's structure @p values. WT_INVALID: it takes another one;
 * WT_UNSUPPORTED: it is fixed. */
enum wt_status wt_setting_set(const struct wt_setting *setting, void *values, const char *text,
                              struct wt_error *err);
/** Puts the value as wt_setting_set() takes it. */
void wt_setting_put(const struct wt_setting *setting, const void *values, char *text, size_t size);
/** Whether names of settings begin with the word, and go on: "print". */
bool wt_setting_is_prefix(const struct wt_setting *table, const char *word);
/** Prints the sentence of `show`. */
void wt_setting_show(const struct wt_setting *setting, const void *values, FILE *out);

/** The commands of the language itself. */
wt_command_fn do_if, do_while, do_loop_break, do_loop_continue, do_define, do_document, do_alias,
    do_shell, do_pipe, do_cd, do_pwd, do_source;

#endif

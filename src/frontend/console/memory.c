/* Memory as a whole: find, dump, restore. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/console/internal.h"

#define MOST_BYTES (1ull << 30) /* bytes of one command */
#define MOST_PATTERN 4096u

static enum wt_status read_bytes(struct wt_shell *c, uint64_t at, void *out, size_t size,
                                 struct wt_error *err)
{
    if (wt_debugger_read_memory(c->program->debugger, c->program->thread,
                                (struct wt_address){0, at}, out, size, WT_IGNORED) != WT_OK)
        return wt_fail(err, WT_INVALID, "Cannot access memory at address 0x%" PRIx64, at);
    return WT_OK;
}

/* The next argument, up to one of these characters; the caller frees it. NULL: none is there. */
static char *take_argument(const char **text, const char *ends)
{
    const char *end = wt_message_argument_end(*text, ends);
    char *argument = end > *text ? strndup(*text, (size_t)(end - *text)) : NULL;
    *text = wt_skip_blanks(*end ? end + 1 : end);
    return argument;
}

static enum wt_status take_address(struct wt_shell *c, const char **text, const char *ends,
                                   uint64_t *value, struct wt_error *err)
{
    char *argument = take_argument(text, ends);
    const enum wt_status status = argument ? wt_program_address(c->program, argument, value, err)
                                           : wt_fail(err, WT_INVALID, "an address is missing");
    free(argument);
    return status;
}

/* ---- find ---- */

/* Appends the bytes of a value to a pattern: those of a size letter, else of its type; of a text
 * its characters. */
static enum wt_status add_value(struct wt_shell *c, const char *text, char size, uint8_t *pattern,
                                size_t *length, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    size_t bytes = v.size;
    if (*text == '"' && bytes)
        bytes--; /* without its zero */
    if (size && *text != '"')
        bytes = size == 'b' ? 1 : size == 'h' ? 2 : size == 'g' ? 8 : 4;
    if (!bytes || *length + bytes > MOST_PATTERN) {
        status = wt_fail(err, WT_INVALID, "a pattern has 1 to %u bytes", MOST_PATTERN);
    } else {
        memset(pattern + *length, 0, bytes);
        memcpy(pattern + *length, v.bytes, bytes < v.size ? bytes : v.size);
        *length += bytes;
    }
    wt_values_free(&v);
    return status;
}

/* "find [/SIZE-CHAR COUNT] START, END | +LENGTH, VALUE, …" */
enum wt_status do_find(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct format_spec spec = {.count = 0};
    uint8_t pattern[MOST_PATTERN];
    uint64_t start, end;
    size_t length = 0;
    unsigned found = 0;
    enum wt_status status = take_format(&text, &spec, err);
    if (!status)
        status = take_address(c, &text, ",", &start, err);
    const bool is_length = *text == '+';
    text += is_length;
    if (!status)
        status = take_address(c, &text, ",", &end, err);
    if (!status && !*text)
        status = wt_fail(err, WT_INVALID, "Missing search pattern: find START, +LENGTH, VALUE, …");
    for (char *value; !status && (value = take_argument(&text, ",")) != NULL; free(value))
        status = add_value(c, value, spec.size, pattern, &length, err);
    if (status)
        return status;
    const uint64_t size = is_length ? end : end - start + 1;
    if (size > MOST_BYTES || (!is_length && end < start))
        return wt_fail(err, WT_INVALID, "Empty search range, or one of more than a gigabyte.");
    if (size < length)
        return wt_fail(err, WT_INVALID, "Search space too small to contain pattern.");
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if ((status = read_bytes(c, start, bytes, size, err)) != WT_OK) {
        free(bytes);
        return status;
    }
    const uint64_t most = spec.count > 0 ? (uint64_t)spec.count : UINT64_MAX;
    for (const uint8_t *at = bytes; found < most; at++) {
        at = memmem(at, (size_t)(bytes + size - at), pattern, length);
        if (!at)
            break;
        const struct wt_view view = wt_program_view(c->program);
        const uint64_t address = start + (uint64_t)(at - bytes);
        char symbol[300];
        wt_source_symbol_at(&view, address, true, symbol, sizeof symbol);
        fprintf(c->out, "0x%" PRIx64 "%s%s\n", address, *symbol ? " " : "", symbol);
        set_variable(c, "_", "(void *)0x%" PRIx64, address);
        found++;
    }
    free(bytes);
    set_variable(c, "numfound", "%u", found);
    fprintf(c->out, found ? "%u pattern%s found.\n" : "Pattern not found.\n", found,
            found == 1 ? "" : "s");
    return WT_OK;
}

/* ---- dump, restore ---- */

static enum wt_status write_file(const char *path, const char *mode, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    FILE *file = fopen(path, mode);
    if (!file)
        return wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
    const bool good = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) != 0 || !good)
        return wt_fail(err, WT_IO, "%s: cannot write", path);
    return WT_OK;
}

/* "[binary] memory FILE START END", "[binary] value FILE EXPRESSION" */
static enum wt_status dump(struct wt_shell *c, const char *command, const char *mode,
                           const char *text, struct wt_error *err)
{
    uint64_t start, end;
    if (strncmp(text, "binary ", 7) == 0)
        text = wt_skip_blanks(text + 7);
    const bool memory = strncmp(text, "memory ", 7) == 0, value = strncmp(text, "value ", 6) == 0;
    if (!memory && !value)
        return wt_fail(
            err, WT_INVALID,
            "%s takes 'memory FILE START END', or 'value FILE EXPRESSION': bytes as they "
            "are",
            command);
    text = wt_skip_blanks(text + (memory ? 7 : 6));
    char *path = take_argument(&text, " ");
    enum wt_status status = WT_OK;
    if (!path || !*text)
        status = wt_fail(err, WT_INVALID, "%s %s takes a file and %s", command,
                         memory ? "memory" : "value", memory ? "two addresses" : "an expression");
    if (!status && value) {
        const struct wt_view view = wt_program_view(c->program);
        struct wt_values v;
        status = wt_source_evaluate(&view, text, &v, err);
        if (!status && (status = wt_values_check(&v, err)) == WT_OK)
            status = write_file(path, mode, v.bytes, v.size, err);
        if (!status || v.bytes)
            wt_values_free(&v);
    } else if (!status) {
        status = take_address(c, &text, " ", &start, err);
        if (!status)
            status = take_address(c, &text, " ", &end, err);
        if (!status && (end <= start || end - start > MOST_BYTES))
            status = wt_fail(err, WT_INVALID, "Invalid memory address range (start >= end).");
        uint8_t *bytes = status ? NULL : malloc(end - start);
        if (!status && !bytes)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        if (!status && (status = read_bytes(c, start, bytes, end - start, err)) == WT_OK)
            status = write_file(path, mode, bytes, end - start, err);
        free(bytes);
    }
    free(path);
    return status;
}

enum wt_status do_dump(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return dump(c, "dump", "we", text, err);
}

enum wt_status do_append(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return dump(c, "append", "ae", text, err);
}

/* "restore FILE binary ADDRESS" */
enum wt_status do_restore(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t to;
    char *path = take_argument(&text, " ");
    enum wt_status status = WT_OK;
    if (!path || strncmp(text, "binary ", 7) != 0)
        status = wt_fail(err, WT_INVALID, "restore takes FILE binary ADDRESS");
    if (!status) {
        text = wt_skip_blanks(text + 7);
        status = take_address(c, &text, " ", &to, err);
    }
    FILE *file = status ? NULL : fopen(path, "re");
    if (!status && !file)
        status = wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
    uint64_t written = 0;
    uint8_t bytes[4096];
    if (!status)
        status = may_change(c, err);
    for (size_t size; !status && (size = fread(bytes, 1, sizeof bytes, file)) > 0; written += size)
        status = wt_debugger_write_memory(c->program->debugger, c->program->thread,
                                          (struct wt_address){0, to + written}, bytes, size, err);
    if (!status)
        fprintf(c->out, "Restored %" PRIu64 " bytes of %s into memory at 0x%" PRIx64 ".\n", written,
                path, to);
    if (file)
        fclose(file);
    free(path);
    wt_program_refresh_frames(c->program);
    return status;
}

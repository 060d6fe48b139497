/* Texts of source files: the files that lines name, and the sources that a host program has
 * compiled at run time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "debug/program/internal.h"

static void free_file(struct wt_text_file *f)
{
    free(f->name);
    free(f->path);
    free(f->bytes);
    free(f->line);
    free(f->text);
}

static void free_files(struct wt_program *g)
{
    for (size_t i = 0; i < g->file_count; i++)
        free_file(&g->file[i]);
    free(g->file);
    g->file = NULL;
    g->file_count = g->file_capacity = 0;
}

static void split_lines(struct wt_text_file *f, size_t length)
{
    size_t capacity = 0;
    for (size_t at = 0; at < length;) {
        char **grown = wt_array_grow(f->line, &capacity, f->line_count + 1, sizeof(char *));
        if (!grown)
            return;
        f->line = grown;
        grown[f->line_count++] = f->bytes + at;
        while (at < length && f->bytes[at] != '\n')
            at++;
        if (at && f->bytes[at - 1] == '\r')
            f->bytes[at - 1] = 0;
        f->bytes[at++] = 0;
    }
}

/* Finds a source file: by a substituted path, its own path, or its last part in the
 * current folder. */
static char *find_path(struct wt_program *g, const char *name)
{
    for (size_t i = 0; i < g->substitution_count; i++) {
        const char *from = g->substitution[2 * i];
        const size_t length = strlen(from);
        char *path;
        if (strncmp(name, from, length) != 0 || (name[length] != '/' && name[length]))
            continue;
        if (asprintf(&path, "%s%s", g->substitution[2 * i + 1], name + length) < 0)
            return NULL;
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    if (access(name, R_OK) == 0)
        return strdup(name);
    const char *base = strrchr(name, '/');
    if (base && access(base + 1, R_OK) == 0)
        return strdup(base + 1);
    return NULL;
}

/* The text of a program that was compiled at run time. An earlier program may have had the same
 * file name. */
static void take_text(struct wt_program *g, struct wt_text_file *f)
{
    size_t length;
    const char *text = wt_modules_text(g->modules, f->name, &length);
    if (!text || (f->text && length == f->text_length && memcmp(text, f->text, length) == 0))
        return;
    char *bytes = malloc(length + 1), *copy = malloc(length + 1), *path = strdup(f->name);
    if (!bytes || !copy || !path) {
        free(bytes);
        free(copy);
        free(path);
        return;
    }
    memcpy(bytes, text, length);
    memcpy(copy, text, length);
    free(f->path);
    free(f->bytes);
    free(f->line);
    free(f->text);
    *f = (struct wt_text_file){
        .name = f->name, .path = path, .bytes = bytes, .text = copy, .text_length = length};
    split_lines(f, length);
}

struct wt_text_file *wt_program_open_source(struct wt_program *g, const char *name)
{
    uint8_t *bytes;
    size_t length;
    if (!name)
        return NULL;
    for (size_t i = 0; i < g->file_count; i++)
        if (strcmp(g->file[i].name, name) == 0) {
            take_text(g, &g->file[i]);
            return &g->file[i];
        }
    struct wt_text_file *grown =
        wt_array_grow(g->file, &g->file_capacity, g->file_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    g->file = grown;
    struct wt_text_file *f = &grown[g->file_count];
    *f = (struct wt_text_file){.name = strdup(name), .path = find_path(g, name)};
    if (!f->name)
        return NULL;
    g->file_count++;
    if (f->path && wt_file_read(f->path, &bytes, &length, WT_IGNORED) == WT_OK) {
        f->bytes = (char *)bytes;
        split_lines(f, length);
    } else {
        free(f->path);
        f->path = NULL;
        take_text(g, f);
    }
    return f;
}

void wt_program_forget_substitutions(struct wt_program *g)
{
    for (size_t i = 0; i < 2 * g->substitution_count; i++)
        free(g->substitution[i]);
    g->substitution_count = 0;
    free_files(g);
}

enum wt_status wt_program_substitute(struct wt_program *g, const char *from, size_t length,
                                     const char *to, struct wt_error *err)
{
    char **grown = wt_array_grow(g->substitution, &g->substitution_capacity,
                                 2 * g->substitution_count + 2, sizeof(char *));
    if (grown)
        g->substitution = grown;
    char *from_copy = strndup(from, length), *to_copy = strdup(to);
    if (!grown || !from_copy || !to_copy) {
        free(from_copy);
        free(to_copy);
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a setting");
    }
    grown[2 * g->substitution_count] = from_copy;
    grown[2 * g->substitution_count + 1] = to_copy;
    g->substitution_count++;
    free_files(g); /* files that were not found may be found now */
    return WT_OK;
}

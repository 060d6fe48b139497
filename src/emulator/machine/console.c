/* Line buffers of consoles. See console.h. */
#include "emulator/machine/console.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/hash.h"
#include "emulator/machine/machine.h"

/* Characters of a line at most: a longer one is printed in parts. */
#define MOST_CHARACTERS 65536

bool wt_console_init(struct wt_console *console, unsigned slots)
{
    assert(slots > 0);
    console->slots = slots;
    console->line = calloc(slots, sizeof *console->line);
    return console->line != NULL;
}

void wt_console_free(struct wt_console *console)
{
    for (unsigned i = 0; console->line && i < console->slots; i++)
        free(console->line[i].text);
    free(console->line);
    console->line = NULL;
}

/* Makes room for so many characters; false beyond the longest line or without host memory. */
static bool reserve(struct wt_console_line *line, size_t length)
{
    char *text = length <= MOST_CHARACTERS
                     ? wt_array_grow(line->text, &line->capacity, length, sizeof *text)
                     : NULL;
    if (text)
        line->text = text;
    return text;
}

static void emit(struct wt_machine *m, struct wt_console *console, unsigned slot)
{
    struct wt_console_line *line = &console->line[slot];
    if (m->console)
        m->console(m->console_context, slot, line->text ? line->text : "", line->length);
    line->length = 0;
}

void wt_console_put(struct wt_machine *m, struct wt_console *console, unsigned slot, char c)
{
    assert(slot < console->slots);
    if (wt_met(m))
        return;
    struct wt_console_line *line = &console->line[slot];
    if (c == '\n') {
        emit(m, console, slot);
        return;
    }
    if (line->length == line->capacity && !reserve(line, line->length + 1)) {
        emit(m, console, slot);
        if (!line->capacity)
            return; /* the host has no memory for a single line: the character is lost */
    }
    line->text[line->length++] = c;
}

void wt_console_flush(struct wt_machine *m, struct wt_console *console)
{
    for (unsigned slot = 0; slot < console->slots; slot++)
        if (console->line[slot].length)
            emit(m, console, slot);
}

void wt_console_clear(struct wt_console *console)
{
    for (unsigned i = 0; i < console->slots; i++)
        console->line[i].length = 0;
}

void wt_console_hash(const struct wt_console *console, uint64_t *hash)
{
    for (unsigned i = 0; i < console->slots; i++) {
        const struct wt_console_line *line = &console->line[i];
        wt_mix_number(hash, line->length);
        wt_mix(hash, line->text ? line->text : "", line->length);
    }
}

void wt_console_archive(struct wt_archive *a, struct wt_console *console)
{
    if (wt_archive_reads(a))
        wt_console_clear(console);
    for (unsigned i = 0; i < console->slots; i++) {
        struct wt_console_line *line = &console->line[i];
        uint32_t length = (uint32_t)line->length;
        wt_archive_u32(a, &length, MOST_CHARACTERS, "the length of a line");
        if (!length)
            continue;
        if (wt_archive_reads(a) && !reserve(line, length)) {
            wt_archive_fail(a, "the host has no memory for a line of the console");
            return;
        }
        wt_archive_bytes(a, line->text, length);
        line->length = length;
    }
}

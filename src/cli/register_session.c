/* Commands on registers by name, for `dm` and `reg`. See register_session.h. */
#include "cli/register_session.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/text.h"
#include "emulator/machine/machine.h"
#include "report/device.h"

enum { MAX_WATCHED = 16, MAX_WORDS = 4 };

/* ---- accesses ---- */

/* Reads or writes a register behind an index register, whose value is restored afterwards. */
static enum wt_status access_indirect(struct cli_registers *r, const struct wt_hw_register *reg,
                                      bool write, uint32_t *value, struct wt_error *err)
{
    enum wt_status status;
    const struct wt_hw_table *t = r->table;
    const struct wt_hw_field *f = t->index_field;
    uint32_t before;
    if ((status = wt_bus_read(r->bus, t->index->addr, &before, err)) != WT_OK)
        return status;
    struct wt_bus_op op[] = {
        {.write = true,
         .addr = t->index->addr,
         .value = wt_with_field(before, f->msb, f->lsb, reg->addr)},
        {.write = write, .addr = t->data, .value = *value},
        {.write = true, .addr = t->index->addr, .value = before},
    };
    if ((status = wt_bus_transact(r->bus, op, 3, err)) != WT_OK)
        return status;
    *value = op[1].value;
    return WT_OK;
}

static enum wt_status read_place(struct cli_registers *r, const struct cli_place *place,
                                 uint32_t *value, struct wt_error *err)
{
    if (!place->reg || !place->reg->indirect)
        return wt_bus_read(r->bus, place->addr, value, err);
    *value = 0;
    return access_indirect(r, place->reg, false, value, err);
}

static enum wt_status write_place(struct cli_registers *r, const struct cli_place *place,
                                  uint32_t value, struct wt_error *err)
{
    if (!place->reg || !place->reg->indirect)
        return wt_bus_write(r->bus, place->addr, value, err);
    return access_indirect(r, place->reg, true, &value, err);
}

/* Uses one batch if no place needs several accesses. */
static enum wt_status read_places(struct cli_registers *r, const struct cli_place *place,
                                  size_t count, uint32_t *value, struct wt_error *err)
{
    enum wt_status status;
    struct wt_bus_op op[MAX_WATCHED];
    bool indirect = false;
    assert(count <= MAX_WATCHED);
    for (size_t i = 0; i < count; i++) {
        op[i] = (struct wt_bus_op){.addr = place[i].addr};
        indirect |= place[i].reg && place[i].reg->indirect;
    }
    if (indirect) {
        for (size_t i = 0; i < count; i++)
            if ((status = read_place(r, &place[i], &value[i], err)) != WT_OK)
                return status;
        return WT_OK;
    }
    if ((status = wt_bus_transact(r->bus, op, count, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        value[i] = op[i].value;
    return WT_OK;
}

static enum wt_status parse_place(const struct cli_registers *r, const char *text, size_t length,
                                  struct cli_place *place, struct wt_error *err)
{
    return cli_place_parse(r->table, r->list, text, length, place, err);
}

/* ---- commands ---- */

static enum wt_status show(struct cli_registers *r, const struct cli_place *place,
                           struct wt_error *err)
{
    enum wt_status status;
    uint32_t value;
    if ((status = read_place(r, place, &value, err)) != WT_OK)
        return status;
    cli_place_print(place, value);
    return WT_OK;
}

/* Writes the pending fields, all of one register. */
static enum wt_status flush(struct cli_registers *r, struct wt_error *err)
{
    if (!r->pending)
        return WT_OK;
    r->pending = false;
    return write_place(r, &r->pending_place, r->pending_word, err);
}

/*
 * Writes a field as clients of a real device do it: the whole register is read and written back. In
 * a stream of commands, consecutive fields of one register are written at once: a command register
 * takes its fields together.
 */
static enum wt_status assign(struct cli_registers *r, const struct cli_place *place,
                             const char *text, struct wt_error *err)
{
    enum wt_status status;
    uint32_t value, word;
    const bool joins = r->pending && place->field && place->reg == r->pending_place.reg;
    if (!joins && (status = flush(r, err)) != WT_OK)
        return status;
    if ((status = cli_place_parse_value(text, place, &value, err)) != WT_OK)
        return status;
    if (!place->field)
        return write_place(r, place, value, err);
    if (place->field->access == WT_HW_R)
        return wt_fail(err, WT_INVALID, "%s.%s is read-only", place->reg->name, place->field->name);
    if (joins)
        word = r->pending_word;
    else if ((status = read_place(r, place, &word, err)) != WT_OK)
        return status;
    r->pending_word = wt_with_field(word, place->field->msb, place->field->lsb, value);
    r->pending_place = *place;
    r->pending = true;
    return r->stream ? WT_OK : flush(r, err);
}

static void tell_run(struct cli_registers *r, enum wt_run run, uint64_t before)
{
    struct wt_machine *m = r->device->machine;
    printf("ran %" PRIu64 " issues to time %" PRIu64, m->time - before, m->time);
    switch (run) {
    case WT_RUN_BUDGET:
    case WT_RUN_EVENT:
    case WT_RUN_WATCH:
        puts("");
        break;
    case WT_RUN_HALTED:
        printf(": every active %s is halted\n", r->device->family->words.wave);
        break;
    case WT_RUN_ENDED:
        m->ops->flush_console(m);
        if (!r->device->family->run.exit_word)
            puts(": the kernel has ended");
        else
            printf(": the program has ended, exit word %" PRIu32 "\n",
                   wt_emulated_exit_word(r->device));
        break;
    case WT_RUN_FAULT:
        puts(": the program made a mistake");
        fflush(stdout);
        wt_report_device_fault(stderr, r->device, NULL);
        break;
    }
}

/* A return of the engine for an event, a wave that halts or traps, does not end it. */
static enum wt_status run_issues(struct cli_registers *r, uint64_t issues, struct wt_error *err)
{
    if (!r->device)
        return wt_fail(err, WT_UNSUPPORTED,
                       "a device elsewhere runs by itself: 'run' is for the "
                       "emulator");
    enum { STANDS = 1000 }; /* so many returns without an issue: nothing can change any more */
    struct wt_machine *m = r->device->machine;
    const uint64_t before = m->time;
    uint64_t at;
    enum wt_run run;
    unsigned stands = 0;
    do {
        at = m->time;
        run = m->ops->run(m, issues - (at - before));
        stands = m->time == at ? stands + 1 : 0;
    } while ((run == WT_RUN_EVENT || run == WT_RUN_WATCH) && m->time - before < issues &&
             stands < STANDS);
    tell_run(r, run, before);
    return WT_OK;
}

/* ---- commands that take time: issues of the emulator, or milliseconds ---- */

struct register_span {
    uint64_t limit, begin;
    bool over;       /* no wave can issue any more */
    enum wt_run run; /* then: why */
};

static uint64_t now(const struct cli_registers *r)
{
    if (r->device)
        return r->device->machine->time;
    return (uint64_t)wt_clock_ms();
}

static const char *unit(const struct cli_registers *r)
{
    return !r->device ? "ms" : "issues";
}

/* Waits for a little of it; false when the limit is reached, or nothing can change any more. */
static bool pass(struct cli_registers *r, struct register_span *span)
{
    if (span->over || now(r) - span->begin >= span->limit)
        return false;
    if (!r->device) {
        const struct timespec nap = {.tv_nsec = 1000000};
        nanosleep(&nap, NULL);
        return true;
    }
    struct wt_machine *m = r->device->machine;
    span->run = m->ops->run(m, 1);
    span->over = span->run != WT_RUN_BUDGET && span->run != WT_RUN_EVENT;
    return true; /* the caller looks once more */
}

/* "wait PLACE=VALUE [N]" */
static enum wt_status wait_for(struct cli_registers *r, char *condition, uint64_t limit,
                               struct wt_error *err)
{
    enum wt_status status;
    char *equal = strchr(condition, '=');
    struct cli_place place;
    struct register_span span = {.limit = limit, .begin = now(r)};
    uint32_t wanted, word;
    if (!equal)
        return wt_fail(err, WT_INVALID, "'wait' wants REGISTER=VALUE or REGISTER.FIELD=VALUE");
    if ((status = parse_place(r, condition, (size_t)(equal - condition), &place, err)) != WT_OK ||
        (status = cli_place_parse_value(equal + 1, &place, &wanted, err)) != WT_OK)
        return status;
    do {
        if ((status = read_place(r, &place, &word, err)) != WT_OK)
            return status;
        if (cli_place_value(&place, word) == wanted) {
            printf("%s after %" PRIu64 " %s", condition, now(r) - span.begin, unit(r));
            if (r->device)
                printf(", time %" PRIu64, now(r));
            putchar('\n');
            return WT_OK;
        }
    } while (pass(r, &span));
    if (span.over) {
        tell_run(r, span.run, span.begin);
        return wt_fail(err, WT_STATE, "%s will not happen: nothing can issue any more", condition);
    }
    return wt_fail(err, WT_TIMEOUT, "%s did not happen within %" PRIu64 " %s", condition,
                   now(r) - span.begin, unit(r));
}

/* "watch PLACE[,PLACE]… [N]": prints the places, and each change. */
static enum wt_status watch(struct cli_registers *r, char *names, uint64_t limit,
                            struct wt_error *err)
{
    enum wt_status status;
    struct cli_place place[MAX_WATCHED];
    uint32_t last[MAX_WATCHED];
    uint32_t word[MAX_WATCHED];
    struct register_span span = {.limit = limit, .begin = now(r)};
    size_t count = 0;
    char *save = NULL;
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        if (count == MAX_WATCHED)
            return wt_fail(err, WT_INVALID, "'watch' takes %d places at most", MAX_WATCHED);
        if ((status = parse_place(r, name, strlen(name), &place[count++], err)) != WT_OK)
            return status;
    }
    bool first = true;
    do {
        if ((status = read_places(r, place, count, word, err)) != WT_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            const uint32_t value = cli_place_value(&place[i], word[i]);
            if (!first && value == last[i])
                continue;
            last[i] = value;
            printf("%" PRIu64 " %s: ", now(r) - span.begin, unit(r));
            cli_place_print(&place[i], word[i]);
        }
        first = false;
        fflush(stdout);
    } while (pass(r, &span));
    if (span.over)
        tell_run(r, span.run, span.begin);
    return WT_OK;
}

static enum wt_status number_or(const char *word, uint64_t fallback, uint64_t *value,
                                struct wt_error *err)
{
    *value = fallback;
    return word ? wt_parse_number(word, value, err) : WT_OK;
}

static enum wt_status show_all(struct cli_registers *r, struct wt_error *err)
{
    enum wt_status status;
    for (size_t i = 0; i < r->table->count; i++) {
        const struct wt_hw_register *reg = &r->table->registers[i];
        if (!reg->memory &&
            (status = show(r, &(struct cli_place){.addr = reg->addr, .reg = reg}, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* 1 if the word is a number, else 0. */
static size_t is_number(const char *word)
{
    return word && isdigit((unsigned char)*word) ? 1 : 0;
}

/* Executes one command from a list of words, of which it uses *used. */
static enum wt_status one_command(struct cli_registers *r, char **word, size_t words, size_t *used,
                                  struct wt_error *err)
{
    enum wt_status status;
    uint64_t number;
    const bool run = strcmp(word[0], "run") == 0, wait = strcmp(word[0], "wait") == 0;
    struct cli_place place;
    char *equal = strchr(word[0], '=');
    *used = words;
    if (!equal && (status = flush(r, err)) != WT_OK)
        return status;
    if (run && (words <= 2 || r->stream)) {
        *used = r->stream ? 1 + is_number(word[1]) : words;
        if ((status = number_or(*used > 1 ? word[1] : NULL, 1, &number, err)) != WT_OK)
            return status;
        return run_issues(r, number, err);
    }
    if ((wait || strcmp(word[0], "watch") == 0) && words >= 2) {
        const uint64_t here = 1000000, elsewhere = wait ? 10000 : UINT64_MAX;
        *used = r->stream ? 2 + is_number(word[2]) : words;
        if ((status = number_or(*used > 2 ? word[2] : NULL, r->device ? here : elsewhere, &number,
                                err)) != WT_OK)
            return status;
        return wait ? wait_for(r, word[1], number, err) : watch(r, word[1], number, err);
    }
    if (words > 1 && !r->stream)
        return wt_fail(
            err, WT_INVALID,
            "'%s %s' is not one of REGISTER[.FIELD], REGISTER[.FIELD]=VALUE, all, run [N], "
            "wait REGISTER[.FIELD]=VALUE [N], watch REGISTER[.FIELD],… [N]",
            word[0], word[1]);
    *used = 1;
    if (strcmp(word[0], "all") == 0)
        return show_all(r, err);
    if (r->command && strcmp(word[0], r->command) == 0)
        return r->obey(r, err);
    const size_t length = equal ? (size_t)(equal - word[0]) : strlen(word[0]);
    if ((status = parse_place(r, word[0], length, &place, err)) != WT_OK)
        return status;
    return equal ? assign(r, &place, equal + 1, err) : show(r, &place, err);
}

/* Splits a line, which is changed: one command or, in a stream, several. */
static enum wt_status run_line(struct cli_registers *r, char *line, struct wt_error *err)
{
    enum wt_status status;
    char *word[MAX_WORDS] = {NULL}, *save = NULL;
    size_t words = 0, used;
    line[strcspn(line, "#\n\r")] = 0;
    char *w = strtok_r(line, " \t", &save);
    while (w || words) {
        for (; w && words < MAX_WORDS - 1; w = strtok_r(NULL, " \t", &save))
            word[words++] = w;
        if (w && !r->stream)
            return wt_fail(err, WT_INVALID, "'%s' is one word too many", w);
        word[words] = NULL;
        if ((status = one_command(r, word, words, &used, err)) != WT_OK)
            return status;
        words -= used;
        memmove(word, word + used, (words + 1) * sizeof *word);
    }
    return WT_OK;
}

static enum wt_status run_script(struct cli_registers *r, const char *script, struct wt_error *err)
{
    bool is_stdin = strcmp(script, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(script, "r");
    if (!file)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", script, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    enum wt_status status = WT_OK;
    while (!status && getline(&line, &room, file) >= 0) {
        number++;
        if (run_line(r, line, err) || flush(r, err))
            status = wt_fail_in(err, "%s: line %zu", is_stdin ? "stdin" : script, number);
        fflush(stdout);
    }
    if (!status && ferror(file))
        status = wt_fail(err, WT_IO, "%s: cannot read: %s", script, strerror(errno));
    free(line);
    if (!is_stdin)
        fclose(file);
    return status;
}

/* Joins commands that the shell has split into words. */
static enum wt_status run_words(struct cli_registers *r, char **commands, struct wt_error *err)
{
    enum wt_status status;
    size_t size = 1;
    for (size_t i = 0; commands[i]; i++)
        size += strlen(commands[i]) + 1;
    char *line = calloc(1, size);
    if (!line)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; commands[i]; i++)
        strcat(strcat(line, commands[i]), " ");
    if ((status = run_line(r, line, err)) == WT_OK)
        status = flush(r, err);
    free(line);
    return status;
}

static enum wt_status run_each(struct cli_registers *r, char **commands, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (; !status && *commands; commands++) {
        char *line = strdup(*commands);
        if (!line)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        else if (run_line(r, line, err))
            status = wt_fail_in(err, "'%s'", *commands);
        free(line);
    }
    return status;
}

enum wt_status cli_registers_run(struct cli_registers *r, const char *script, char **commands,
                                 struct wt_error *err)
{
    enum wt_status status;
    if (!*commands && !script)
        script = "-";
    if (script && (status = run_script(r, script, err)) != WT_OK)
        return status;
    return r->stream ? run_words(r, commands, err) : run_each(r, commands, err);
}

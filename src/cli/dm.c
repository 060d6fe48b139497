/* `wavetrap dm`: reads and writes the Debug Module's registers by name, for bringing up hardware. */
#include <errno.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "bus/vxdebug.h"
#include "cli/report.h"
#include "cli/session.h"

struct dm {
    struct cli_options options; /* first: device options */
    const char *script;
    bool list;
    struct cli_session session;
};

static enum wt_status set_script(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->script = value;
    return WT_OK;
}

static enum wt_status set_list(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->list = true;
    return WT_OK;
}

static const struct cli_option options[] = {
    {"script", 's', "FILE", "take commands from FILE, one a line ('-' is stdin)", set_script},
    {"registers", 0, NULL, "list all registers and fields; PROGRAM may be left out", set_list},
    {0},
};

static void list_registers(void)
{
    static const char *const access[] = {"R", "W", "RW"};
    for (size_t i = 0; i < wt_vxdebug_register_count; i++) {
        const struct wt_dm_register *r = &wt_vxdebug_registers[i];
        printf("0x%x %s: %s\n", r->addr, r->name, r->about);
        for (size_t j = 0; j < r->field_count; j++) {
            const struct wt_dm_field *f = &r->fields[j];
            char bits[16];
            if (f->msb == f->lsb)
                snprintf(bits, sizeof bits, "[%u]", f->msb);
            else
                snprintf(bits, sizeof bits, "[%u:%u]", f->msb, f->lsb);
            printf("  %-8s %-15s %-3s %-2s  %s", bits, f->name, f->alias ? f->alias : "",
                   access[f->access], f->about);
            for (unsigned v = 0; f->values && f->values[v]; v++)
                printf("%s%u %s", v ? ", " : " (", v, f->values[v]);
            puts(f->values ? ")" : "");
        }
    }
}

/* ---- places: "DCTRL", "DCTRL.haltreq", "0x6" ---- */

struct place {
    uint16_t addr;
    const struct wt_dm_register *reg; /* NULL: an address without a name */
    const struct wt_dm_field *field;  /* NULL: the whole register */
};

static enum wt_status parse_place(const char *text, size_t length, struct place *place,
                                  struct wt_error *err)
{
    const char *dot = memchr(text, '.', length);
    size_t name = dot ? (size_t)(dot - text) : length;
    *place = (struct place){0};
    if (isdigit((unsigned char)text[0])) {
        char digits[24];
        uint64_t addr;
        snprintf(digits, sizeof digits, "%.*s", (int)name, text);
        if (cli_number(digits, &addr, err))
            return err->status;
        if (addr > UINT16_MAX)
            return wt_fail(err, WT_INVALID, "register addresses end at 0xffff");
        place->addr = (uint16_t)addr;
        for (size_t i = 0; i < wt_vxdebug_register_count; i++)
            if (wt_vxdebug_registers[i].addr == addr)
                place->reg = &wt_vxdebug_registers[i];
    } else {
        place->reg = wt_vxdebug_register(text, name);
        if (!place->reg)
            return wt_fail(err, WT_INVALID,
                           "there is no register '%.*s'; 'wavetrap dm --registers' lists them",
                           (int)name, text);
        place->addr = place->reg->addr;
    }
    if (!dot)
        return WT_OK;
    if (place->reg)
        place->field = wt_vxdebug_field(place->reg, dot + 1, length - name - 1);
    if (!place->field)
        return wt_fail(err, WT_INVALID,
                       "register %.*s has no field '%.*s'; 'wavetrap dm --registers' lists them",
                       (int)name, text, (int)(length - name - 1), dot + 1);
    return WT_OK;
}

static uint32_t field_of(const struct wt_dm_field *field, uint32_t value)
{
    return wt_field(value, field->msb, field->lsb);
}

static void print_field(const struct wt_dm_field *f, uint32_t value)
{
    uint32_t v = field_of(f, value);
    const char *name = wt_vxdebug_value_name(f, v);
    printf(f->msb - f->lsb > 15 ? "%s=0x%" PRIx32 : "%s=%" PRIu32, f->name, v);
    if (name)
        printf("(%s)", name);
}

static void print_register(const struct place *place, uint32_t value)
{
    if (!place->reg) {
        printf("0x%x = 0x%08" PRIx32 "\n", place->addr, value);
        return;
    }
    printf("%s = 0x%08" PRIx32, place->reg->name, value);
    for (size_t i = 0; i < place->reg->field_count; i++) {
        putchar(' ');
        print_field(&place->reg->fields[i], value);
    }
    putchar('\n');
}

/* A value: a number, or a name that the field gives to one. */
static enum wt_status parse_value(const char *text, const struct place *place, uint32_t *value,
                                  struct wt_error *err)
{
    uint64_t number = 0;
    if (place->field && place->field->values && !isdigit((unsigned char)text[0])) {
        while (place->field->values[number] && strcasecmp(place->field->values[number], text) != 0)
            number++;
        if (!place->field->values[number])
            return wt_fail(err, WT_INVALID, "'%s' is no value of %s", text, place->field->name);
    } else if (cli_number(text, &number, err)) {
        return err->status;
    }
    unsigned bits = place->field ? place->field->msb - place->field->lsb + 1u : 32;
    if (number >> bits)
        return wt_fail(err, WT_INVALID, "%s does not fit %u bit%s", text, bits,
                       bits == 1 ? "" : "s");
    *value = (uint32_t)number;
    return WT_OK;
}

/* ---- commands ---- */

static enum wt_status read_place(struct dm *dm, const struct place *place, uint32_t *value,
                                 struct wt_error *err)
{
    return wt_bus_read(dm->session.bus, place->addr, value, err);
}

static enum wt_status show(struct dm *dm, const struct place *place, struct wt_error *err)
{
    uint32_t value;
    if (read_place(dm, place, &value, err))
        return err->status;
    if (place->field) {
        printf("%s.", place->reg->name);
        print_field(place->field, value);
        putchar('\n');
    } else {
        print_register(place, value);
    }
    return WT_OK;
}

/* A field is written as clients in the field do it: the whole register is read and written back. */
static enum wt_status assign(struct dm *dm, const struct place *place, const char *text,
                             struct wt_error *err)
{
    uint32_t value, word;
    if (parse_value(text, place, &value, err))
        return err->status;
    if (!place->field)
        return wt_bus_write(dm->session.bus, place->addr, value, err);
    if (place->field->access == WT_DM_R)
        return wt_fail(err, WT_INVALID, "%s.%s is read-only", place->reg->name,
                       place->field->name);
    if (read_place(dm, place, &word, err))
        return err->status;
    word = wt_with_field(word, place->field->msb, place->field->lsb, value);
    return wt_bus_write(dm->session.bus, place->addr, word, err);
}

static void tell_run(struct dm *dm, enum wt_run run, uint64_t before)
{
    struct wt_machine *m = dm->session.machine;
    printf("ran %" PRIu64 " issues to time %" PRIu64, m->time - before, m->time);
    switch (run) {
    case WT_RUN_BUDGET:
        puts("");
        break;
    case WT_RUN_EVENT:
    case WT_RUN_WATCH:
        puts(": a warp halted");
        break;
    case WT_RUN_HALTED:
        puts(": every active warp is halted");
        break;
    case WT_RUN_ENDED:
        vx_device_flush_console(dm->session.device);
        printf(": the program has ended, exit word %" PRIu32 "\n",
               vx_device_exit_word(dm->session.device));
        break;
    case WT_RUN_FAULT:
        puts(": the program made a mistake");
        fflush(stdout);
        cli_report_fault(stderr, &dm->session);
        break;
    }
}

static void run_issues(struct dm *dm, uint64_t issues)
{
    struct wt_machine *m = dm->session.machine;
    uint64_t before = m->time;
    tell_run(dm, m->ops->run(m, issues), before);
}

/* "wait PLACE=VALUE [N]": runs issue by issue until a register or field has a value. */
static enum wt_status wait_for(struct dm *dm, char *condition, uint64_t limit, struct wt_error *err)
{
    struct wt_machine *m = dm->session.machine;
    char *equal = strchr(condition, '=');
    struct place place;
    uint32_t wanted, word;
    if (!equal)
        return wt_fail(err, WT_INVALID, "'wait' wants REGISTER=VALUE or REGISTER.FIELD=VALUE");
    if (parse_place(condition, (size_t)(equal - condition), &place, err) ||
        parse_value(equal + 1, &place, &wanted, err))
        return err->status;
    uint64_t before = m->time;
    for (uint64_t i = 0;; i++) {
        if (read_place(dm, &place, &word, err))
            return err->status;
        if ((place.field ? field_of(place.field, word) : word) == wanted) {
            printf("%s after %" PRIu64 " issues, time %" PRIu64 "\n", condition, m->time - before,
                   m->time);
            return WT_OK;
        }
        if (i == limit)
            return wt_fail(err, WT_TIMEOUT, "%s did not come within %" PRIu64 " issues", condition,
                           limit);
        enum wt_run run = m->ops->run(m, 1);
        if (run == WT_RUN_BUDGET || run == WT_RUN_EVENT)
            continue;
        if (read_place(dm, &place, &word, err))
            return err->status;
        if ((place.field ? field_of(place.field, word) : word) != wanted) {
            tell_run(dm, run, before);
            return wt_fail(err, WT_STATE, "%s will not come: nothing can issue any more",
                           condition);
        }
    }
}

static enum wt_status number_or(const char *word, uint64_t fallback, uint64_t *value,
                                struct wt_error *err)
{
    *value = fallback;
    return word ? cli_number(word, value, err) : WT_OK;
}

static enum wt_status one_command(struct dm *dm, char *line, struct wt_error *err)
{
    char *word[4], *save = NULL;
    size_t words = 0;
    line[strcspn(line, "#\n\r")] = 0;
    for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (words == 3)
            return wt_fail(err, WT_INVALID, "'%s' is one word too many", w);
        word[words++] = w;
    }
    word[words] = NULL;
    if (!words)
        return WT_OK;
    uint64_t number;
    if (strcmp(word[0], "run") == 0 && words <= 2) {
        if (number_or(word[1], 1, &number, err))
            return err->status;
        run_issues(dm, number);
        return WT_OK;
    }
    if (strcmp(word[0], "wait") == 0 && words >= 2) {
        if (number_or(word[2], 1000000, &number, err))
            return err->status;
        return wait_for(dm, word[1], number, err);
    }
    if (words > 1)
        return wt_fail(err, WT_INVALID,
                       "'%s %s' is none of REGISTER[.FIELD], REGISTER[.FIELD]=VALUE, all, run [N], "
                       "wait REGISTER[.FIELD]=VALUE [N]",
                       word[0], word[1]);
    struct place place;
    if (strcmp(word[0], "all") == 0) {
        for (size_t i = 0; i < wt_vxdebug_register_count; i++) {
            place = (struct place){.addr = wt_vxdebug_registers[i].addr,
                                   .reg = &wt_vxdebug_registers[i]};
            if (show(dm, &place, err))
                return err->status;
        }
        return WT_OK;
    }
    char *equal = strchr(word[0], '=');
    size_t length = equal ? (size_t)(equal - word[0]) : strlen(word[0]);
    if (parse_place(word[0], length, &place, err))
        return err->status;
    return equal ? assign(dm, &place, equal + 1, err) : show(dm, &place, err);
}

static enum wt_status run_script(struct dm *dm, struct wt_error *err)
{
    bool is_stdin = strcmp(dm->script, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(dm->script, "r");
    if (!file)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", dm->script, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    enum wt_status status = WT_OK;
    while (!status && getline(&line, &room, file) >= 0) {
        number++;
        if (one_command(dm, line, err))
            status = wt_fail_in(err, "%s: line %zu", is_stdin ? "stdin" : dm->script, number);
        fflush(stdout);
    }
    if (!status && ferror(file))
        status = wt_fail(err, WT_IO, "%s: cannot read: %s", dm->script, strerror(errno));
    free(line);
    if (!is_stdin)
        fclose(file);
    return status;
}

static int run_commands(struct dm *dm, char **commands)
{
    struct wt_error err;
    enum wt_status status = cli_session_attach(&dm->session, &err);
    if (!status && !*commands && !dm->script)
        dm->script = "-";
    if (!status && dm->script)
        status = run_script(dm, &err);
    for (; !status && *commands; commands++) {
        char *line = strdup(*commands);
        if (!line)
            status = wt_fail(&err, WT_NO_MEMORY, "no host memory");
        else if (one_command(dm, line, &err))
            status = wt_fail_in(&err, "'%s'", *commands);
        free(line);
    }
    int exit_status = status ? cli_fail(&cli_dm, &err) : 0;
    if (fflush(stdout) || ferror(stdout)) {
        wt_fail(&err, WT_IO, "cannot write to stdout: %s", strerror(errno));
        exit_status = cli_fail(&cli_dm, &err);
    }
    return exit_status;
}

static int run(int argc, char **argv)
{
    struct dm dm = {0};
    struct wt_error err;
    int status = CLI_FAILED;
    switch (cli_parse(&cli_dm, argc, argv, &dm, &dm.options, 0, true)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        break;
    default:
        if (dm.list) {
            list_registers();
            status = 0;
        } else if (optind == argc) {
            fputs("wavetrap dm: an operand is missing (PROGRAM); see 'wavetrap dm --help'\n",
                  stderr);
        } else if (cli_session_open(&dm.session, &dm.options, argv[optind], &err)) {
            status = cli_fail(&cli_dm, &err);
        } else {
            status = run_commands(&dm, argv + optind + 1);
            cli_session_close(&dm.session);
        }
    }
    cli_options_free(&dm.options);
    return status;
}

const struct cli_command cli_dm = {
    .name = "dm",
    .operands = "PROGRAM [COMMAND]…",
    .summary = "Reads and writes registers of the Debug Module by name. PROGRAM is in the device.\n"
               "Without COMMAND or --script, commands come from stdin.",
    .options = options,
    .device = true,
    .notes = "Commands:\n"
             "  REGISTER                     read a register and show its fields; 0x6 names one, too\n"
             "  REGISTER.FIELD               read one field\n"
             "  REGISTER=VALUE               write a register\n"
             "  REGISTER.FIELD=VALUE         read the register, change the field, write it back\n"
             "  all                          read all registers\n"
             "  run [N]                      let the device issue N instructions (default 1)\n"
             "  wait REGISTER[.FIELD]=VALUE [N]\n"
             "                               let it run until that is so, N issues at most\n"
             "                               (default 1,000,000)\n"
             "What follows '#' is a comment.\n",
    .run = run,
};

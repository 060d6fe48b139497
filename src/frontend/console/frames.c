/* Frames: backtrace, frame, up, down, info frame, info locals, info args. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

/* ---- variables ---- */

/* ---- frames ---- */

void show_end(struct wt_shell *c, const struct wt_stepped *end)
{
    char findings[40];
    if (end->show) {
        wt_report_stop(&c->report, c->program);
        wt_words_stop(&c->words, end->with_frame);
        show_displays(c);
    }
    if (wt_checks_news(c->options.checks, &c->told_findings, findings, sizeof findings))
        fputs(findings, c->out);
}

enum wt_status do_backtrace(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    uint64_t most = UINT64_MAX, outermost = 0, *first = NULL;
    bool full = false;
    const unsigned selected = c->program->level;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    while (*text) {
        const size_t length = wt_word_length(text);
        if (strncmp(text, "full", length) == 0 || strncmp(text, "-full", length) == 0)
            full = true, text = wt_skip_blanks(text + length);
        else if (*text == '-' && isdigit((unsigned char)text[1]) && ++text &&
                 wt_take_number(&text, &outermost))
            first = &outermost; /* so many of the outermost */
        else if (!wt_take_number(&text, &most))
            return wt_fail(err, WT_INVALID, "No symbol \"%s\" in current context.", text);
    }
    unsigned from = 0;
    while (first && wt_frames_get(c->program->frames, from + (unsigned)*first))
        from++;
    unsigned level = from;
    for (; level < most && (frame = wt_frames_get(c->program->frames, level)); level++) {
        wt_words_frame(&c->words, frame, true, wt_words_needs_address(&c->words, frame));
        if (full && !wt_words_variables(&c->words, frame, false, "        "))
            fputs("No locals.\n", c->out);
    }
    if (most && wt_frames_get(c->program->frames, level))
        fputs("(More stack frames follow...)\n", c->out);
    else if (wt_frames_end(c->program->frames)[0])
        fprintf(c->out, "Backtrace stopped: %s\n", wt_frames_end(c->program->frames));
    c->program->level = selected;
    return WT_OK;
}

static enum wt_status show_frame(struct wt_shell *c, struct wt_error *err)
{
    const struct wt_frame *frame;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    wt_words_frame(&c->words, frame, true, wt_words_needs_address(&c->words, frame));
    wt_words_line(&c->words, frame, false);
    return WT_OK;
}

/* Executes a command in frames [from, until), each behind its line. Those in which it fails are
 * left out if `silent`, as by "frame apply -s". */
static enum wt_status apply_frames(struct wt_shell *c, unsigned from, unsigned until,
                                   const char *text, bool silent, struct wt_error *err)
{
    const unsigned before = c->program->level;
    enum wt_status status = WT_OK;
    for (unsigned level = from; level < until && !status; level++) {
        const struct wt_frame *frame;
        char *said = NULL;
        size_t size;
        FILE *out = c->out;
        c->program->level = level;
        if (wt_program_need_frame(c->program, &frame, WT_IGNORED) != WT_OK)
            break;
        FILE *kept = open_memstream(&said, &size);
        if (!kept) {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
            break;
        }
        c->out = kept;
        wt_words_frame(&c->words, frame, true, wt_words_needs_address(&c->words, frame));
        status = wt_language_execute(c->owner.language, text, err);
        c->out = out;
        fclose(kept);
        if (!status || !silent)
            fwrite(said, 1, size, c->out);
        if (silent)
            status = WT_OK;
        free(said);
    }
    c->program->level = before;
    return status;
}

/* "frame apply all | COUNT | -COUNT | level N [-s] COMMAND" */
static enum wt_status frame_apply(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    unsigned from = 0, until = UINT32_MAX;
    uint64_t number;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    const bool outermost = *text == '-' && isdigit((unsigned char)text[1]);
    const bool level = strncmp(text, "level ", 6) == 0;
    text = wt_skip_blanks(text + (level ? 6 : outermost));
    if (!level && !outermost && strncmp(text, "all ", 4) == 0) {
        text = wt_skip_blanks(text + 4);
    } else {
        if (!wt_take_number(&text, &number) || number > UINT32_MAX - 1)
            return wt_fail(err, WT_INVALID,
                           "frame apply takes all, COUNT, -COUNT or level N, and a command");
        unsigned frames = 0;
        while (outermost && wt_frames_get(c->program->frames, frames))
            frames++;
        from = level ? (unsigned)number : frames > number ? frames - (unsigned)number : 0;
        until = level ? from + 1 : outermost ? frames : (unsigned)number;
    }
    const bool silent = strncmp(text, "-s ", 3) == 0;
    text = wt_skip_blanks(text + (silent ? 3 : 0));
    if (!*text)
        return wt_fail(err, WT_INVALID, "Please specify a command to apply on the frames");
    return apply_frames(c, from, until, text, silent, err);
}

static enum wt_status select_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_frame *frame;
    uint64_t level;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (strncmp(text, "function ", 9) == 0) {
        const char *name = wt_skip_blanks(text + 9);
        for (level = 0; (frame = wt_frames_get(c->program->frames, (unsigned)level)); level++)
            if (frame->function && strcmp(frame->function, name) == 0)
                break;
        if (!frame)
            return wt_fail(err, WT_INVALID, "No frame for function \"%s\".", name);
        c->program->level = (unsigned)level;
        return WT_OK;
    }
    if (strncmp(text, "level ", 6) == 0)
        text = wt_skip_blanks(text + 6);
    if (*text) {
        if (!wt_take_number(&text, &level) || *text)
            return wt_fail(err, WT_INVALID, "frame takes the number of a frame");
        if (level > UINT32_MAX || !wt_frames_get(c->program->frames, (unsigned)level))
            return wt_fail(err, WT_INVALID, "No frame at level %" PRIu64 ".", level);
        c->program->level = (unsigned)level;
    }
    return WT_OK;
}

enum wt_status do_select_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return select_frame(c, text, err);
}

enum wt_status do_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    if (strncmp(text, "apply ", 6) == 0)
        return frame_apply(c, wt_skip_blanks(text + 6), err);
    const enum wt_status status = select_frame(c, text, err);
    return status ? status : show_frame(c, err);
}

enum frames_way { UP, DOWN };

static enum wt_status move(struct wt_shell *c, const char *text, enum frames_way way, bool silent,
                           struct wt_error *err)
{
    const bool up = way == UP;
    const struct wt_frame *frame;
    uint64_t count = 1;
    enum wt_status status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (*text && (!wt_take_number(&text, &count) || *text))
        return wt_fail(err, WT_INVALID, "%s takes a number of frames", up ? "up" : "down");
    if (!up && c->program->level == 0)
        return wt_fail(err, WT_INVALID, "Bottom (innermost) frame selected; you can't go down.");
    if (up && !wt_frames_get(c->program->frames, c->program->level + 1))
        return wt_fail(err, WT_INVALID, "Initial frame selected; you can't go up.");
    for (; count && up && wt_frames_get(c->program->frames, c->program->level + 1); count--)
        c->program->level++;
    for (; count && !up && c->program->level; count--)
        c->program->level--;
    return silent ? WT_OK : show_frame(c, err);
}

enum wt_status do_up(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, UP, false, err);
}

enum wt_status do_down(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, DOWN, false, err);
}

enum wt_status do_up_silently(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, UP, true, err);
}

enum wt_status do_down_silently(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return move(c, text, DOWN, true, err);
}

enum wt_status do_faas(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return *text ? apply_frames(c, 0, UINT32_MAX, text, true, err)
                 : wt_fail(err, WT_INVALID, "faas takes a command, for all frames");
}

enum wt_status do_info_frame(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char name[WT_FUNCTION_TEXT];
    const struct wt_frame *frame;
    uint64_t cfa;
    enum wt_status status = take_no_arguments(text, "info frame", err);
    if (!status)
        status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    const struct wt_frame *caller = wt_frames_get(c->program->frames, frame->level + 1);
    fprintf(c->out, "Stack level %u, ", frame->level);
    if (wt_frames_cfa(c->program->frames, frame->level, &cfa))
        fprintf(c->out, "frame at 0x%" PRIx64 ":\n", cfa);
    else
        fputs("frame at an unknown address:\n", c->out);
    fprintf(c->out, " pc = 0x%" PRIx64, frame->pc);
    if (frame->function)
        fprintf(c->out, " in %s", wt_function_text(frame, name, sizeof name));
    if (frame->file)
        fprintf(c->out, " (%s:%u)", frame->file, frame->line);
    if (caller)
        fprintf(c->out, "; saved pc = 0x%" PRIx64, caller->pc);
    fputc('\n', c->out);
    if (frame->inlined)
        fprintf(c->out, " inlined into frame %u\n", frame->level + 1);
    if (caller)
        fprintf(c->out, " called by frame %u\n", caller->level);
    else
        fputs(" Outermost frame\n", c->out);
    return WT_OK;
}

static enum wt_status list_variables(struct wt_shell *c, const char *text, const char *command,
                                     bool arguments, const char *none, struct wt_error *err)
{
    const struct wt_frame *frame;
    enum wt_status status = take_no_arguments(text, command, err);
    if (!status)
        status = wt_program_need_frame(c->program, &frame, err);
    if (status)
        return status;
    if (!wt_words_variables(&c->words, frame, arguments, ""))
        fputs(frame->scope_count ? none : "No symbol table info available.\n", c->out);
    return WT_OK;
}

enum wt_status do_info_locals(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_variables(c, text, "info locals", false, "No locals.\n", err);
}

enum wt_status do_info_args(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_variables(c, text, "info args", true, "No arguments.\n", err);
}

/* ---- info scope ---- */

enum wt_status do_info_scope(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return wt_words_scope(&c->words, text, err);
}

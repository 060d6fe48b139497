/* Words for a program in the debugger: where it stands, its threads, its faults; colours. See
 * words.h. */
#include "frontend/common/words.h"

#include "base/demangle.h"
#include "base/wave_name.h"

const char *wt_style(const struct wt_words *w, enum wt_style which)
{
    /* ECMA-48, SGR. */
    static const char *const sequences[] = {
        [WT_STYLE_PLAIN] = "\033[m",         [WT_STYLE_FUNCTION] = "\033[33m",
        [WT_STYLE_SOURCE_FILE] = "\033[32m", [WT_STYLE_ADDRESS] = "\033[34m",
        [WT_STYLE_NAME] = "\033[36m",        [WT_STYLE_HEADLINE] = "\033[1m",
        [WT_STYLE_DIM] = "\033[2m"};
    return w->how.styled ? sequences[which] : "";
}

const char *wt_function_text(const struct wt_frame *frame, char *text, size_t size)
{
    wt_demangle(frame->function ? frame->function : "??", text, size);
    return text;
}

/* Prints the line before a stop: the lane's coordinates, and its active lanes. */
void wt_words_where(const struct wt_words *w, wt_thread thread)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    char lanes[WT_LANES_TEXT], name[WT_WAVE_NAME];
    if (wt_program_wave(w->program, thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    wt_lanes_text(place.active, lanes, sizeof lanes);
    wt_debugger_name_wave(w->program->debugger, &wave, name, sizeof name);
    fprintf(w->out, "%s[%s, %s %u%s; %s%s %s enabled]%s\n", wt_style(w, WT_STYLE_DIM), name,
            w->program->topology->lane_word, place.lane,
            wt_has_lane(place.active, place.lane) ? "" : " (masked off)",
            w->program->topology->lane_word, wt_lanes_count(place.active) == 1 ? "" : "s",
            place.active ? lanes : "none", wt_style(w, WT_STYLE_PLAIN));
}

void wt_words_place(const struct wt_words *w, uint64_t pc)
{
    char text[300];
    wt_modules_describe(w->program->modules, 0, pc, text, sizeof text);
    fputs(text, w->out);
}

const char *wt_words_watch(const struct wt_words *w, enum wt_point_kind kind)
{
    static const char *const names[] = {[WT_POINT_WATCH] = "Hardware watchpoint",
                                        [WT_POINT_READ] = "Hardware read watchpoint",
                                        [WT_POINT_ACCESS] =
                                            "Hardware access (read/write) watchpoint"};
    return w->program->options.steps_to_watch ? "Watchpoint" : names[kind];
}

static struct wt_fault_report report_of(const struct wt_words *w)
{
    return (struct wt_fault_report){.debugger = w->program->debugger,
                                    .modules = w->program->modules,
                                    .instruction = wt_program_instruction_text,
                                    .context = w->program,
                                    .place = wt_frames_describe};
}

void wt_words_fault(const struct wt_words *w, const struct wt_fault *f)
{
    struct wt_fault_report report = report_of(w);
    report.files = w->report_files;
    wt_report_fault(w->out, &report, w->program->thread, f);
}

void wt_words_standing(const struct wt_words *w, const char *before)
{
    const struct wt_fault_report report = report_of(w);
    wt_report_standing(w->out, &report, w->program->thread, before);
}

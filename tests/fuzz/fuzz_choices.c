/*
 * Fuzz target: files of choices. What is accepted is in order and reads the same after it was
 * printed; any list can be followed, whatever waves are ready.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printed(const struct wt_choices *choices)
{
    struct wt_choices again = {0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert(out);
    wt_choices_print(choices, out);
    fclose(out);
    assert(wt_choices_parse(&again, "printed", text, WT_IGNORED) == WT_OK);
    assert(again.count == choices->count);
    for (size_t i = 0; i < again.count; i++)
        assert(again.at[i].time == choices->at[i].time && again.at[i].wave == choices->at[i].wave);
    wt_choices_free(&again);
    free(text);
}

/* Follows a list from each of its times, with waves that the input makes ready. */
static void follow(const struct wt_choices *choices, const uint8_t *data, size_t size)
{
    enum { WAVES = 70 };
    const struct wt_schedule schedule = {.kind = WT_SCHEDULE_FILE, .turn = 1, .choices = choices};
    struct wt_turns turns;
    assert(wt_turns_init(&turns, &schedule, WAVES));
    for (size_t i = 0; i < choices->count && i < 100; i++) {
        const uint64_t time = choices->at[i].time;
        const uint32_t wave = data[i % size] % WAVES;
        wt_turns_set_ready(&turns, wave, !wt_turns_is_ready(&turns, wave));
        turns.left = 0;
        if (!wt_turns_next(&turns, time))
            continue;
        const bool can =
            choices->at[i].wave < WAVES && wt_turns_is_ready(&turns, choices->at[i].wave);
        assert(turns.left > 0 && wt_turns_is_ready(&turns, turns.current));
        assert(can ? turns.current == choices->at[i].wave : turns.missed);
        assert(i + 1 == choices->count || turns.left <= choices->at[i + 1].time - time);
        wt_turns_check(&turns);
    }
    wt_turns_free(&turns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_choices choices = {0};
    struct wt_error err;
    char *text = strndup((const char *)data, size);
    assert(text);
    const enum wt_status status = wt_choices_parse(&choices, "input", text, &err);
    if (status)
        assert(status == WT_INVALID && strncmp(err.text, "input:", 6) == 0);
    else {
        for (size_t i = 1; i < choices.count; i++)
            assert(choices.at[i].time > choices.at[i - 1].time);
        check_printed(&choices);
        follow(&choices, data, size);
    }
    wt_choices_free(&choices);
    free(text);
    return 0;
}

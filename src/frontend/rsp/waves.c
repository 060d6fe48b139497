/*
 * Our own documents for clients that know waves (docs/rsp.md, "Bulk data"): the state of all waves,
 * and the values of one expression in all lanes of a wave. Each is one document where the
 * protocol's own packets would need a request for each thread.
 */
#include "frontend/rsp/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/wave_name.h"
#include "frontend/rsp/hex.h"

#define MOST_BYTES 0x1000u /* most bytes of a lane's value */

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

/* Many JSON readers represent numbers exactly only up to 2^53: sets of lanes are strings of hex
 * digits. */
static void put_lanes(FILE *out, wt_lanes lanes)
{
    if (lanes >> 64)
        fprintf(out, "\"%" PRIx64 "%016" PRIx64 "\"", (uint64_t)(lanes >> 64), (uint64_t)lanes);
    else
        fprintf(out, "\"%" PRIx64 "\"", (uint64_t)lanes);
}

static void put_detail(FILE *out, const struct wt_wave_detail *detail)
{
    const struct wt_wave_view *view = &detail->view;
    if (view->waiting) {
        fputs(",\"wait\":", out);
        put_string(out, view->wait);
        fprintf(out, ",\"wait_pc\":%" PRIu64, view->wait_pc);
    }
    if (view->at_barrier)
        fprintf(out, ",\"barrier\":{\"id\":%u,\"cores\":%s,\"arrived\":%u,\"expected\":%u}",
                view->barrier, view->between_cores ? "true" : "false", view->arrived,
                view->expected);
    if (!detail->waiter_count)
        return;
    fputs(",\"waiters\":[", out);
    for (unsigned i = 0; i < detail->waiter_count; i++) {
        fputs(i ? ",[" : "[", out);
        put_lanes(out, detail->waiter[i].lanes);
        fprintf(out, ",%" PRIu64 "]", detail->waiter[i].pc);
    }
    fputc(']', out);
}

/* Clients identify waves by their slots. */
static uint64_t number_of(const struct wt_rsp_session *s, const struct wt_wave *wave)
{
    return (uint64_t)wave->core * s->topology->waves_per_core + wave->slot;
}

static wt_wave_id wave_of(struct wt_rsp_session *s, uint64_t number)
{
    const unsigned per_core = s->topology->waves_per_core;
    return number / per_core < s->topology->cores
               ? wt_debugger_wave_in(s->debugger, (unsigned)(number / per_core),
                                     (unsigned)(number % per_core))
               : WT_NO_WAVE;
}

static void put_wave(const struct wt_rsp_session *s, FILE *out, const struct wt_wave_info *info,
                     bool first)
{
    char name[WT_WAVE_NAME];
    wt_debugger_name_wave(s->debugger, &info->wave, name, sizeof name);
    fprintf(out, "%s{\"wave\":%" PRIu64 ",\"name\":\"%s\"", first ? "" : ",\n",
            number_of(s, &info->wave), name);
    if (info->running) {
        fputs(",\"running\":true", out);
    } else {
        fprintf(out, ",\"pc\":%" PRIu64 ",\"mask\":", info->pc);
        put_lanes(out, info->mask);
        if (info->has_wait)
            put_detail(out, &info->detail);
        if (!info->has_detail)
            fputs(",\"detail\":false", out);
    }
    fputc('}', out);
}

static enum wt_status put_one(struct wt_rsp_session *s, FILE *out, uint64_t number,
                              struct wt_error *err)
{
    struct wt_wave_info info;
    const wt_wave_id wave = wave_of(s, number);
    enum wt_status status =
        wave != WT_NO_WAVE ? wt_debugger_wave(s->debugger, wave, &info, err) : WT_OK;
    if (wave != WT_NO_WAVE && !status)
        put_wave(s, out, &info, true);
    return status;
}

static enum wt_status put_all(struct wt_rsp_session *s, FILE *out, struct wt_error *err)
{
    struct wt_work work;
    enum wt_status status = wt_debugger_work(s->debugger, &work, err);
    for (size_t i = 0; i < work.wave_count && !status; i++)
        put_wave(s, out, &work.wave[i], i == 0);
    wt_work_free(&work);
    return status;
}

static void put_device(struct wt_rsp_session *s, FILE *out)
{
    const struct wt_topology *t = s->topology;
    const struct wt_target *target = wt_debugger_target(s->debugger);
    fputs("{\"family\":", out);
    put_string(out, t->family);
    fputs(",\"wave_word\":", out);
    put_string(out, t->wave_word);
    fputs(",\"lane_word\":", out);
    put_string(out, t->lane_word);
    fprintf(out,
            ",\"cores\":%u,\"waves_per_core\":%u,\"lanes\":%u,\"address_bits\":%u"
            ",\"threads\":\"%s\",\"chosen_lane\":%u",
            t->cores, t->waves_per_core, t->lanes, t->address_bits,
            wt_debugger_thread_mode(s->debugger) == WT_THREADS_LANES ? "lanes" : "waves",
            wt_debugger_chosen_lane(s->debugger));
    if (target && target->services && target->services->time)
        fprintf(out, ",\"time\":%" PRIu64, target->services->time(target->context));
    fprintf(out, ",\"ended\":%s",
            s->killed || wt_debugger_ended(s->debugger, NULL) ? "true" : "false");
}

char *wt_rsp_waves_json(struct wt_rsp_session *s, const char *annex, size_t annex_length,
                        size_t *length, struct wt_error *err)
{
    const char *at = annex, *end = annex + annex_length;
    const uint64_t slots = (uint64_t)s->topology->cores * s->topology->waves_per_core;
    const bool none = annex_length == 1 && *annex == '-', one = annex_length && !none;
    uint64_t number = 0;
    if (one && (!wt_rsp_parse_number(&at, end, &number) || at != end || number >= slots)) {
        wt_fail(err, WT_INVALID, "there is no %s '%.*s': they go from 0 to %" PRIx64,
                s->topology->wave_word, annex_length < 32 ? (int)annex_length : 32, annex,
                slots - 1);
        return NULL;
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) {
        wt_fail(err, WT_NO_MEMORY, "out of memory");
        return NULL;
    }
    put_device(s, out);
    fputs(",\"waves\":[\n", out);
    enum wt_status status = none || s->killed ? WT_OK
                            : one             ? put_one(s, out, number, err)
                                              : put_all(s, out, err);
    fputs("]}\n", out);
    if (fclose(out) && !status)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory");
    if (!status)
        return text;
    free(text);
    return NULL;
}

/* ---- one expression, all lanes ---- */

static bool parse_lanes(const struct wt_rsp_arg *arg, wt_lanes *lanes)
{
    *lanes = 0;
    for (size_t i = 0; i < arg->length; i++) {
        int digit = wt_hex_value[(unsigned char)arg->text[i]];
        if (digit < 0 || *lanes >> 124)
            return false;
        *lanes = *lanes << 4 | (unsigned)digit;
    }
    return arg->length != 0;
}

static void put_hex(FILE *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void put_values(FILE *out, const struct wt_lane_value *value, size_t count,
                       const uint8_t *bytes, size_t size)
{
    fputs("{\"values\":[", out);
    for (size_t i = 0; i < count; i++, value++) {
        if (i)
            fputc(',', out);
        if (!value->known) {
            fputs("null", out);
        } else if (size && !value->read) {
            fprintf(out, "%" PRIu64, value->value);
        } else {
            uint8_t number[8];
            wt_store_le(number, value->value, sizeof number);
            fputc('"', out);
            put_hex(out, size ? bytes + i * size : number, size ? size : sizeof number);
            fputc('"', out);
        }
    }
    fputs("]}\n", out);
}

/* The wave that has this number for clients; it must be active. */
static enum wt_status find_wave(struct wt_rsp_session *s, uint64_t number, wt_wave_id *wave,
                                struct wt_error *err)
{
    const struct wt_topology *t = s->topology;
    const uint64_t slots = (uint64_t)t->cores * t->waves_per_core;
    if (number >= slots)
        return wt_fail(err, WT_INVALID, "there is no %s %" PRIu64 ": they go from 0 to %" PRIu64,
                       t->wave_word, number, slots - 1);
    *wave = wave_of(s, number);
    if (*wave == WT_NO_WAVE)
        return wt_fail(err, WT_INVALID, "%s %" PRIu64 " of core %" PRIu64 " is not active",
                       t->wave_word, number % t->waves_per_core, number / t->waves_per_core);
    return WT_OK;
}

char *wt_rsp_lanes_json(struct wt_rsp_session *s, const char *annex, size_t annex_length,
                        size_t *length, struct wt_error *err)
{
    struct wt_rsp_args args;
    wt_lanes lanes;
    if (!wt_rsp_parse("%x,%s,%x,%s", annex, annex_length, &args) ||
        !parse_lanes(&args.arg[1], &lanes) || args.arg[3].length % 2 ||
        args.arg[0].number > UINT32_MAX) {
        wt_fail(err, WT_INVALID, "the annex must be WAVE,LANES,SIZE,BYTECODE in hex digits");
        return NULL;
    }
    if (args.arg[2].number > MOST_BYTES) {
        wt_fail(err, WT_INVALID, "a value has at most %u bytes", MOST_BYTES);
        return NULL;
    }
    wt_wave_id wave = WT_NO_WAVE;
    const size_t size = (size_t)args.arg[2].number, code_length = args.arg[3].length / 2;
    const size_t count = wt_lanes_count(lanes);
    struct wt_lane_value *value = calloc(count + 1, sizeof *value);
    uint8_t *bytes = calloc(count * size + 1, 1), *code = malloc(code_length + 1);
    struct wt_expr *expr = NULL;
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    enum wt_status status = WT_OK;
    int missing = -1;
    if (!value || !bytes || !code || !out)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory");
    else if (!code_length || wt_hex_decode(code, args.arg[3].text, code_length) != code_length)
        status = wt_fail(err, WT_INVALID, "the bytecode must be hex digits");
    else
        status = wt_rsp_compile(s, code, code_length, &expr, &missing, err);
    if (!status && missing >= 0)
        status = wt_fail(err, WT_INVALID, "the expression names register %d, which is not there",
                         missing);
    if (!status)
        status = find_wave(s, args.arg[0].number, &wave, err);
    if (!status)
        status = wt_debugger_evaluate(s->debugger, wave, lanes, expr, size, value, bytes, err);
    if (!status)
        put_values(out, value, count, bytes, size);
    if (out && fclose(out) && !status)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory");
    free(value);
    free(bytes);
    free(code);
    wt_expr_free(expr);
    if (!status)
        return text;
    free(text);
    return NULL;
}

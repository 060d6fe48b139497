/* JSON as the requests and answers have it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/dap/json.h"

void dap_put_text(struct json_object *o, const char *name, const char *text)
{
    char *clean = text ? wt_text_utf8(text) : NULL;
    if (clean)
        json_object_object_add(o, name, json_object_new_string(clean));
    free(clean);
}

void dap_put_number(struct json_object *o, const char *name, int64_t number)
{
    json_object_object_add(o, name, json_object_new_int64(number));
}

void dap_put_flag(struct json_object *o, const char *name, bool flag)
{
    json_object_object_add(o, name, json_object_new_boolean(flag));
}

void dap_put_address(struct json_object *o, const char *name, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    dap_put_text(o, name, text);
}

struct json_object *dap_put_list(struct json_object *o, const char *name)
{
    struct json_object *list = json_object_new_array();
    json_object_object_add(o, name, list);
    return list;
}

struct json_object *dap_put_object(struct json_object *o, const char *name)
{
    struct json_object *member = json_object_new_object();
    json_object_object_add(o, name, member);
    return member;
}

struct json_object *dap_add_object(struct json_object *list)
{
    struct json_object *o = json_object_new_object();
    json_object_array_add(list, o);
    return o;
}

static struct json_object *member(struct json_object *o, const char *name, enum json_type type)
{
    struct json_object *value;
    return o && json_object_is_type(o, json_type_object) &&
                   json_object_object_get_ex(o, name, &value) && json_object_is_type(value, type)
               ? value
               : NULL;
}

const char *dap_text(struct json_object *o, const char *name)
{
    struct json_object *value = member(o, name, json_type_string);
    /* A zero within it would be its end in every function of C. */
    return value && strlen(json_object_get_string(value)) ==
                        (size_t)json_object_get_string_len(value)
               ? json_object_get_string(value)
               : NULL;
}

bool dap_number(struct json_object *o, const char *name, int64_t *number)
{
    struct json_object *value = member(o, name, json_type_int);
    if (value)
        *number = json_object_get_int64(value);
    return value;
}

bool dap_flag(struct json_object *o, const char *name)
{
    struct json_object *value = member(o, name, json_type_boolean);
    return value && json_object_get_boolean(value);
}

struct json_object *dap_list(struct json_object *o, const char *name)
{
    return member(o, name, json_type_array);
}

struct json_object *dap_object(struct json_object *o, const char *name)
{
    return member(o, name, json_type_object);
}

enum wt_status dap_need_text(struct json_object *o, const char *name, const char **text,
                             struct wt_error *err)
{
    *text = dap_text(o, name);
    return *text ? WT_OK : wt_fail(err, WT_INVALID, "the request needs \"%s\", a text", name);
}

enum wt_status dap_need_number(struct json_object *o, const char *name, int64_t *number,
                               struct wt_error *err)
{
    return dap_number(o, name, number) && *number >= 0
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the request needs \"%s\", a number of 0 or more", name);
}

enum wt_status dap_need_list(struct json_object *o, const char *name, struct json_object **list,
                             struct wt_error *err)
{
    *list = dap_list(o, name);
    return *list ? WT_OK : wt_fail(err, WT_INVALID, "the request needs \"%s\", a list", name);
}

bool dap_assigns(const char *text)
{
    for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
        if (at[1] == '=') {
            at++;
            continue;
        }
        if (at == text || !strchr("=!<>", at[-1]) ||
            (at - 1 > text && (at[-1] == '<' || at[-1] == '>') && at[-2] == at[-1]))
            return true;
    }
    return strstr(text, "++") || strstr(text, "--");
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *dap_base64(const uint8_t *bytes, size_t size)
{
    char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
    }
    if (text)
        *to = 0;
    return text;
}

enum wt_status dap_from_base64(const char *text, uint8_t **bytes, size_t *size,
                               struct wt_error *err)
{
    const size_t length = strlen(text);
    const size_t padding =
        length && text[length - 1] == '=' ? 1 + (length > 1 && text[length - 2] == '=') : 0;
    uint32_t four = 0;
    *size = 0;
    *bytes = malloc(length + 1);
    if (!*bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    bool good = length % 4 == 0;
    for (size_t i = 0; i < length && good; i++) {
        const char *digit = i < length - padding ? strchr(digits, text[i]) : digits;
        good = digit && (text[i] || !digit);
        four = four << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        for (unsigned k = 0; k < 3 && i % 4 == 3; k++)
            (*bytes)[(*size)++] = (uint8_t)(four >> (16 - 8 * k));
    }
    if (good) {
        *size -= padding;
        return WT_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return wt_fail(err, WT_INVALID, "\"data\" is not base64");
}

char *dap_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    return length < 0 ? NULL : text;
}

/* See config.h. */
#include "emulator/machine/config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void wt_config_help(const struct wt_config *table, FILE *out)
{
    for (unsigned i = 0; i < table->count; i++)
        fprintf(out, "  %-12s %s\n", table->keys[i].name, table->keys[i].about);
}

/* The value of a key; "": none is printed. */
static void print_value(const struct wt_config_key *key, const void *config, char *text,
                        size_t size)
{
    const void *member = (const char *)config + key->offset;
    const uint64_t number = key->kind == WT_CONFIG_ADDRESS  ? *(const uint64_t *)member
                            : key->kind == WT_CONFIG_NUMBER ? *(const unsigned *)member
                            : key->kind == WT_CONFIG_WORD   ? *(const bool *)member
                                                            : 1;
    *text = 0;
    if (key->rare && !number)
        return;
    if (key->print)
        key->print(config, text, size);
    else if (key->kind == WT_CONFIG_WORD)
        snprintf(text, size, "%s", key->words[number]);
    else
        snprintf(text, size, key->kind == WT_CONFIG_ADDRESS ? "0x%" PRIx64 : "%" PRIu64, number);
}

void wt_config_print(const struct wt_config *table, const void *config, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned i = 0; i < table->count && used < size; i++) {
        char value[64];
        print_value(&table->keys[i], config, value, sizeof value);
        if (*value)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? "," : "",
                                     table->keys[i].name, value);
    }
    assert(used < size);
}

static enum wt_status take(const struct wt_config_key *key, void *config, const char *value,
                           struct wt_error *err)
{
    void *member = (char *)config + key->offset;
    if (key->kind == WT_CONFIG_OWN)
        return key->take(config, value, err) ? wt_fail_in(err, "%s=%s", key->name, value) : WT_OK;
    if (key->kind == WT_CONFIG_WORD) {
        const bool is = strcmp(value, key->words[1]) == 0;
        if (!is && strcmp(value, key->words[0]) != 0)
            return wt_fail(err, WT_INVALID, "%s=%s: must be %s or %s", key->name, value,
                           key->words[0], key->words[1]);
        *(bool *)member = is;
        return WT_OK;
    }
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end || errno || *value == '-' || number < key->least || number > key->most)
        return wt_fail(err, WT_INVALID, "%s=%s: must be %llu to %llu", key->name, value,
                       (unsigned long long)key->least, (unsigned long long)key->most);
    if (key->kind == WT_CONFIG_NUMBER)
        *(unsigned *)member = (unsigned)number;
    else
        *(uint64_t *)member = number;
    if (key->given)
        *((bool *)config + key->given) = true;
    return WT_OK;
}

/* "KEY=VALUE" */
static enum wt_status take_item(const struct wt_config *table, void *config, char *item,
                                struct wt_error *err)
{
    char *value = strchr(item, '=');
    for (unsigned i = 0; value && i < table->count; i++) {
        const size_t length = strlen(table->keys[i].name);
        if ((size_t)(value - item) == length && memcmp(item, table->keys[i].name, length) == 0)
            return take(&table->keys[i], config, value + 1, err);
    }
    return value ? wt_fail(err, WT_INVALID, "%s has no '%s' (--gpu help lists what it has)",
                           table->gpu, item)
                 : wt_fail(err, WT_INVALID, "'%s' is not of the form key=value", item);
}

enum wt_status wt_config_parse(const struct wt_config *table, void *config, const char *text,
                               struct wt_error *err)
{
    assert(config && text && err);
    enum wt_status status = WT_OK;
    void *changed = malloc(table->size);
    if (!changed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    memcpy(changed, config, table->size);
    while (*text && !status) {
        char item[128];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item) {
            status = wt_fail(err, WT_INVALID, "'%.40s…' is too long", text);
            break;
        }
        memcpy(item, text, length);
        item[length] = 0;
        text += length + (text[length] == ',');
        status = take_item(table, changed, item, err);
    }
    if (!status && table->check)
        status = table->check(changed, err);
    if (!status)
        memcpy(config, changed, table->size);
    free(changed);
    return status;
}

/* Members of JSON objects, as the servers of protocols write and read them. */
#ifndef WT_FRONTEND_DAP_JSON_H
#define WT_FRONTEND_DAP_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Adds a text; bytes that are no UTF-8 become U+FFFD. NULL adds nothing. */
void dap_put_text(struct json_object *o, const char *name, const char *text);
/** Adds a number. */
void dap_put_number(struct json_object *o, const char *name, int64_t number);
/** Adds true or false. */
void dap_put_flag(struct json_object *o, const char *name, bool flag);
/** Adds an address as a text, "0x80000000". */
void dap_put_address(struct json_object *o, const char *name, uint64_t address);
/** Adds an empty list, or object, and returns it. */
struct json_object *dap_put_list(struct json_object *o, const char *name);
/** … likewise. */
struct json_object *dap_put_object(struct json_object *o, const char *name);
/** Adds an empty object to a list, and returns it. */
struct json_object *dap_add_object(struct json_object *list);
/** A text of @p o; NULL: there is none. */
const char *dap_text(struct json_object *o, const char *name);
/** A number of @p o; false: there is none. */
bool dap_number(struct json_object *o, const char *name, int64_t *number);
/** Whether @p o says true. */
bool dap_flag(struct json_object *o, const char *name);
/** A member of @p o that is a list, or an object; NULL: there is none. */
struct json_object *dap_list(struct json_object *o, const char *name);
/** … likewise. */
struct json_object *dap_object(struct json_object *o, const char *name);
/** Likewise; WT_INVALID where it is missing or has another type. */
enum wt_status dap_need_text(struct json_object *o, const char *name, const char **text,
                             struct wt_error *err);
/** … likewise, and not negative. */
enum wt_status dap_need_number(struct json_object *o, const char *name, int64_t *number,
                               struct wt_error *err);
/** … likewise. */
enum wt_status dap_need_list(struct json_object *o, const char *name, struct json_object **list,
                             struct wt_error *err);
/** Bytes as base64; the caller frees it. NULL without host memory. */
char *dap_base64(const uint8_t *bytes, size_t size);
/** The bytes of base64, which the caller frees. WT_INVALID. */
enum wt_status dap_from_base64(const char *text, uint8_t **bytes, size_t *size,
                               struct wt_error *err);
/** A text as printf makes it, on the heap; NULL without host memory. */
char *dap_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Whether an expression assigns: what only shows its value must not. */
bool dap_assigns(const char *text);

#endif

/* Asking a host process for a core file, which it writes itself (object/core_wire.h). */
#ifndef WT_DEBUG_PROCESS_CORE_REQUEST_H
#define WT_DEBUG_PROCESS_CORE_REQUEST_H

#include "debug/core/target.h"
#include "object/core_wire.h"

/**
 * Sends @p size bytes with the family's request for a core file. *result is the process's answer:
 * negative if it has refused, and @p why the sentence that followed, of @p room bytes at most.
 */
typedef enum wt_status wt_core_ask_fn(void *context, const void *bytes, uint32_t size,
                                      int32_t *result, char *why, size_t room,
                                      struct wt_error *err);

/**
 * Asks for what @p request says, as a target's save_core_file; @p wave is the selected wave's
 * number on its GPU. The file's path is made absolute: the process may have another working
 * directory.
 */
enum wt_status wt_core_request(const struct wt_core_file_request *request, uint32_t wave,
                               size_t most, wt_core_ask_fn *ask, void *context,
                               struct wt_error *err);

#endif

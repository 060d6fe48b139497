/*
 * A stand-in for NVIDIA's nvlink, for clang: puts the texts of several objects into one, each with
 * names of its own. They are linked when they are loaded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cudapath/tool.h"

/* LLVM 19's device runtime declares these two and has them nowhere: `omp critical` needs them. */
static const char locks[] =
    ".version 6.3\n.target sm_50\n.address_size 64\n"
    ".weak .func _ZN4impl15setCriticalLockEP10omp_lock_t(.param .b64 lock)\n{\n"
    "  .reg .b64 %a; .reg .b32 %r; .reg .pred %q;\n  ld.param.u64 %a, [lock];\n"
    "AGAIN:\n  atom.cas.b32 %r, [%a], 0, 1;\n  setp.ne.u32 %q, %r, 0;\n  @%q bra AGAIN;\n"
    "  ret;\n}\n"
    ".weak .func _ZN4impl17unsetCriticalLockEP10omp_lock_t(.param .b64 lock)\n{\n"
    "  .reg .b64 %a; .reg .b32 %r;\n  ld.param.u64 %a, [lock];\n"
    "  atom.exch.b32 %r, [%a], 0;\n  ret;\n}\n";

int main(int argc, char **argv)
{
    struct tool tool = {.name = "nvlink", .capability = 50};
    struct wt_error err;
    enum wt_status status = WT_OK;
    bool critical = false;
    uint8_t *bytes;
    size_t length;
    for (int i = 1, words; i < argc && !status; i += words ? words : 1) {
        if ((words = tool_option(&tool, argv + i)))
            continue;
        if ((status = wt_file_read(argv[i], &bytes, &length, &err)) != WT_OK)
            break;
        status = ptx_object_each(bytes, length, tool_add, &tool, &err);
        free(bytes);
    }
    for (size_t i = 0; i < tool.count; i++)
        critical |= strstr(tool.text[i].text, "CriticalLockEP10omp_lock_t") != NULL;
    if (!status && critical)
        status = tool_add(&tool, "locks", locks, sizeof locks - 1, &err);
    if (!status)
        status = tool_write(&tool, true, &err);
    return tool_end(&tool, status, &err);
}

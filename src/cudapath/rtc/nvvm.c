/*
 * libNVVM: NVVM IR to PTX, by LLVM's tools. A drop-in for NVIDIA's where that is not installed.
 * Modules are bitcode or text; the newest LLVM reads text whose pointers have no types, LLVM 14, if
 * it is installed, older text: it is the last one that does. The modules are linked, instructions
 * that LLVM does not have any more are replaced, and LLVM compiles the whole.
 */
#include "cudapath/rtc/nvvm.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/llvm.h"
#include "cudapath/rtc/compiler.h"

struct nvvm_module {
    char *bytes;
    size_t size;
    bool lazy; /* only what others use of it is taken */
};

struct nvvm_program {
    struct nvvm_module *module;
    size_t modules, module_room;
    char *ptx; /* NULL: not compiled */
    size_t ptx_length;
    unsigned llvm; /* the version of the tools */
    struct wt_buffer log;
};

static void say(nvvmProgram p, const char *text)
{
    wt_buffer_append(&p->log, text, strlen(text));
}

/* ---- options ---- */

struct nvvm_wishes {
    unsigned arch;
    char feature; /* 'a'; 0: none */
    bool plain;   /* -opt=0 */
    bool ftz, precise_sqrt, precise_div, fma;
};

static bool take_option(struct nvvm_wishes *w, const char *option)
{
    const struct {
        const char *name;
        bool *wish;
    } switches[] = {{"-ftz=", &w->ftz},
                    {"-prec-sqrt=", &w->precise_sqrt},
                    {"-prec-div=", &w->precise_div},
                    {"-fma=", &w->fma}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const size_t length = strlen(switches[i].name);
        if (strncmp(option, switches[i].name, length) == 0) {
            *switches[i].wish = option[length] == '1';
            return (option[length] == '0' || option[length] == '1') && !option[length + 1];
        }
    }
    if (strncmp(option, "-arch=compute_", 14) == 0)
        return compiler_arch(option + 14, 0, &w->arch, &w->feature);
    if (strncmp(option, "-opt=", 5) == 0) {
        w->plain = option[5] == '0';
        return option[5] >= '0' && option[5] <= '3' && !option[6];
    }
    /* The lines of the IR go to the PTX in any case. */
    return strcmp(option, "-g") == 0 || strcmp(option, "-generate-line-info") == 0;
}

static nvvmResult take_options(nvvmProgram p, struct nvvm_wishes *w, int count,
                               const char **options)
{
    if (!p->modules)
        return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    if (count < 0 || (count && !options))
        return NVVM_ERROR_INVALID_INPUT;
    for (int i = 0; i < count; i++) {
        char text[300];
        if (options[i] && take_option(w, options[i]))
            continue;
        snprintf(text, sizeof text, "libnvvm : error: %.200s is an unsupported option",
                 options[i] ? options[i] : "");
        say(p, text);
        return NVVM_ERROR_INVALID_OPTION;
    }
    return NVVM_SUCCESS;
}

/* ---- the text of the linked module ---- */

/*
 * Instructions of NVVM IR that LLVM never had or has dropped: how LLVM's are put together to the
 * same. Names with a dot cannot be defined under "llvm.": the text calls them by another one.
 */
static const struct {
    const char *name, *definition;
} replaced[] = {
    {"llvm.nvvm.shfl.sync.i32",
     "define internal {i32, i1} @wavetrap.shfl.sync.i32(i32 %mask, i32 %mode, i32 %value, i32 "
     "%lane, "
     "i32 %clamp) alwaysinline convergent {\n"
     "  switch i32 %mode, label %idx [i32 1, label %up i32 2, label %down i32 3, label %bfly]\n"
     "idx:\n  %a = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %value, i32 %lane, "
     "i32 %clamp)\n  ret {i32, i1} %a\n"
     "up:\n  %b = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 %mask, i32 %value, i32 %lane, "
     "i32 "
     "%clamp)\n  ret {i32, i1} %b\n"
     "down:\n  %c = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 %mask, i32 %value, i32 "
     "%lane, "
     "i32 %clamp)\n  ret {i32, i1} %c\n"
     "bfly:\n  %d = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 %mask, i32 %value, i32 "
     "%lane, "
     "i32 %clamp)\n  ret {i32, i1} %d\n}\n"
     "declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)\n"
     "declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)\n"
     "declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)\n"
     "declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)\n"},
    {"llvm.nvvm.vote.sync",
     "define internal {i32, i1} @wavetrap.vote.sync(i32 %mask, i32 %mode, i1 %value) alwaysinline "
     "convergent {\n"
     "  switch i32 %mode, label %ballot [i32 0, label %all i32 1, label %any i32 2, label %uni]\n"
     "all:\n  %a = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %value)\n  br label %bit\n"
     "any:\n  %b = call i1 @llvm.nvvm.vote.any.sync(i32 %mask, i1 %value)\n  br label %bit\n"
     "uni:\n  %c = call i1 @llvm.nvvm.vote.uni.sync(i32 %mask, i1 %value)\n  br label %bit\n"
     "bit:\n  %d = phi i1 [%a, %all], [%b, %any], [%c, %uni]\n"
     "  %e = insertvalue {i32, i1} zeroinitializer, i1 %d, 1\n  ret {i32, i1} %e\n"
     "ballot:\n  %f = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %value)\n"
     "  %g = insertvalue {i32, i1} zeroinitializer, i32 %f, 0\n  ret {i32, i1} %g\n}\n"
     "declare i1 @llvm.nvvm.vote.all.sync(i32, i1)\ndeclare i1 @llvm.nvvm.vote.any.sync(i32, i1)\n"
     "declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)\n"
     "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"},
    {"llvm.nvvm.match.all.sync.i32",
     "define internal {i32, i1} @wavetrap.match.all.sync.i32(i32 %mask, i32 %value) alwaysinline "
     "convergent {\n"
     "  %a = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %value)\n"
     "  ret {i32, i1} %a\n}\n"
     "declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)\n"},
    {"llvm.nvvm.match.all.sync.i64",
     "define internal {i32, i1} @wavetrap.match.all.sync.i64(i32 %mask, i64 %value) alwaysinline "
     "convergent {\n"
     "  %a = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 %mask, i64 %value)\n"
     "  ret {i32, i1} %a\n}\n"
     "declare {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32, i64)\n"},
};
enum { REPLACED = sizeof replaced / sizeof replaced[0] };

/* Behind a name: whether it ends here, and is not the beginning of a longer one. */
static bool ends(char after)
{
    return !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$", after) ||
           !after;
}

/* The place of a replaced instruction's name in a line; NULL: none. */
static const char *find_replaced(const char *line, size_t length, size_t *which)
{
    for (size_t i = 0; i < REPLACED; i++) {
        const size_t name = strlen(replaced[i].name);
        for (const char *at = line;
             (at = memmem(at, length - (size_t)(at - line), replaced[i].name, name)); at++)
            if (ends(at[name])) {
                *which = i;
                return at;
            }
    }
    return NULL;
}

/* Appends a line of the text. Instructions that LLVM does not have get their other name. Inline
 * assembly becomes convergent: its result may depend on the active lanes. */
static void mend_line(struct wt_buffer *out, const char *line, size_t length, bool *used)
{
    size_t which;
    const char *old = find_replaced(line, length, &which);
    if (old && length > 8 && strncmp(line, "declare ", 8) == 0)
        return; /* it is defined */
    if (old) {
        static const char prefix[] = "wavetrap";
        used[which] = true;
        wt_buffer_append(out, line, (size_t)(old - line));
        wt_buffer_append(out, prefix, strlen(prefix));
        old += strlen("llvm.nvvm");
        wt_buffer_append(out, old, length - (size_t)(old - line));
    } else if (memmem(line, length, "call ", 5) && memmem(line, length, " asm ", 5)) {
        /* "… asm sideeffect "…", "…"(i32 %x) #3, !dbg !7": behind the arguments */
        const char *end = line + length, *close = end;
        while (close > line && close[-1] != ')')
            close--;
        wt_buffer_append(out, line, (size_t)(close - line));
        wt_buffer_append(out, " convergent", 11);
        wt_buffer_append(out, close, (size_t)(end - close));
    } else {
        wt_buffer_append(out, line, length);
    }
    wt_buffer_append(out, "\n", 1);
}

static void mend(struct wt_buffer *out, const char *text)
{
    bool used[REPLACED] = {false};
    while (*text) {
        const size_t length = strcspn(text, "\n");
        mend_line(out, text, length, used);
        text += length + (text[length] != 0);
    }
    for (size_t i = 0; i < REPLACED; i++)
        if (used[i])
            wt_buffer_append(out, replaced[i].definition, strlen(replaced[i].definition));
}

/* ---- the steps ---- */

/* Runs a command of words with a blank between them; what it says goes to the log if it fails. */
static bool run(nvvmProgram p, const char *folder, const char *words, bool quiet)
{
    struct compiler_command command = {.count = 0};
    char *said = NULL, *text = malloc(2 * strlen(words) + 1);
    if (!text)
        return false;
    wt_llvm_text(text, 2 * strlen(words) + 1, words, p->llvm);
    compiler_add_words(&command, text);
    free(text);
    const bool good = compiler_run(&command, folder, &said) == 0;
    if (!good && !quiet && said)
        say(p, said);
    free(said);
    compiler_free(&command);
    return good;
}

static bool is_bitcode(const struct nvvm_module *m)
{
    return m->size > 4 &&
           (memcmp(m->bytes, "BC\xc0\xde", 4) == 0 || memcmp(m->bytes, "\xde\xc0\x17\x0b", 4) == 0);
}

/* Writes a module as bitcode, "m3.bc". */
static nvvmResult prepare(nvvmProgram p, const char *folder, size_t n)
{
    const struct nvvm_module *m = &p->module[n];
    char name[32], words[100];
    snprintf(name, sizeof name, is_bitcode(m) ? "m%zu.bc" : "m%zu.ll", n);
    if (!compiler_write(folder, name, m->bytes, m->size))
        return NVVM_ERROR_OUT_OF_MEMORY;
    if (is_bitcode(m))
        return NVVM_SUCCESS;
    snprintf(words, sizeof words, "llvm-as-# m%zu.ll -o m%zu.bc", n, n);
    if (run(p, folder, words, true))
        return NVVM_SUCCESS;
    snprintf(words, sizeof words, "llvm-as-14 m%zu.ll -o m%zu.bc", n, n);
    if (run(p, folder, words, false))
        return NVVM_SUCCESS;
    say(p, "libnvvm : note: text whose pointers have types is read by llvm-as-14 (Debian's "
           "llvm-14)\n");
    return NVVM_ERROR_INVALID_IR;
}

static bool link_modules(nvvmProgram p, const char *folder)
{
    struct wt_buffer words = {0};
    char name[64];
    wt_buffer_append(&words, "llvm-link-# -o all.bc", 21);
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t i = 0; i < p->modules; i++) {
            if (p->module[i].lazy != (lazy == 1))
                continue;
            snprintf(name, sizeof name, "%s m%zu.bc", lazy ? " --only-needed --internalize" : "",
                     i);
            wt_buffer_append(&words, name, strlen(name));
        }
    wt_buffer_append(&words, "", 1);
    const bool good = !words.failed && run(p, folder, (const char *)words.bytes, false);
    free(words.bytes);
    return good;
}

static nvvmResult mend_text(nvvmProgram p, const char *folder)
{
    struct wt_buffer out = {0};
    size_t length;
    char *text = run(p, folder, "llvm-dis-# all.bc -o all.ll", false)
                     ? compiler_read(folder, "all.ll", &length)
                     : NULL;
    nvvmResult result = text ? NVVM_SUCCESS : NVVM_ERROR_INVALID_IR;
    if (text) {
        mend(&out, text);
        if (out.failed || !compiler_write(folder, "whole.ll", (const char *)out.bytes, out.length))
            result = NVVM_ERROR_OUT_OF_MEMORY;
    }
    free(text);
    free(out.bytes);
    return result;
}

/* Links the modules to "whole.ll". */
static nvvmResult link_all(nvvmProgram p, const char *folder)
{
    nvvmResult result = NVVM_SUCCESS;
    for (size_t i = 0; i < p->modules && !result; i++)
        result = prepare(p, folder, i);
    if (result || !link_modules(p, folder))
        return NVVM_ERROR_INVALID_IR;
    return mend_text(p, folder);
}

static nvvmResult compile(nvvmProgram p, const struct nvvm_wishes *w, const char *folder)
{
    char words[300];
    snprintf(words, sizeof words,
             "opt-# -O%u -mtriple=nvptx64-nvidia-cuda -mcpu=sm_%u whole.ll -o whole.bc",
             w->plain ? 0 : 3, w->arch);
    if (!run(p, folder, words, false))
        return NVVM_ERROR_COMPILATION;
    snprintf(words, sizeof words,
             "llc-# -O%u -mtriple=nvptx64-nvidia-cuda -mcpu=sm_%u%s whole.bc -o out.ptx "
             "--fp-contract=%s%s%s%s",
             w->plain ? 0 : 3, w->arch, w->feature ? "a" : "", w->fma ? "fast" : "off",
             w->ftz ? " --denormal-fp-math-f32=preserve-sign" : "",
             w->precise_div ? "" : " --nvptx-prec-divf32=0",
             w->precise_sqrt ? "" : " --nvptx-prec-sqrtf32=0");
    if (!run(p, folder, words, false))
        return NVVM_ERROR_COMPILATION;
    p->ptx = compiler_read(folder, "out.ptx", &p->ptx_length);
    return p->ptx ? NVVM_SUCCESS : NVVM_ERROR_COMPILATION;
}

static nvvmResult process(nvvmProgram p, int count, const char **options, bool whole)
{
    struct nvvm_wishes w = {.arch = 75, .precise_sqrt = true, .precise_div = true, .fma = true};
    char folder[PATH_MAX];
    if (!p)
        return NVVM_ERROR_INVALID_PROGRAM;
    p->log.length = 0;
    p->llvm = wt_llvm_newest("llvm-as-# llvm-link-# llvm-dis-# opt-# llc-#");
    p->llvm = p->llvm ? p->llvm : WT_LLVM_USUAL; /* whose absence is said */
    nvvmResult result = take_options(p, &w, count, options);
    if (result || !compiler_folder(folder))
        return result ? result : NVVM_ERROR_COMPILATION;
    result = link_all(p, folder);
    if (whole) {
        free(p->ptx);
        p->ptx = NULL;
        /* NVIDIA's library calls what is no IR a failed compilation here. */
        result = result == NVVM_ERROR_INVALID_IR ? NVVM_ERROR_COMPILATION
                 : result                        ? result
                                                 : compile(p, &w, folder);
    }
    compiler_remove(folder);
    return result;
}

nvvmResult nvvmCompileProgram(nvvmProgram p, int count, const char **options)
{
    return process(p, count, options, true);
}

nvvmResult nvvmVerifyProgram(nvvmProgram p, int count, const char **options)
{
    return process(p, count, options, false);
}

/* ---- programs ---- */

nvvmResult nvvmCreateProgram(nvvmProgram *program)
{
    if (!program)
        return NVVM_ERROR_INVALID_PROGRAM;
    *program = calloc(1, sizeof **program);
    return *program ? NVVM_SUCCESS : NVVM_ERROR_OUT_OF_MEMORY;
}

nvvmResult nvvmDestroyProgram(nvvmProgram *program)
{
    if (!program || !*program)
        return NVVM_ERROR_INVALID_PROGRAM;
    nvvmProgram p = *program;
    for (size_t i = 0; i < p->modules; i++)
        free(p->module[i].bytes);
    free(p->module);
    free(p->ptx);
    free(p->log.bytes);
    free(p);
    *program = NULL;
    return NVVM_SUCCESS;
}

static nvvmResult add(nvvmProgram p, const char *bytes, size_t size, bool lazy)
{
    if (!p)
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!bytes)
        return NVVM_ERROR_INVALID_INPUT;
    struct nvvm_module *grown =
        wt_array_grow(p->module, &p->module_room, p->modules + 1, sizeof *grown);
    if (!grown)
        return NVVM_ERROR_OUT_OF_MEMORY;
    p->module = grown;
    struct nvvm_module *m = &grown[p->modules];
    *m = (struct nvvm_module){malloc(size + 1), size, lazy};
    if (!m->bytes)
        return NVVM_ERROR_OUT_OF_MEMORY;
    memcpy(m->bytes, bytes, size);
    /* The size of a text may count the byte 0 behind it. */
    while (!is_bitcode(m) && m->size && !m->bytes[m->size - 1])
        m->size--;
    p->modules++;
    return NVVM_SUCCESS;
}

nvvmResult nvvmAddModuleToProgram(nvvmProgram p, const char *bytes, size_t size, const char *name)
{
    return add(p, bytes, size, false);
}

nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram p, const char *bytes, size_t size,
                                      const char *name)
{
    return add(p, bytes, size, true);
}

/* ---- results: sizes count the byte 0 behind a text ---- */

static nvvmResult give(nvvmProgram p, size_t *size, char *out, const void *text, size_t length)
{
    if (!p)
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!size && !out)
        return NVVM_ERROR_INVALID_INPUT;
    if (size)
        *size = length + 1;
    if (out && length)
        memcpy(out, text, length);
    if (out)
        out[length] = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetCompiledResultSize(nvvmProgram p, size_t *size)
{
    return give(p, size, NULL, NULL, p && p->ptx ? p->ptx_length : 0);
}

nvvmResult nvvmGetCompiledResult(nvvmProgram p, char *ptx)
{
    return give(p, NULL, ptx, p ? p->ptx : NULL, p && p->ptx ? p->ptx_length : 0);
}

nvvmResult nvvmGetProgramLogSize(nvvmProgram p, size_t *size)
{
    return give(p, size, NULL, NULL, p ? p->log.length : 0);
}

nvvmResult nvvmGetProgramLog(nvvmProgram p, char *log)
{
    return give(p, NULL, log, p ? p->log.bytes : NULL, p ? p->log.length : 0);
}

/* ---- about the library ---- */

nvvmResult nvvmVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVVM_ERROR_INVALID_INPUT;
    *major = 2;
    *minor = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor)
{
    if (!major || !minor || !debug_major || !debug_minor)
        return NVVM_ERROR_INVALID_INPUT;
    *major = 2;
    *minor = 0;
    *debug_major = 3;
    *debug_minor = 2;
    return NVVM_SUCCESS;
}

/* Compilations are processes, side by side or one after the other. */
void nvvmDisableConcurrentAPI(void)
{
}

const char *nvvmGetErrorString(nvvmResult result)
{
    static const char *const names[] = {
        "NVVM_SUCCESS",
        "NVVM_ERROR_OUT_OF_MEMORY",
        "NVVM_ERROR_PROGRAM_CREATION_FAILURE",
        "NVVM_ERROR_IR_VERSION_MISMATCH",
        "NVVM_ERROR_INVALID_INPUT",
        "NVVM_ERROR_INVALID_PROGRAM",
        "NVVM_ERROR_INVALID_IR",
        "NVVM_ERROR_INVALID_OPTION",
        "NVVM_ERROR_NO_MODULE_IN_PROGRAM",
        "NVVM_ERROR_COMPILATION",
    };
    const unsigned count = sizeof names / sizeof names[0];
    return (unsigned)result < count ? names[result] : "NVVM_ERROR not found";
}

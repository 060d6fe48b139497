/*
 * libnvrtc: CUDA C++ to PTX at run time, by clang. A drop-in for NVIDIA's NVRTC where that is not
 * installed: names, options, name expressions, headers as strings and logs as its documentation
 * has them. What goes to the GPU is PTX, also where machine code is asked for.
 */
#include "cudapath/rtc/nvrtc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/llvm.h"
#include "cudapath/rtc/compiler.h"

/* A text of the program's: a header, or a name expression and the name that it became. */
struct pair {
    char *name, *text;
};

struct nvrtc_program {
    char *source, *name;
    struct pair *header, *expression;
    size_t headers, header_room, expressions, expression_room;
    char *ptx; /* NULL: not compiled */
    size_t ptx_length;
    struct wt_buffer log;
    bool compiled;     /* it was tried */
    bool machine_code; /* asked for by its architecture: sm_… */
};

/* The options. */
struct wishes {
    unsigned arch;
    char feature; /* feature of the architecture: 'a'; 0: none */
    bool machine_code, by_default_device;
    struct compiler_command *clang;
    struct wt_buffer
        before; /* the source's first lines: macros, which clang's headers do not see */
};

#define COULD_NOT (NVRTC_MAJOR > 12 ? "cannot" : "could not")

enum { ARCHS = COMPILER_ARCHS - COMPILER_OLD_ARCHS };

/* ---- the log ---- */

static void say(nvrtcProgram p, const char *text)
{
    wt_buffer_append(&p->log, text, strlen(text));
}

/* A line of clang, "NAME:12:3: error: TEXT", as NVRTC says it: "NAME(12): error: TEXT". */
static unsigned say_line(nvrtcProgram p, const char *line)
{
    static const char *const severities[] = {": fatal error: ", ": error: ", ": warning: "};
    static const char not_found[] = "' file not found";
    char text[2000];
    for (unsigned i = 0; i < 3; i++) {
        const char *at = strstr(line, severities[i]);
        unsigned column;
        if (!at)
            continue;
        /* The two numbers before the severity. */
        const char *second = at;
        while (second > line && second[-1] != ':')
            second--;
        const char *first = second > line ? second - 1 : line;
        while (first > line && first[-1] != ':')
            first--;
        if (first == line || sscanf(second, "%u", &column) != 1)
            continue;
        const char *said = at + strlen(severities[i]);
        const char *missing = said[0] == '\'' ? strstr(said, not_found) : NULL;
        if (missing)
            snprintf(text, sizeof text,
                     "%.*s(%.*s): catastrophic error: %s open source file \"%.*s\"\n",
                     (int)(first - 1 - line), line, (int)(second - 1 - first), first, COULD_NOT,
                     (int)(missing - said - 1), said + 1);
        else
            snprintf(text, sizeof text, "%.*s(%.*s): %s%s\n", (int)(first - 1 - line), line,
                     (int)(second - 1 - first), first, i == 2 ? "warning: " : "error: ", said);
        say(p, text);
        return i < 2;
    }
    say(p, line);
    say(p, "\n");
    return 0;
}

/* Clang's messages, line by line; its own counts are left out. */
static void say_all(nvrtcProgram p, char *said, bool failed)
{
    unsigned errors = 0;
    char *rest, text[300];
    for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const size_t length = strlen(line);
        unsigned count;
        if (sscanf(line, "%u", &count) == 1 && length > 11 &&
            strcmp(line + length - 10, "generated.") == 0)
            continue;
        errors += say_line(p, line);
    }
    if (!failed)
        return;
    snprintf(text, sizeof text, "\n%u error%s detected in the compilation of \"%.200s\".\n", errors,
             errors == 1 ? "" : "s", p->name);
    say(p, text);
}

/* ---- options ---- */

static bool set_arch(nvrtcProgram p, struct wishes *w, const char *value)
{
    w->machine_code = strncmp(value, "sm_", 3) == 0;
    const char *number = w->machine_code                      ? value + 3
                         : strncmp(value, "compute_", 8) == 0 ? value + 8
                                                              : "";
    if (compiler_arch(number, COMPILER_OLD_ARCHS, &w->arch, &w->feature))
        return true;
    say(p, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
    return false;
}

/* How an option goes to clang. */
enum nvrtc_kind {
    IGNORED,
    IGNORED_VALUE,
    ARCH,
    PASSED,
    PASSED_VALUE,
    SWITCH,
    STANDARD,
    DEFINED, /* a line before the source */
    DEFAULT_DEVICE,
    NOT_HERE
};

static const struct option {
    const char *name, *other; /* behind the dashes */
    enum nvrtc_kind kind;
    /* PASSED: words; PASSED_VALUE: before the value; SWITCH: for true, for false; DEFINED: a
     * directive */
    const char *on, *off;
} options[] = {
    {"gpu-architecture", "arch", ARCH, NULL, NULL},
    {"std", NULL, STANDARD, NULL, NULL},
    {"define-macro", "D", DEFINED, "#define", NULL},
    {"undefine-macro", "U", DEFINED, "#undef", NULL},
    {"include-path", "I", PASSED_VALUE, "-I", NULL},
    {"pre-include", "include", DEFINED, "#include", NULL},
    {"device-as-default-execution-space", "default-device", DEFAULT_DEVICE, NULL, NULL},
    {"device-debug", "G", PASSED, "-g -O0", NULL},
    {"generate-line-info", "lineinfo", PASSED, "-gline-tables-only", NULL},
    {"disable-warnings", "w", PASSED, "-w", NULL},
    {"ftz", NULL, SWITCH, "-fgpu-flush-denormals-to-zero", NULL},
    {"prec-sqrt", NULL, SWITCH, NULL, "-mllvm -nvptx-prec-sqrtf32=0"},
    {"prec-div", NULL, SWITCH, NULL, "-mllvm -nvptx-prec-divf32=1"},
    {"fmad", NULL, SWITCH, NULL, "-ffp-contract=off"},
    {"use_fast_math", "use-fast-math", PASSED,
     "-fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals -mllvm -nvptx-prec-sqrtf32=0 "
     "-mllvm -nvptx-prec-divf32=0",
     NULL},
    {"relocatable-device-code", "rdc", SWITCH, "-fgpu-rdc", NULL},
    {"device-c", "dc", PASSED, "-fgpu-rdc", NULL},
    {"device-w", "dw", IGNORED, NULL, NULL},
    {"dlink-time-opt", "dlto", NOT_HERE, NULL, NULL},
    {"gen-opt-lto", NULL, NOT_HERE, NULL, NULL},
    {"optix-ir", NULL, NOT_HERE, NULL, NULL},
    {"restrict", NULL, IGNORED, NULL, NULL},
    {"extra-device-vectorization", NULL, IGNORED, NULL, NULL},
    {"minimal", NULL, IGNORED, NULL, NULL},
    {"no-source-include", NULL, IGNORED, NULL, NULL},
    {"no-cache", NULL, IGNORED, NULL, NULL},
    {"version-ident", NULL, IGNORED_VALUE, NULL, NULL},
    {"display-error-number", "err-no", IGNORED, NULL, NULL},
    {"no-display-error-number", "no-err-no", IGNORED, NULL, NULL},
    {"device-int128", NULL, IGNORED, NULL, NULL},
    {"device-float128", NULL, IGNORED, NULL, NULL},
    {"pch", NULL, IGNORED, NULL, NULL},
    {"create-pch", NULL, IGNORED_VALUE, NULL, NULL},
    {"use-pch", NULL, IGNORED_VALUE, NULL, NULL},
    {"pch-dir", NULL, IGNORED_VALUE, NULL, NULL},
    {"pch-verbose", NULL, IGNORED_VALUE, NULL, NULL},
    {"pch-messages", NULL, IGNORED_VALUE, NULL, NULL},
    {"instantiate-templates-in-pch", NULL, IGNORED_VALUE, NULL, NULL},
    {"maxrregcount", NULL, IGNORED_VALUE, NULL, NULL},
    {"split-compile", NULL, IGNORED_VALUE, NULL, NULL},
    {"ptxas-options", "Xptxas", IGNORED_VALUE, NULL, NULL},
    {"dopt", NULL, IGNORED_VALUE, NULL, NULL},
    {"time", NULL, IGNORED_VALUE, NULL, NULL},
    {"fdevice-time-trace", NULL, IGNORED_VALUE, NULL, NULL},
    {"diag-error", NULL, IGNORED_VALUE, NULL, NULL},
    {"diag-suppress", NULL, IGNORED_VALUE, NULL, NULL},
    {"diag-warn", NULL, IGNORED_VALUE, NULL, NULL},
    {"brief-diagnostics", NULL, IGNORED_VALUE, NULL, NULL},
    {"builtin-move-forward", NULL, IGNORED_VALUE, NULL, NULL},
    {"builtin-initializer-list", NULL, IGNORED_VALUE, NULL, NULL},
    {"modify-stack-limit", NULL, IGNORED_VALUE, NULL, NULL},
    {"device-stack-protector", NULL, IGNORED_VALUE, NULL, NULL},
    {"frandom-seed", NULL, IGNORED_VALUE, NULL, NULL},
    {"jump-table-density", NULL, IGNORED_VALUE, NULL, NULL},
};

static bool takes_value(enum nvrtc_kind kind)
{
    return kind == IGNORED_VALUE || kind == ARCH || kind == PASSED_VALUE || kind == SWITCH ||
           kind == DEFINED || kind == STANDARD;
}

/* The option of a word, and its value in the word (NULL: none there); NULL: there is none. */
static const struct option *find_option(const char *word, const char **value)
{
    const size_t dashes = strspn(word, "-");
    const char *name = word + dashes, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    *value = equals ? equals + 1 : NULL;
    if (!dashes || dashes > 2)
        return NULL;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *o = &options[i];
        if ((strlen(o->name) == length && strncmp(o->name, name, length) == 0) ||
            (o->other && strlen(o->other) == length && strncmp(o->other, name, length) == 0))
            return o;
    }
    /* -DX=1, -D X=1, -I/folder: the value goes on in the word. */
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (dashes == 1 && options[i].other && strlen(options[i].other) == 1 &&
            strchr("DUI", *options[i].other) && *name == *options[i].other) {
            *value = name[1] ? name + 1 + strspn(name + 1, " ") : NULL;
            return &options[i];
        }
    return NULL;
}

/* "#define M(x) 2*x" of "M(x)=2*x", "#define M 1" of "M", "#include "FILE"". */
static void add_line(struct wt_buffer *before, const char *directive, const char *value)
{
    const bool file = strcmp(directive, "#include") == 0;
    const size_t length = file ? strlen(value) : strcspn(value, "=");
    const char *rest = value[length] ? value + length + 1 : file || directive[1] == 'u' ? "" : "1";
    const char *const part[] = {directive, file ? " \"" : " ", NULL, file ? "\"" : " ", rest, "\n"};
    for (unsigned i = 0; i < 6; i++)
        wt_buffer_append(before, part[i] ? part[i] : value, part[i] ? strlen(part[i]) : length);
}

static nvrtcResult bad_option(nvrtcProgram p, const char *format, const char *word)
{
    char text[300];
    say(p, "nvrtc: error: ");
    snprintf(text, sizeof text, format, word);
    say(p, text);
    say(p, "\n");
    return NVRTC_ERROR_INVALID_OPTION;
}

static bool is_standard(const char *value)
{
    static const char *const standards[] = {"c++03", "c++11", "c++14", "c++17", "c++20"};
    for (unsigned i = 0; i < sizeof standards / sizeof standards[0]; i++)
        if (strcmp(value, standards[i]) == 0)
            return true;
    return false;
}

static nvrtcResult take_option(nvrtcProgram p, struct wishes *w, const struct option *o,
                               const char *value)
{
    const bool is_true = value && strcmp(value, "true") == 0;
    switch (o->kind) {
    case ARCH:
        return set_arch(p, w, value) ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_OPTION;
    case PASSED:
        compiler_add_words(w->clang, o->on);
        break;
    case STANDARD:
        if (!is_standard(value))
            return bad_option(p, "invalid value for --%s", o->name);
        compiler_add(w->clang, "-std=%s", value);
        break;
    case PASSED_VALUE:
        compiler_add(w->clang, "%s%s", o->on, value);
        break;
    case SWITCH:
        if (!value || (!is_true && strcmp(value, "false") != 0))
            return bad_option(p, "--%s expects true or false", o->name);
        compiler_add_words(w->clang, is_true ? o->on : o->off);
        break;
    case DEFINED:
        add_line(&w->before, o->on, value);
        break;
    case DEFAULT_DEVICE:
        w->by_default_device = true;
        break;
    case NOT_HERE:
        return bad_option(p,
                          "--%s: this NVRTC, which is wavetrap's, makes PTX only: there is no "
                          "link-time optimisation and no OptiX",
                          o->name);
    default:
        break;
    }
    return NVRTC_SUCCESS;
}

static nvrtcResult take_options(nvrtcProgram p, struct wishes *w, int count,
                                const char *const *words)
{
    nvrtcResult result = NVRTC_SUCCESS;
    for (int i = 0; i < count && !result; i++) {
        const char *value, *word = words[i] ? words[i] : "";
        char text[300];
        word += strspn(word, " ");
        const struct option *o = find_option(word, &value);
        if (o && takes_value(o->kind) && !value && i + 1 < count)
            value = words[++i];
        if (o && (value || !takes_value(o->kind))) {
            result = take_option(p, w, o, value);
            continue;
        }
        snprintf(text, sizeof text, "%.200s", word);
        result =
            bad_option(p, o ? "no value is given for %s" : "unrecognized option %s found", text);
    }
    return result;
}

/* ---- compiling ---- */

/* Behind the source, an array of addresses: it instantiates what the expressions name, and tells
 * their names in the PTX. */
static const char names_array[] = "wavetrap_name_expressions";

static void write_source(const struct nvrtc_program *p, const struct wishes *w,
                         struct wt_buffer *file)
{
#define ADD(text) wt_buffer_append(file, text, strlen(text))
    if (w->by_default_device)
        ADD("#pragma clang force_cuda_host_device begin\n");
    wt_buffer_append(file, w->before.bytes, w->before.length);
    ADD("#line 1 \"");
    ADD(p->name);
    ADD("\"\n");
    ADD(p->source);
    ADD("\n");
    if (w->by_default_device)
        ADD("#pragma clang force_cuda_host_device end\n");
    if (!p->expressions)
        return;
    ADD("__device__ __attribute__((used)) const void *const ");
    ADD(names_array);
    ADD("[] = {\n");
    for (size_t i = 0; i < p->expressions; i++) {
        const char *expression = p->expression[i].name;
        ADD(expression[strspn(expression, " ")] == '&' ? "(const void *)(" : "(const void *)&(");
        ADD(expression);
        ADD("),\n");
    }
    ADD("};\n");
#undef ADD
}

/* Takes the names out of the array's line in the PTX, and removes the line:
 * ".const .align 8 .u64 NAME[2] = {f, generic(v)};". */
static void take_names(nvrtcProgram p)
{
    char *line = p->expressions ? strstr(p->ptx, names_array) : NULL;
    char *at = line ? strchr(line, '{') : NULL, *end = at ? strchr(at, '}') : NULL;
    if (!end)
        return;
    for (size_t i = 0; i < p->expressions && at < end; i++) {
        at += 1 + strspn(at + 1, " \t\n");
        const bool generic = strncmp(at, "generic(", 8) == 0;
        at += generic ? 8 : 0;
        const size_t length = strcspn(at, "),}+");
        free(p->expression[i].text);
        p->expression[i].text = strndup(at, length);
        at += strcspn(at, ",}");
    }
    while (line > p->ptx && line[-1] != '\n')
        line--;
    end += strcspn(end, "\n");
    memmove(line, end, strlen(end) + 1);
    p->ptx_length = strlen(p->ptx);
}

/* Clang's command line; the options have been added by take_options(). */
static void complete_command(struct compiler_command *clang, const struct wishes *w,
                             const char *cuda)
{
    compiler_add(clang, "--cuda-path=%s", cuda);
    compiler_add(clang, "--cuda-gpu-arch=sm_%u%s", w->arch, w->feature ? "a" : "");
    compiler_add(clang, "-Iheaders");
    compiler_add(clang, "-I%s/include", cuda);
    compiler_add(clang, "source.cu");
    compiler_add(clang, "-o");
    compiler_add(clang, "out.ptx");
}

static void begin_command(struct compiler_command *clang)
{
    const unsigned version = wt_llvm_newest("clang-#");
    compiler_add(clang, "clang-%u", version ? version : WT_LLVM_USUAL);
    compiler_add_words(clang, "-x cuda --cuda-device-only -S -O3 -fno-caret-diagnostics "
                              "-Wno-unknown-cuda-version -Wno-pass-failed -D__CUDACC_RTC__");
    compiler_add(clang, "-D__CUDACC_VER_MAJOR__=%d", NVRTC_MAJOR);
    compiler_add(clang, "-D__CUDACC_VER_MINOR__=%d", NVRTC_MINOR);
}

static nvrtcResult write_files(const struct nvrtc_program *p, const struct wishes *w,
                               const char *folder)
{
    struct wt_buffer file = {0};
    char name[PATH_MAX];
    write_source(p, w, &file);
    bool good =
        !file.failed && compiler_write(folder, "source.cu", (const char *)file.bytes, file.length);
    free(file.bytes);
    for (size_t i = 0; i < p->headers && good; i++) {
        const struct pair *h = &p->header[i];
        errno = EINVAL;
        good = snprintf(name, sizeof name, "headers/%s", h->name) < (int)sizeof name &&
               compiler_write(folder, name, h->text, strlen(h->text));
    }
    return good              ? NVRTC_SUCCESS
           : errno == EINVAL ? NVRTC_ERROR_INVALID_INPUT
                             : NVRTC_ERROR_INTERNAL_ERROR;
}

static nvrtcResult compile(nvrtcProgram p, const struct wishes *w, const char *folder)
{
    char cuda[PATH_MAX], *said = NULL;
    if (!compiler_cuda_path(cuda)) {
        say(p, "nvrtc: error: the headers and the library of mathematics of wavetrap's cuda-path "
               "are not beside this library\n");
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    complete_command(w->clang, w, cuda);
    const nvrtcResult written = write_files(p, w, folder);
    if (written) {
        char text[2 * PATH_MAX];
        if (written == NVRTC_ERROR_INVALID_INPUT)
            snprintf(text, sizeof text, "nvrtc: error: a header's name leads out of its folder\n");
        else
            snprintf(text, sizeof text, "nvrtc: error: %s: %s\n", folder, strerror(errno));
        say(p, text);
        return written;
    }
    const int status = compiler_run(w->clang, folder, &said);
    if (!said)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (status == 0)
        p->ptx = compiler_read(folder, "out.ptx", &p->ptx_length);
    say_all(p, said, status > 0);
    free(said);
    if (p->ptx)
        take_names(p);
    return p->ptx       ? NVRTC_SUCCESS
           : status < 0 ? NVRTC_ERROR_INTERNAL_ERROR
                        : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *words)
{
    struct compiler_command clang = {.count = 0};
    struct wishes w = {.arch = NVRTC_MAJOR > 12 ? 75 : 52, .clang = &clang};
    char folder[PATH_MAX];
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0)
        return NVRTC_ERROR_INVALID_INPUT;
    if (count && !words)
        return NVRTC_ERROR_INVALID_OPTION;
    free(p->ptx);
    p->ptx = NULL;
    p->log.length = 0;
    p->compiled = true;
    begin_command(&clang);
    nvrtcResult result = take_options(p, &w, count, words);
    if (!result && !compiler_folder(folder))
        result = NVRTC_ERROR_INTERNAL_ERROR;
    else if (!result) {
        result = compile(p, &w, folder);
        compiler_remove(folder);
    }
    p->machine_code = w.machine_code;
    free(w.before.bytes);
    compiler_free(&clang);
    return result;
}

/* ---- programs ---- */

static bool add_pair(struct pair **list, size_t *room, size_t *count, const char *name,
                     const char *text)
{
    struct pair *grown = wt_array_grow(*list, room, *count + 1, sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[*count] = (struct pair){strdup(name), text ? strdup(text) : NULL};
    const bool good = grown[*count].name && (!text || grown[*count].text);
    ++*count;
    return good;
}

static void free_pairs(struct pair *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].text);
    }
    free(list);
}

static void destroy(nvrtcProgram p)
{
    free_pairs(p->header, p->headers);
    free_pairs(p->expression, p->expressions);
    free(p->source);
    free(p->name);
    free(p->ptx);
    free(p->log.bytes);
    free(p);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int count, const char *const *headers, const char *const *names)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!source || count < 0 || (count && (!headers || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    bool good = p->source && p->name && !strpbrk(p->name, "\"\n\\");
    for (int i = 0; i < count && good; i++)
        good = headers[i] && names[i] &&
               add_pair(&p->header, &p->header_room, &p->headers, names[i], headers[i]);
    if (good)
        *program = p;
    else
        destroy(p);
    return good ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    destroy(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (p->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return add_pair(&p->expression, &p->expression_room, &p->expressions, expression, NULL)
               ? NVRTC_SUCCESS
               : NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **lowered)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!p->ptx)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < p->expressions; i++)
        if (strcmp(p->expression[i].name, expression) == 0 && p->expression[i].text) {
            *lowered = p->expression[i].text;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- results ---- */

/* Sizes count the byte 0 behind a text. Before a compilation and after one that has failed, texts
 * are empty. */
static nvrtcResult give_size(nvrtcProgram p, size_t *size, size_t length)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    *size = length;
    return NVRTC_SUCCESS;
}

static nvrtcResult give(nvrtcProgram p, char *out, const void *text, size_t length)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    if (length)
        memcpy(out, text, length);
    out[length] = 0;
    return NVRTC_SUCCESS;
}

static nvrtcResult nothing(nvrtcProgram p, const void *out)
{
    return !p ? NVRTC_ERROR_INVALID_PROGRAM : out ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, p && p->ptx ? p->ptx_length + 1 : 1);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
    return give(p, ptx, p ? p->ptx : NULL, p && p->ptx ? p->ptx_length : 0);
}

/* The driver takes PTX for machine code. 0 bytes where none was asked for. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, p && p->ptx && p->machine_code ? p->ptx_length + 1 : 0);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin)
{
    return p && !(p->ptx && p->machine_code) ? nothing(p, cubin) : nvrtcGetPTX(p, cubin);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, p ? p->log.length + 1 : 1);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    return give(p, log, p ? p->log.bytes : NULL, p ? p->log.length : 0);
}

/* ---- what only NVIDIA's makes: there are no bytes of it ---- */

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, 0);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *code)
{
    return nothing(p, code);
}

nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, 0);
}

nvrtcResult nvrtcGetOptiXIR(nvrtcProgram p, char *code)
{
    return nothing(p, code);
}

nvrtcResult nvrtcGetNVVMSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, 0);
}

nvrtcResult nvrtcGetNVVM(nvrtcProgram p, char *code)
{
    return nothing(p, code);
}

/* Headers are compiled each time. */
nvrtcResult nvrtcGetPCHHeapSize(size_t *size)
{
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    *size = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetPCHHeapSize(size_t size)
{
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram p)
{
    return p ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram p, size_t *size)
{
    return give_size(p, size, 0);
}

/* A compilation is a process, which is not asked. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram p, int (*callback)(void *, void *), void *payload)
{
    return !p ? NVRTC_ERROR_INVALID_PROGRAM : callback ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

/* ---- about the library ---- */

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = NVRTC_MAJOR;
    *minor = NVRTC_MINOR;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count)
        return NVRTC_ERROR_INVALID_INPUT;
    *count = ARCHS;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    if (!list)
        return NVRTC_ERROR_INVALID_INPUT;
    for (unsigned i = 0; i < ARCHS; i++)
        list[i] = (int)compiler_archs[COMPILER_OLD_ARCHS + i];
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR",
                                        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                        "NVRTC_ERROR_PCH_CREATE",
                                        "NVRTC_ERROR_CANCELLED",
                                        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
    const unsigned count = sizeof names / sizeof names[0];
    return (unsigned)result < count ? names[result] : "NVRTC_ERROR unknown";
}

/* `wavetrap hip-path`: prints a folder with what clang needs to compile HIP without ROCm's own
 * compiler. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/llvm.h"
#include "base/private_dir.h"
#include "cli/cli.h"
#include "target/own_files.h"

/* Where Debian has AMD's device libraries, the newest first, and the newest version of code objects
 * that the HIP runtime beside them loads. */
static const struct libraries {
    const char *folder; /* '#' stands for LLVM's version */
    unsigned code_object;
} places[] = {
    {"/usr/lib/llvm-#/lib/clang/#/amdgcn/bitcode", 5},
    {"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", 4},
};

/* Libraries that are missing there, and the next of kin that stands in: of a GPU with the same
 * instructions as far as the libraries use them, or of an older layout of code objects. */
static const struct {
    const char *missing, *instead, *target, *like;
} stand_ins[] = {
    {"oclc_isa_version_942.bc", "oclc_isa_version_940.bc", "gfx942", "gfx940"},
    {"oclc_isa_version_1100.bc", "oclc_isa_version_1036.bc", "gfx1100", "gfx1036"},
    {"oclc_isa_version_1101.bc", "oclc_isa_version_1036.bc", "gfx1101", "gfx1036"},
    {"oclc_isa_version_1102.bc", "oclc_isa_version_1036.bc", "gfx1102", "gfx1036"},
    {"oclc_abi_version_600.bc", "oclc_abi_version_500.bc", NULL, NULL},
};

static enum wt_status fail(const char *path, struct wt_error *err)
{
    return wt_fail(err, WT_IO, "%.300s: %s", path, strerror(errno));
}

/* Makes the folder of the cache, with its folder for links, for this user alone. */
static enum wt_status make_folder(char folder[PATH_MAX], struct wt_error *err)
{
    char links[PATH_MAX + 16];
    enum wt_status status = wt_private_cache(folder, PATH_MAX, "hip", err);
    /* Whoever may write there decides what kernels do. */
    if (status || (status = wt_private_check(folder, 022, err)))
        return status;
    snprintf(links, sizeof links, "%s/bitcode", folder);
    return mkdir(links, 0700) && errno != EEXIST ? fail(links, err) : WT_OK;
}

/* Links NAME of the folder to a file; one that is there already is replaced at once, since others
 * may use it. */
static enum wt_status make_link(const char *folder, const char *name, const char *to,
                                struct wt_error *err)
{
    char path[2 * PATH_MAX], fresh[2 * PATH_MAX + 32], now[PATH_MAX];
    snprintf(path, sizeof path, "%s/bitcode/%.255s", folder, name);
    const ssize_t length = readlink(path, now, sizeof now - 1);
    if (length > 0 && (size_t)length == strlen(to) && memcmp(now, to, (size_t)length) == 0)
        return WT_OK;
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    unlink(fresh);
    return symlink(to, fresh) || rename(fresh, path) ? fail(path, err) : WT_OK;
}

static enum wt_status link_libraries(const char *from, const char *folder, struct wt_error *err)
{
    char to[2 * PATH_MAX];
    const struct dirent *entry;
    enum wt_status status = WT_OK;
    DIR *d = opendir(from);
    if (!d)
        return fail(from, err);
    while (status == WT_OK && (entry = readdir(d))) {
        const char *end = strrchr(entry->d_name, '.');
        snprintf(to, sizeof to, "%s/%.255s", from, entry->d_name);
        if (end && strcmp(end, ".bc") == 0)
            status = make_link(folder, entry->d_name, to, err);
    }
    closedir(d);
    for (size_t i = 0; status == WT_OK && i < sizeof stand_ins / sizeof *stand_ins; i++) {
        snprintf(to, sizeof to, "%s/%s", from, stand_ins[i].missing);
        if (access(to, R_OK) == 0)
            continue;
        snprintf(to, sizeof to, "%s/%s", from, stand_ins[i].instead);
        if (access(to, R_OK) != 0)
            continue;
        if (stand_ins[i].target)
            fprintf(stderr, "wavetrap hip-path: %s is compiled with the device library of %s\n",
                    stand_ins[i].target, stand_ins[i].like);
        status = make_link(folder, stand_ins[i].missing, to, err);
    }
    return status;
}

/* Writes the file of options for clang, as a whole. */
static enum wt_status write_options(const char *folder, const char *own, unsigned code_object,
                                    struct wt_error *err)
{
    char path[PATH_MAX + 16], fresh[PATH_MAX + 48];
    snprintf(path, sizeof path, "%s/hip.cfg", folder);
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(fresh, "w");
    if (!f)
        return fail(fresh, err);
    fprintf(f,
            "# By `wavetrap hip-path`, for clang's --config.\n"
            "--rocm-path=/usr\n--rocm-device-lib-path=<CFGDIR>/bitcode\n"
            "-include %s/for_clang.h\n-mcode-object-version=%u\n",
            own, code_object);
    return fclose(f) || rename(fresh, path) ? fail(path, err) : WT_OK;
}

struct hip_path {
    bool clang;
};

static int run(int argc, char **argv)
{
    struct hip_path h = {0};
    static const char *const own_places[] = {"../hippath", WT_HOST_LIBRARY "/hip", NULL};
    struct wt_error err;
    char own[PATH_MAX], folder[PATH_MAX], from[PATH_MAX];
    const struct libraries *found = NULL;
    enum wt_status status;
    const int parsed = wt_subcommand_parse(&cli_hip_path, argc, argv, &h, NULL, 0, false);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    if (h.clang)
        return cli_print_clang(&cli_hip_path, "clang-#,ld.lld-#");
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++) {
        const unsigned version = wt_llvm_newest(places[i].folder);
        wt_llvm_text(from, sizeof from, places[i].folder, version);
        found = version ? &places[i] : NULL;
    }
    if (!found)
        status = wt_fail(&err, WT_UNSUPPORTED,
                         "AMD's device libraries are not there: install rocm-device-libs");
    else if (!wt_own_folder(own_places, "for_clang.h", own, sizeof own))
        status = wt_fail(&err, WT_UNSUPPORTED, "for_clang.h is not where this wavetrap belongs");
    else if ((status = make_folder(folder, &err)) == WT_OK &&
             (status = link_libraries(from, folder, &err)) == WT_OK)
        status = write_options(folder, own, found->code_object, &err);
    if (status != WT_OK)
        return wt_subcommand_fail(&cli_hip_path, &err);
    puts(folder);
    return 0;
}

static const struct wt_option options[] = {
    {"clang", 0, NULL, "print the name of the newest clang that has its linker, instead",
     WT_OPTION_FLAG(struct hip_path, clang)},
    {0},
};

const struct wt_subcommand cli_hip_path = {
    .name = "hip-path",
    .operands = "",
    .summary = "Prints a folder with what clang needs to compile HIP for AMD's GPUs.",
    .options = options,
    .notes = "$(wavetrap hip-path --clang) --config=$(wavetrap hip-path)/hip.cfg -x hip \\\n"
             "    --offload-arch=gfx942 FILE.hip -o FILE -lamdhip64 -lstdc++\n"
             "compiles a HIP program without ROCm's own compiler.\n",
    .run = run,
};

/*
 * A stand-in for NVIDIA's fatbinary, for clang: puts objects and PTX for several GPUs into one
 * file, which becomes a part of the program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "object/cuda_fatbin.h"

struct images {
    struct cuda_fatbin_image *image;
    size_t count, room;
};

/* "KEY=" among the words of "KEY=VALUE,KEY=VALUE": where its value begins, up to *length. */
static const char *value_of(const char *words, const char *key, size_t *length)
{
    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, key, strlen(key)) != 0)
            continue;
        at += strlen(key);
        /* A file's name is the last one, and may have commas. */
        *length = strcmp(key, "file=") == 0 ? strlen(at) : strcspn(at, ",");
        return at;
    }
    return NULL;
}

/* "profile=sm_50,file=PATH", or "kind=elf,sm=50,file=PATH" as newer tools say it. */
static enum wt_status add(struct images *list, const char *words, struct wt_error *err)
{
    enum wt_status status;
    size_t length, path_length;
    const char *profile = value_of(words, "profile=", &length);
    const char *sm = profile ? profile : value_of(words, "sm=", &length);
    const char *kind = profile ? profile : value_of(words, "kind=", &length);
    const char *path = value_of(words, "file=", &path_length);
    if (!path || !sm || !kind)
        return wt_fail(err, WT_INVALID, "'%.100s': profile=sm_NN,file=PATH is expected", words);
    struct cuda_fatbin_image *grown =
        wt_array_grow(list->image, &list->room, list->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    list->image = grown;
    const char *digits = sm + strcspn(sm, "0123456789");
    struct cuda_fatbin_image *image = &list->image[list->count];
    uint8_t *bytes;
    if ((status = wt_file_read(path, &bytes, &path_length, err)) != WT_OK)
        return status;
    const bool is_text = strncmp(kind, "compute_", 8) == 0 || strncmp(kind, "ptx", 3) == 0;
    *image = (struct cuda_fatbin_image){is_text ? CUDA_FATBIN_PTX : CUDA_FATBIN_ELF,
                                        (unsigned)strtoul(digits, NULL, 10), bytes, path_length};
    list->count++;
    return WT_OK;
}

static enum wt_status write_file(const struct images *list, const char *path, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct wt_buffer out = {0};
    if (!path)
        return wt_fail(err, WT_INVALID, "--create is missing");
    cuda_fatbin_write(list->image, list->count, &out);
    FILE *file = out.failed ? NULL : fopen(path, "wb");
    if (out.failed)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    else if (!file || fwrite(out.bytes, 1, out.length, file) != out.length)
        status = wt_fail(err, WT_IO, "%.400s: %s", path, strerror(errno));
    if (file && fclose(file) && !status)
        status = wt_fail(err, WT_IO, "%.400s: %s", path, strerror(errno));
    free(out.bytes);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const images[] = {"--image=", "--image3="};
    struct images list = {0};
    struct wt_error err;
    enum wt_status status = WT_OK;
    const char *path = NULL;
    for (int i = 1; i < argc && !status; i++) {
        for (size_t k = 0; k < sizeof images / sizeof *images && !status; k++)
            if (strncmp(argv[i], images[k], strlen(images[k])) == 0)
                status = add(&list, argv[i] + strlen(images[k]), &err);
        if (strncmp(argv[i], "--create=", 9) == 0)
            path = argv[i] + 9;
        else if (strcmp(argv[i], "--create") == 0 && i + 1 < argc)
            path = argv[++i];
    }
    if (!status)
        status = write_file(&list, path, &err);
    if (status)
        fprintf(stderr, "fatbinary (wavetrap): %s\n", err.text);
    for (size_t i = 0; i < list.count; i++)
        free((uint8_t *)list.image[i].bytes);
    free(list.image);
    return status ? 1 : 0;
}

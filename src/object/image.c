/* Reading program images: the file, its format, its segments. */
#include "object/image.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "object/elf_header.h"
#include "object/image_formats.h"

/* Whether @p name ends in ".EXTENSION", whatever the case. */
static bool named(const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.');
    return dot && strcasecmp(dot + 1, extension) == 0;
}

static bool is_hex_digit(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static enum wt_status parse_raw(const struct wt_image_source *source, uint64_t base,
                                struct wt_image *image, struct wt_error *err)
{
    image->format = WT_IMAGE_RAW;
    image->has_entry = true;
    image->entry = base;
    if (wt_image_add(image, base, source->bytes, source->length, source->length, true, err))
        return wt_fail_in(err, "%s", source->name);
    return WT_OK;
}

enum wt_status wt_image_parse(const char *name, const uint8_t *bytes, size_t length, uint64_t base,
                              struct wt_image *image, struct wt_error *err)
{
    const struct wt_image_source source = {.name = name, .bytes = bytes, .length = length};
    enum wt_status status;
    *image = (struct wt_image){0};
    if (length == 0)
        return wt_fail(err, WT_INVALID, "%s: the file is empty", name);
    if (length > WT_IMAGE_MAX_BYTES)
        return wt_fail(err, WT_INVALID, "%s: the file has more than 1 GiB", name);
    if (length >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        status = wt_image_parse_elf(&source, image, err);
    else if (length >= 3 && bytes[0] == ':' && is_hex_digit(bytes[1]) && is_hex_digit(bytes[2]))
        status = wt_image_parse_hex(&source, image, err);
    else if (named(name, "vxbin"))
        status = wt_image_parse_vxbin(&source, image, err);
    else if (named(name, "elf"))
        status =
            wt_fail(err, WT_INVALID,
                    "%s: the name says ELF, but the file does not begin with the ELF magic", name);
    else if (named(name, "hex") || named(name, "ihex"))
        status =
            wt_fail(err, WT_INVALID,
                    "%s: the name says Intel HEX, but the first line is not a record (a record "
                    "begins with ':' and hexadecimal digits)",
                    name);
    else
        status = parse_raw(&source, base, image, err);
    assert(image->segments <= image->segment_capacity);
    assert(image->held <= WT_IMAGE_MAX_BYTES && image->covered <= WT_IMAGE_MAX_MEMORY);
    if (status)
        wt_image_free(image);
    return status;
}

enum wt_status wt_image_open(const char *path, int *fd, struct wt_error *err)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(*fd, &st) == 0 && !S_ISDIR(st.st_mode))
        return WT_OK;
    const int reason = S_ISDIR(st.st_mode) ? EISDIR : errno;
    close(*fd);
    return reason == EISDIR ? wt_fail(err, WT_IO, "%s: it is a directory, not a program", path)
                            : wt_fail(err, WT_IO, "%s: cannot read: %s", path, strerror(reason));
}

enum wt_status wt_image_load(const char *path, uint64_t base, struct wt_image *image,
                             struct wt_error *err)
{
    int fd;
    *image = (struct wt_image){0};
    if (wt_image_open(path, &fd, err) != WT_OK)
        return err->status;
    uint8_t *bytes = NULL;
    size_t length = 0;
    enum wt_status status = wt_file_read_fd(fd, path, &bytes, &length, err);
    close(fd);
    if (status)
        return status;
    status = wt_image_parse(path, bytes, length, base, image, err);
    free(bytes);
    return status;
}

enum wt_status wt_image_check_base(const struct wt_image *image, const char *path, bool base_given,
                                   struct wt_error *err)
{
    if (image->format == WT_IMAGE_RAW && !base_given && !named(path, "bin"))
        return wt_fail(err, WT_INVALID,
                       "%s: not an ELF, Intel HEX or .vxbin file. Compile source code first; name "
                       "raw code .bin, or give --base=ADDRESS",
                       path);
    if (image->format != WT_IMAGE_RAW && base_given)
        return wt_fail(err, WT_INVALID, "--base is for raw binaries; %s says itself where it goes",
                       path);
    return WT_OK;
}

enum wt_status wt_image_wrong_machine(const char *program, unsigned elf_machine,
                                      struct wt_error *err)
{
    return wt_fail(err, WT_INVALID,
                   "%s: it is a program for %s (ELF machine %u); Vortex runs RISC-V (243)%s",
                   program, wt_image_machine_name(elf_machine), elf_machine,
                   wt_elf_machine_is_host(elf_machine)
                       ? ". A host program that uses GPUs runs by 'wavetrap exec'"
                       : "");
}

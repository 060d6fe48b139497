/* Shared by the files of `wavetrap info`. */
#ifndef WT_CLI_INFO_H
#define WT_CLI_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "target/family.h"
#include "base/error.h"

/** Prints a line with what host programs see of the GPU that a value of --gpu describes. Returns
 * the exit status: WT_EXIT_FAILED, after a message, if they see none of that family. */
int cli_tell_device(const char *spec);

/** Prints the support matrix of a family, a line or a JSON object for each instruction and
 * function. */
enum wt_status cli_tell_support(const struct wt_family *family, bool json, struct wt_error *err);

/** Prints what an ELF file has of symbols and debug information: two lines. */
void cli_tell_debug_information(const char *path);

/** Prints what is in a code object of AMD GPUs: its kernels and what they need. */
enum wt_status cli_tell_code_object(const char *path, struct wt_error *err);

/** Prints what is in a zebin for Intel GPUs: its kernels and what they need. */
enum wt_status cli_tell_zebin(const char *path, struct wt_error *err);

/** Prints what is in a cubin: its kernels and what they need. */
enum wt_status cli_tell_cubin(const char *path, struct wt_error *err);

/** Prints what is in a text of PTX: its kernels and what they need, its variables. */
enum wt_status cli_tell_ptx(const char *path, struct wt_error *err);

/** Prints a line with a kernel's name as the code has it and, if this is another one, as the source
 * has it. */
void cli_tell_kernel_name(const char *indent, const char *name);

/** Prints which code for NVIDIA's GPUs is in a host program's bytes; images are numbered from
 * @p before + 1. Returns how many there are. */
unsigned cli_tell_cuda_images(const uint8_t *bytes, size_t length, unsigned before);

/** Prints what a host program is and which code for GPUs it brings along. */
enum wt_status cli_tell_host_program(const char *path, unsigned machine, struct wt_error *err);

/** Prints what is in a bundle of code objects, as clang writes one. */
enum wt_status cli_tell_bundle_file(const char *path, struct wt_error *err);

#endif

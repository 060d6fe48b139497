/*
 * The sections of core files (docs/post-mortem.md), and the writing of a file that is there only
 * when it is whole. Section functions serve both directions, as archive.h has it.
 */
#ifndef WT_EMULATOR_MACHINE_CORE_FORMAT_H
#define WT_EMULATOR_MACHINE_CORE_FORMAT_H

#include "base/whole_file.h"
#include "emulator/machine/archive.h"
#include "base/error.h"

#define WT_CORE_MAGIC "\211WTCORE\n"
#define WT_CORE_MAGIC_BYTES 8
/* Which is written; 8 has masks of 128 compute units; 7 does not say how many accumulation
 * registers waves have; 6 has neither refusals of checks (JUDG) nor findings. */
#define WT_CORE_VERSION 9
/* Which is read: its faults have neither id, name nor memory; 5 has no number of the device, nor of
 * runs. */
#define WT_CORE_OLDEST 4
#define WT_CORE_SEAL_BYTES 8

/** The content of section DEVC. */
struct wt_core_device {
    char family[32], config[1024], program[4096], reason[512];
    uint32_t wave, lane; /**< that was selected */
};

/** The content of a section MODL. */
struct wt_core_module {
    char name[4096];
    uint64_t bias;
    uint32_t device;
    const uint8_t *bytes; /**< an ELF file; read: in the archive's bytes */
    uint64_t length;
};

/** Bytes that memory has, or had, under a mask. */
struct wt_core_patch {
    uint64_t addr, size;
    uint8_t bytes[16], mask[16];
};

/** A breakpoint of the recorded run. */
struct wt_core_planted {
    uint64_t addr; /**< the instruction's */
    uint64_t time; /**< issue time since which it counts */
    struct wt_core_patch trap, original;
};

/** The content of a section PLNT. */
struct wt_core_breakpoints {
    struct wt_core_planted *list; /**< read: malloc'ed */
    size_t count;
};

/** Writes or reads the content of a section DEVC. */
void wt_core_device(struct wt_archive *a, struct wt_core_device *device);
/** Writes or reads the content of a section MODL, to its end. */
void wt_core_module(struct wt_archive *a, struct wt_core_module *module);

/** The content of a section TEXT: a source file that is no file (an OpenCL program's text). */
struct wt_core_text {
    char name[256];      /**< as debug information calls it */
    const uint8_t *text; /**< read: in the archive's bytes */
    uint64_t length;
};

/** Writes or reads the content of a section TEXT, to its end. */
void wt_core_text(struct wt_archive *a, struct wt_core_text *text);
/** The beginning of a section PTXT: a program of PTX, linked of `count` texts that follow. */
struct wt_core_program {
    uint64_t code, data; /**< where its code and its variables are */
    uint32_t device;
    uint32_t count; /**< 1 or more */
};
/** Writes or reads the beginning of a section PTXT. */
void wt_core_program(struct wt_archive *a, struct wt_core_program *program);
/** Writes or reads a text of such a section; read: its bytes are in the archive's. */
void wt_core_program_text(struct wt_archive *a, struct wt_core_text *text);
/** Writes or reads the content of a section PLNT. Reading frees the earlier content. */
void wt_core_breakpoints(struct wt_archive *a, struct wt_core_breakpoints *breakpoints);

struct wt_core_writer;
/** Writes a section JUDG where a judge has decided about accesses of the machine's recorded run. */
void wt_core_decisions(struct wt_core_writer *w, struct wt_archive *a, struct wt_machine *m);

/** A core file that is being written. */
struct wt_core_writer {
    FILE *out;
    struct wt_whole_file file;
    const char *path;
    long section; /**< where the content of the section begins */
};

/**
 * Begins a file that only its owner can read, with magic and version. @p path must outlive the
 * writer. On success wt_core_finish or wt_core_give_up must follow.
 */
enum wt_status wt_core_begin(struct wt_core_writer *w, const char *path, struct wt_error *err);
/** Begins a section with a tag of 4 characters; wt_core_end_section must follow. */
void wt_core_begin_section(struct wt_core_writer *w, const char *tag);
/** Ends the section. */
void wt_core_end_section(struct wt_core_writer *w);
/** Seals the file and gives it its name (wt_whole_file_finish). On failure nothing is left of it.
 */
enum wt_status wt_core_finish(struct wt_core_writer *w, struct wt_error *err);
/** Removes the unfinished file. */
void wt_core_give_up(struct wt_core_writer *w);

/** The hash of the @p length bytes before the seal, which holds it. */
uint64_t wt_core_hash(const uint8_t *bytes, size_t length);

#endif

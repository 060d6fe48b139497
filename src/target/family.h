/*
 * A family of GPUs as a target: what differs between families when a program is loaded into an
 * emulated device, run and debugged. registry.c is the one place that names the families.
 */
#ifndef WT_TARGET_FAMILY_H
#define WT_TARGET_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check/memory.h"
#include "debug/core/target.h"
#include "debug/standstill/link.h"
#include "emulator/machine/profile.h"
#include "emulator/machine/timeline.h"
#include "emulator/translate/rows.h"
#include "target/support.h"
#include "base/error.h"

struct wt_archive;
struct wt_code_register;
struct wt_config;
struct wt_core_writer;
struct wt_emulated;
struct wt_hw_table;
struct wt_image;
struct wt_host_driver;
struct wt_probe_ops;
struct wt_modules;
struct wt_symbols;
struct wt_process_ops;
struct wt_register_region;

/** Reads a register of a wave, by its name; false if there is none, or no wave. */
struct wt_register_reader {
    bool (*read)(void *context, const char *name, uint8_t *bytes, size_t size);
    void *context;
};

struct wt_object;

/** A buffer or an image that a kernel has as an argument: its bytes lie in slices. */
struct wt_kernel_buffer {
    const char *name; /**< name of the argument; "" if it is not known */
    uint64_t addr;
    uint64_t length; /**< bytes, of all slices */
    bool read_only;  /**< kernels must not write it */
    uint64_t slice,
        stride; /**< bytes of a slice, and from one to the next; 0: there is one slice */
};

/** The configuration, the part of --gpu behind "FAMILY:". It is a struct of the family's own. */
struct wt_family_config {
    const struct wt_config *table;
    /** Describes, on a line, a GPU with this configuration as host programs see it. NULL: they see
     * none. */
    void (*describe)(const void *config, char *text, size_t size);
};

/** Which files are programs of a family. */
struct wt_family_files {
    const char *runs;     /**< what its programs are, for messages: "code objects" */
    unsigned elf_machine; /**< e_machine of its ELF files */
    /** Whether a file, which is no ELF file, is a program of it. NULL: it has ELF files only. */
    bool (*takes)(const char *path);
    bool takes_code; /**< where --gpu names it, files of no format are its machine code */
    /** Whether a file of another machine, or no ELF file, holds a program of the family. NULL: none
     * does. */
    bool (*contained)(const char *path);
    /** Prints lines of `info` about an image that is no ELF file, read from @p path. NULL: none. */
    void (*tell_image)(FILE *out, const struct wt_image *image, const char *path);
};

/** The family's words in traces and reports. */
struct wt_family_words {
    const char *core;
    const char *wave;
    const char *lane;
    const char *local;                     /**< memory of a group, or of a core */
    uint64_t local_window, private_window; /**< where debug information has that memory, and private
                                                memory, among addresses; 0: it has it apart */
    unsigned mask_digits; /**< hexadecimal digits of a mask in a trace; 0: as many as it takes */
};

/** A program in an emulated device: loaded, run, and told of. What may be NULL says so. */
struct wt_family_run {
    size_t own_bytes; /**< own bytes of e->own, zeros at first */
    /** Reads e->program, which there is; if it is a kernel, e->launch becomes its launch, and
     * wt_launch_describe() fills that in. NULL: open() does all. */
    enum wt_status (*read)(struct wt_emulated *e, struct wt_error *err);
    /**
     * Makes the device: sets e->machine and the family's own fields of *e. @p config is the
     * family's configuration. close() frees everything that was opened, on failure as well.
     */
    enum wt_status (*open)(struct wt_emulated *e, const void *config, struct wt_error *err);
    /** Puts the program into memory, as it is before its first instruction, and resets. */
    enum wt_status (*load)(struct wt_emulated *e, struct wt_error *err);
    /** Frees what e->own has, but neither that nor what a launch was given. */
    void (*close)(struct wt_emulated *e);
    /** The status that the program has ended with. NULL: programs have none, which is 0. */
    uint32_t (*exit_word)(struct wt_emulated *e);
    /**
     * Prints what the program has left for its console in memory, once a run has ended in any way.
     * e->notice says so if some of it is not there. NULL: the machine's own console is all.
     */
    enum wt_status (*print)(struct wt_emulated *e, FILE *out, struct wt_error *err);
    /** Describes a fault's address where the family knows more than the arguments' buffers do, or
     * leaves @p text "" where they say nothing of it; false: neither. NULL: likewise. */
    bool (*fault_memory)(struct wt_emulated *e, const struct wt_fault *fault, char *text,
                         size_t size);
    /** Prints lines about the machine's fault beside the common ones. NULL: there are none. */
    void (*explain_fault)(struct wt_emulated *e, FILE *out);
    /** Counts of translated code, for --stats. NULL: nothing ever is. */
    struct wt_rows_totals (*translated)(const struct wt_emulated *e);
    /** Tells check/objects.h of the program's variables, and of other memory that it may use. NULL:
     * its buffers are all of its objects. */
    void (*objects)(struct wt_emulated *e);
    /** Whether an access outside of its objects is no mistake; @p near is the nearest one. NULL: so
     * it is on mapped pages that have none: the launch has put there what it needs. */
    bool (*allows)(struct wt_emulated *e, uint64_t addr, unsigned size, bool write,
                   const struct wt_object *near);
    /** See wt_check_variable_fn (check/memory.h); @p e is a struct wt_emulated. NULL: by
     * the program's debug information. */
    wt_check_variable_fn *variable;
    /** Whether the program's language leaves lanes of a wave unordered that the machine orders, as
     * OpenCL C does ("Memory Ordering Rules"), or CUDA C++ from a capability on. NULL: not known,
     * as the family has it. */
    bool (*independent_lanes)(const struct wt_emulated *e);
    /** The stacks of the program's threads; false: they are not known. NULL: there are none. */
    bool (*stacks)(struct wt_emulated *e, struct wt_check_stacks *stacks);
};

/** The instruction set, for reports and tools. NULL: not offered. */
struct wt_family_isa {
    unsigned reported; /**< bytes of an instruction in reports; 0: they have none */
    /**
     * Disassembles the instruction at the start of @p bytes as it would stand at @p pc; returns its
     * length, 0 if there is no disassembler. What is no instruction reads as data. @p e may be
     * NULL for a family of host programs: then each call makes its own disassembler, by what the
     * file says in which the code is, @p code (NULL: it is not known). NULL: none.
     */
    unsigned (*instruction_text)(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size);
    /** Register @p n of those that the code at @p pc has under names of its own; false: it has no
     * more. NULL: code has none. */
    bool (*code_register)(struct wt_emulated *e, uint64_t pc, size_t n,
                          struct wt_code_register *reg);
    /**
     * Says in words what registers of a wave tell, a line each, of those that it knows by their
     * names in the debugger. NULL: nothing.
     */
    void (*explain_registers)(FILE *out, const char *const *name, const uint64_t *value,
                              size_t count);
    /**
     * Prints the value of an operand that is written as in the family's assembly text, if it is one
     * (*is_operand): @p letter is the format (x, d, u), 0 for that of its type. NULL: no operand
     * is more than a register.
     */
    enum wt_status (*print_operand)(FILE *out, const char *text, char letter,
                                    const struct wt_register_reader *reader, bool *is_operand,
                                    struct wt_error *err);
    /** The region of registers with which a text begins, and its length; 0: none. NULL: the
     * family has no such operands. */
    size_t (*region)(const char *text, struct wt_register_region *region);
    /**
     * Assembles a file's text, which a NUL ends; *bytes, an object file, is freed by the caller.
     * Mistakes have "NAME:line:column:". NULL: people have an assembler for it.
     */
    enum wt_status (*assemble)(const char *name, const char *text, uint8_t **bytes, size_t *length,
                               struct wt_error *err);
    const char *assembler; /**< where it is NULL: the program that people have for that */
    /** Prints an object file as text that assemble() takes. NULL where that is. */
    enum wt_status (*disassemble)(const char *name, const uint8_t *bytes, size_t length, FILE *out,
                                  struct wt_error *err);
    /** Lists the instructions of a GPU with that configuration, a line each; NULL: the default one.
     */
    void (*list_isa)(FILE *out, const void *config);
    /** Tells of each instruction, of those that are refused by name, too. NULL: nothing is told. */
    void (*list_support)(wt_support_fn *tell, void *context);
    /** Lists the registers of a wave: a table (@p form NULL), or in a form of the vendor's. NULL:
     * not offered. */
    enum wt_status (*list_registers)(FILE *out, const char *form, struct wt_error *err);
    /** Explains an instruction's bytes in hexadecimal, field by field, as a GPU with that
     * configuration has it; NULL: the default one. A NULL operation: not offered. */
    enum wt_status (*explain_word)(FILE *out, const char *text, const void *config,
                                   struct wt_error *err);
    /** Lists what differs between versions of the GPU: of all (@p config NULL), or of the one of
     * that configuration. NULL: there is one version. */
    void (*list_profiles)(FILE *out, const void *config);
};

/** Core files (core_file.h). */
struct wt_family_core_file {
    /** Writes sections PTXT of the program; false: its modules tell all. NULL: they always do. */
    bool (*write_code)(struct wt_emulated *e, struct wt_core_writer *w, struct wt_archive *a);
    /** Reads the content of a section PTXT. NULL: there is none. */
    enum wt_status (*take_code)(struct wt_emulated *e, struct wt_archive *a, struct wt_error *err);
    /** Adds the names and lines of such a section to a list. NULL: there is none. */
    enum wt_status (*name_code)(struct wt_archive *a, struct wt_modules *modules,
                                struct wt_error *err);
    /** Writes the text of the instruction at @p pc of such a section, whose code has @p word there;
     * it stays "" where it is another one's. *kept is NULL for the first text of a section; what
     * is kept there for the next ones is freed by code_text_end, which is there if this is, and
     * allows NULL. NULL: there is none. */
    void (*code_text)(void **kept, struct wt_archive *a, uint64_t pc, uint64_t word, char *text,
                      size_t size);
    void (*code_text_end)(void *kept);
    /** The operations of inputs of kind WT_INPUT_OPERATION, NULL at its end; NULL: there are none.
     */
    uint32_t (*const *operations)(struct wt_machine *m, const void *bytes, size_t size);
    /**
     * In the past of a core file: makes the device ready to be inspected, in ways that do not count
     * (a run that no debugger attended has the debug hardware off). NULL: nothing is needed.
     */
    void (*make_ready)(struct wt_emulated *e);
};

/** The debug hardware, and debuggers. */
struct wt_family_debug {
    const struct wt_probe_ops *probe; /**< NULL: there is no debugger */
    /** The probe's link (debug/standstill/link.h), which e->target and host programs get. Waves of
     * a unit; 0: its link is another one. */
    uint32_t unit_waves;
    uint32_t most_units;  /**< most units of a GPU */
    uint32_t shown_units; /**< units of the GPU that front ends show where no program runs */
    uint64_t place[4];    /**< place of an emulated GPU */
    /** Adds what a debugger's target of a device needs. NULL: nothing. */
    void (*attach)(struct wt_emulated *e);
    const struct wt_process_ops *
        process; /**< operations of host programs (process.h). NULL: a debugger cannot reach them */
    bool gdb;    /**< GDB knows its instruction set, so that front ends of GDB's protocol take it */
    /** The registers of its debug hardware on the bus, of the first model. NULL: it has none. */
    const struct wt_hw_table *registers;
    /** Those of the GPU of a configuration. NULL: all have these. */
    const struct wt_hw_table *(*registers_of)(const void *config);
    bool registers_elsewhere; /**< programs and hardware elsewhere offer them by a socket or JTAG */
    /** Whether the debug hardware has something to tell. NULL: a look at it shows. */
    bool (*attention)(struct wt_emulated *e);
    bool looks; /**< … since attention() was asked last: without a wait a look is worth its while */
    /** Launches the kernel again, after a reset, with memory as it is: an input. */
    enum wt_status (*launch_again)(struct wt_emulated *e, struct wt_error *err);
    /** Serves a probe's request of the family's range, as struct wt_server_driver has it
     * (runtime/common/serve.h). NULL: there are none. */
    int32_t (*serve)(struct wt_machine *machine, wt_input_fn *input, void *context,
                     const struct wt_wire_request *request, struct wt_wire_answer *answer,
                     uint8_t *bytes);
    /** Lists what the debug hardware has sent to the host. NULL: it sends nothing. */
    void (*interrupts)(struct wt_emulated *e, FILE *out);
    /** The exceptions at which `exec --catch` stops, by bit; NULL beyond the last. NULL: none. */
    const char *(*exception_name)(unsigned bit);
};

/**
 * Something that users do with a family, for `doctor`. What it needs, with blanks between:
 * "lib:NAME" a library, "cmd:NAME" a command, "file:PATH", "own:driver" the library of the family's
 * driver of host programs, "own:cuda" our folder for clang. The packages are Debian's.
 */
struct wt_family_task {
    const char *name, *needs, *packages;
    bool runs; /**< programs: a family can run if it can do one of these */
};

/** The link to a GPU of so many units of a family. */
static inline struct wt_link wt_family_link(const struct wt_family_debug *family, uint32_t units)
{
    struct wt_link link = {.gpus = 1, .units = {units}};
    memcpy(link.place, family->place, sizeof link.place);
    return link;
}

/** Takes a model of a family: its name in --gpu, what it is in a few words, and the keys
 * ("KEY=VALUE,…") of the family's configuration that choose it; "": the default has them. */
typedef void wt_model_fn(void *context, const char *name, const char *about, const char *keys);

/** A family: what it has, in tables. registry.c is the one place that names the families. */
struct wt_family {
    const char *name;  /**< in --gpu, and in what is stored and sent */
    const char *alias; /**< another one that --gpu takes, where the name is a model's: the newest
                            model; NULL: none */
    void (*models)(wt_model_fn *tell, void *context); /**< tells each model; NULL: there is one */
    /** The name of the model of a configuration. NULL: the family's stands for it. */
    const char *(*model)(const void *config);
    struct wt_family_config config;
    struct wt_family_files files;
    struct wt_family_words words;
    struct wt_profile_shape profile; /**< `together` 0: as many lanes, and banks, as it has */
    unsigned (*line)(const struct wt_emulated *e); /**< profile.line of this device; NULL: that */
    struct wt_family_run run;
    struct wt_family_isa isa;
    struct wt_family_core_file core_file;
    struct wt_family_debug debug;
    const struct wt_host_driver *host;  /**< host of host programs (host_program.h). NULL: none */
    const struct wt_family_task *tasks; /**< one without a name ends them */
};

/** All families; NULL ends the list. */
extern const struct wt_family *const wt_families[];

/** The family whose programs have this e_machine; NULL if there is none. */
const struct wt_family *wt_family_of_machine(unsigned elf_machine);

/** The family of this name, or of the model of this name; NULL: there is none. */
const struct wt_family *wt_family_of_gpu(const char *name);

/** The family that takes a file which is no ELF file; NULL if none knows it. */
const struct wt_family *wt_family_of_file(const char *path);

/** The family a program of which the file, of a host program or another kind, holds; NULL: none. */
const struct wt_family *wt_family_of_contained(const char *path);

/** The registers of the debug hardware of a family's GPU; @p config NULL: of the first model. NULL:
 * it has none. */
const struct wt_hw_table *wt_family_registers(const struct wt_family *family, const void *config);

/** The family whose debug registers programs and hardware elsewhere offer over a socket or JTAG. */
const struct wt_family *wt_family_of_registers(void);

/** The family of host programs where nothing else is said: the first one that a debugger can reach
 * programs of. */
const struct wt_family *wt_family_of_host_programs(void);

/** A choice of GPU: what --gpu says. {0} is none yet. */
struct wt_gpu {
    const struct wt_family *family; /**< NULL: none */
    void *config;                   /**< config of the family */
    char *spec;                     /**< all that was given: "vortex:cores=2,warps=4" */
};

/**
 * Takes "FAMILY" or "FAMILY:KEY=VALUE,…". It may be called again for the same family with other
 * keys; another family, or a key that was given already, gives WT_INVALID.
 */
enum wt_status wt_gpu_choose(struct wt_gpu *gpu, const char *text, struct wt_error *err);

/** The name of the chosen model, "gfx906"; the family's, where that has one. */
const char *wt_gpu_name(const struct wt_gpu *gpu);

/** Lists all families and their keys. */
void wt_gpu_help(FILE *out);
/** Lists the models of all families, a line each: the name, what it is, the keys it stands for. */
void wt_gpu_list_models(FILE *out);

/** Frees what wt_gpu_choose gave. */
void wt_gpu_free(struct wt_gpu *gpu);

#endif

/* A lane's value for the check of uninitialised values: a question, and its answer. */
#ifndef WT_BASE_DEFINED_VIEW_H
#define WT_BASE_DEFINED_VIEW_H

#include "base/object_view.h"
#include "base/wave_name.h"

enum { WT_DEFINED_BYTES = 64 }; /* that one question is about, at most */

struct wt_defined_request {
    uint64_t id;      /**< the wave's */
    uint64_t address; /**< address of memory, as the lane sees it in space 0 */
    uint32_t lane;
    uint32_t from;  /**< the first byte of the lane's value, in a register */
    uint32_t bytes; /**< … so many: 1 to WT_DEFINED_BYTES */
    char name[20];  /**< the register, as the debugger calls it; "#": bytes of the register file, by
                         `from`; "": memory */
};

enum wt_defined_answer {
    WT_DEFINED_NOT_CHECKED, /**< the device has no such check */
    WT_DEFINED_NO_VALUE,    /**< it is no register that instructions write */
    WT_DEFINED_NO_WAVE,     /**< the wave has left its slot */
    WT_DEFINED_FORGOTTEN,   /**< the check knows the past from issue time `since` on */
    WT_DEFINED_CHANGED, /**< the host has written there at issue time `since`, after this time */
    WT_DEFINED_KNOWN,   /**< what follows is known */
};

enum wt_defined_origin {
    WT_ORIGIN_UNKNOWN,
    WT_ORIGIN_REGISTER, /**< that nobody has written since the wave began */
    WT_ORIGIN_PRIVATE,  /**< a lane's own memory */
    WT_ORIGIN_GROUP,    /**< a group's */
    WT_ORIGIN_INACTIVE, /**< a lane that takes no part, whose value another one has taken */
    WT_ORIGIN_OBJECT,   /**< an object of the program */
    WT_ORIGIN_BEYOND,   /**< behind the object that a wider load was for */
    WT_ORIGINS,
};

struct wt_defined_view {
    uint32_t answer; /**< enum wt_defined_answer */
    uint32_t origin; /**< enum wt_defined_origin, of the lowest undefined bit */
    uint64_t since;
    uint8_t undefined[WT_DEFINED_BYTES]; /**< bits of each byte */
    uint8_t computed[WT_DEFINED_BYTES];  /**< computed of these: an instruction has computed them */
    /** The first instruction that has computed with what is undefined; pc 0: none has. */
    uint64_t pc, time;
    char wave[WT_WAVE_NAME];
    struct wt_object_view object; /**< OBJECT, BEYOND */
};

/** "from the group's memory, which nothing has written since the group began", of an enum
 * wt_defined_origin. */
static inline const char *wt_origin_text(unsigned origin)
{
    static const char *const texts[WT_ORIGINS] = {
        [WT_ORIGIN_UNKNOWN] = "of unknown origin",
        [WT_ORIGIN_REGISTER] = "from a register that nothing has written",
        [WT_ORIGIN_PRIVATE] = "from a lane's own memory, which nothing has written",
        [WT_ORIGIN_GROUP] =
            "from the group's memory, which nothing has written since the group began",
        [WT_ORIGIN_INACTIVE] = "from a lane that takes no part in the exchange",
        [WT_ORIGIN_OBJECT] = "from the allocation, where nothing has written",
        [WT_ORIGIN_BEYOND] = "from a load that reaches beyond the object"};
    return texts[origin < WT_ORIGINS ? origin : WT_ORIGIN_UNKNOWN];
}

#endif

/*
 * The registers and fields of the Debug Module of Vortex's debug extension (VxDebug specification,
 * "Debug Module Registers") as a table: for tools that show or set them by name.
 */
#ifndef WT_DEBUG_VORTEX_VXDEBUG_H
#define WT_DEBUG_VORTEX_VXDEBUG_H

#include "base/hw_registers.h"

/** All registers, by address. */
extern const struct wt_hw_table wt_vxdebug_table;

#endif

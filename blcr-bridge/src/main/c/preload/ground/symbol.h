/*
 * The exported functions of a shared object, read from its own tables: the dynamic linker's
 * functions may allocate.
 */
#pragma once

#include <link.h>

/*
 * Returns the function that the object at `base` exports by this name, in its default version; or
 * NULL.
 */
void *sluice_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char *name);

/*
 * Returns the function of this name from the objects behind this library, also from one loaded for
 * another object alone; or NULL.
 */
void *sluice_symbol_loaded(const char *name);

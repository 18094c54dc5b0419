/* What a shared object exports, read from its own tables: the dynamic linker's functions may allocate. */
#pragma once

#include <link.h>

/* The function that an object, which lies at `base`, exports by this name in its default version, or NULL. */
void *sluice_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char *name);

/* The same of what stands behind this library, loaded for all or for one other alone. */
void *sluice_symbol_loaded(const char *name);

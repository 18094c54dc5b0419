/*
 * What mmap(), munmap() and mremap() do, for programs that call the kernel by number. Open MPI is one: it
 * writes a jump over the beginning of the C library's functions, to code that makes those calls. So what
 * came by number goes on by number, and never back to the function.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

void *sluice_mapping_by_number(void *address, size_t length, int protection, int flags, int fd,
                               off_t offset);
int sluice_unmapping_by_number(void *address, size_t length);
void *sluice_remapping_by_number(void *address, size_t old_length, size_t length, int flags,
                                 void *wanted);

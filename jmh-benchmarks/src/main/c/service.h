/* The I/O process that a node's ranks write to, as the benchmark sees it. */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdint.h>

/* Opens the I/O process of SLUICE_DIRECTORY. Returns 0, or -1 after saying why. */
int service_open(void);

/* Bytes of its buffer that are taken. */
int64_t service_buffered(void);

/* Nanoseconds of processor time that all its threads have used. */
int64_t service_cpu(void);

/* Returns 0 when the checkpoint is committed, or -1 after saying why it is not. */
int service_await(int64_t checkpoint);

#endif

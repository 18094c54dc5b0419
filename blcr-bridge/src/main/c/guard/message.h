/*
 * The messages between the guard and the I/O process: packets of one size on a Unix-domain socket.
 * The Java side is org.sluice.iop.outside.GuardMessage.
 */
#pragma once

#include <stdint.h>

enum {
    /* Sent by the I/O process. */
    SLUICE_GUARD_GROUP = 1, /* with a descriptor: of fanotify if `number` is 1, of inotify if 2 */
    SLUICE_GUARD_ALLOW = 2, /* the open asked about under this number may go on */
    SLUICE_GUARD_LEASE = 3, /* with a descriptor: an image whose lease the guard is told of */
    SLUICE_GUARD_DROP = 4,  /* the lease is given back */
    SLUICE_GUARD_PING = 5,

    /* Sent by the guard. */
    SLUICE_GUARD_ASK = 16,    /* a process opens a marked file, and waits */
    SLUICE_GUARD_BROKEN = 17, /* a process opens a leased file, and waits; `number` as in LEASE */
    SLUICE_GUARD_OPENED = 18, /* a process has opened a watched file; `number` is inotify's */
    SLUICE_GUARD_LATE = 19,   /* an open went on without an answer */
    SLUICE_GUARD_PONG = 20,
};

struct sluice_guard_message {
    int32_t type;
    int32_t number;
    int32_t pid;    /* the process that opens by the shim, 0 for any other */
    int32_t thread; /* the thread that opens, 0 unknown */
    int64_t device; /* major << 32 | minor */
    int64_t inode;
};

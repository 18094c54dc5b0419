/* The programs that wait for a file, and since when. One thread. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* By which the kernel says that another process waits for a lease. Blocked, so no handler is
 * needed. */
#define SLUICE_LEASE_SIGNAL (SIGRTMAX - 1)

/* False, with errno, when the segment cannot be mapped. `pid` is the I/O process. */
bool sluice_watch_init(const char *segment, const char *store, int pid);

/* Messages go to and come from this socket, which does not block. */
void sluice_watch_connected(int connection);

/* The descriptor that tells of opens, -1 before there is one. */
int sluice_watch_group(void);

/* Milliseconds until sluice_watch_expire has something to do, -1 for ever. */
int sluice_watch_patience(void);

/* Takes all messages of the I/O process; false when it is gone. */
bool sluice_watch_messages(void);

/* Takes all signals of leases for which other processes wait. */
void sluice_watch_signals(int signals);

/* Takes what there is of opens: asks the I/O process about those that wait. */
void sluice_watch_events(void);

/* Lets those go on for which the I/O process has stood still for a second. */
void sluice_watch_expire(void);

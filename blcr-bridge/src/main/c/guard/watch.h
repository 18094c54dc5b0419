/* The programs that wait for a file, and since when. Called by one thread. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/*
 * The signal by which the kernel says that another process waits for a lease. The signal stays
 * blocked, so no handler is needed.
 */
#define SLUICE_LEASE_SIGNAL (SIGRTMAX - 1)

/*
 * Begins the watch for the I/O process `pid`. False, with errno, when the segment cannot be mapped.
 */
bool sluice_watch_init(const char *segment, const char *store, int pid);

/* Sets the socket for messages to and from the I/O process; it does not block. */
void sluice_watch_connected(int connection);

/* Returns the descriptor that tells of opens, -1 before there is one. */
int sluice_watch_group(void);

/* Returns the milliseconds until sluice_watch_expire() has something to do, -1 for ever. */
int sluice_watch_patience(void);

/* Takes all messages of the I/O process; false when it is gone. */
bool sluice_watch_messages(void);

/* Takes all signals of leases for which other processes wait. */
void sluice_watch_signals(int signals);

/* Takes all messages about opens, and asks the I/O process about programs that wait. */
void sluice_watch_events(void);

/* Lets programs go on for which the I/O process has stood still for a second. */
void sluice_watch_expire(void);

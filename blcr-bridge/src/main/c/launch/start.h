/* The start of an I/O process. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The longest time of a start that the command needs, in milliseconds. */
#define SLUICE_LAUNCH_START_MOST 300000

struct sluice_launch_start {
    const char *name;
    pid_t server;    /* a child of this process */
    int64_t began;   /* time of the start, by sluice_clock_ms() */
    int64_t most;    /* ms from then: the longest time */
    int64_t got_on;  /* time of the last progress */
    int64_t taken;   /* its processor time at the last progress */
    char waits[256]; /* the server that it waits for; "" for none */
    bool told;
    bool begun; /* the server has made something, or is about to */
    bool heeds; /* signals are held back from this process */
    sigset_t former;
};

/*
 * Returns the state of a start that begins now. A start that is `needed` may take five minutes.
 * Any other may take a minute, or the seconds that SLUICE_START_PATIENCE says.
 */
struct sluice_launch_start sluice_launch_start_of(const char *name, pid_t server, bool needed);

/*
 * Holds signals back that would end this process, so that the I/O process ends first. Otherwise the
 * I/O process would wait a minute for this one. sluice_launch_start_leave() lets the signal act.
 */
void sluice_launch_start_heed(struct sluice_launch_start *start);
bool sluice_launch_start_is_to_end(const struct sluice_launch_start *start);
void sluice_launch_start_leave(const struct sluice_launch_start *start);

/*
 * Returns whether the start is still waited for. A start takes long where processors are busy, and
 * may go on as long as it makes progress. Tells the user once what is waited for. Called often.
 */
bool sluice_launch_start_goes_on(struct sluice_launch_start *start);

/*
 * Returns whether the time of a start is over that made progress until now, and waits for no server:
 * the machine is too busy.
 */
bool sluice_launch_start_is_slow(const struct sluice_launch_start *start);

/*
 * Notes lines of the I/O process as progress. Takes lines out of the text that say what it waits
 * for or that it begins.
 */
void sluice_launch_start_heard(struct sluice_launch_start *start, char *text);

/*
 * Ends an I/O process at once that has made nothing yet. Until a JVM has set itself up, it answers
 * a signal that it may heed with an exception. False when the I/O process has begun, or has just
 * ended.
 */
bool sluice_launch_start_forestall(struct sluice_launch_start *start, int fd);

/*
 * Gives the start up. The I/O process has a moment to end by itself, unless `keeps`: it is to leave
 * everything as it is.
 */
void sluice_launch_start_stop(const struct sluice_launch_start *start, bool keeps);

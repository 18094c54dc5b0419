/* An I/O process that is being started. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A start that nothing can do without may take so long, in milliseconds. */
#define SLUICE_LAUNCH_START_MOST 300000

struct sluice_launch_start {
    const char *name;
    pid_t server;    /* a child of this process */
    int64_t began;   /* sluice_clock_ms() */
    int64_t most;    /* milliseconds from then */
    int64_t got_on;  /* when that was seen last */
    int64_t taken;   /* the processor time that it had taken by then */
    char waits[256]; /* the server that it said to wait for; "" for none */
    bool told;
    bool begun; /* it has made something, or is about to */
    bool heeds; /* the signals that end this process */
    sigset_t former;
};

/*
 * A start that a command `needs` may take five minutes. Any other command waits for a minute, or for the seconds that
 * SLUICE_START_PATIENCE says.
 */
struct sluice_launch_start sluice_launch_start_of(const char *name, pid_t server, bool needed);

/*
 * From here on a signal that would end this process first ends the I/O process, which would wait for it for a minute.
 * sluice_launch_start_leave() lets the signal do what it does.
 */
void sluice_launch_start_heed(struct sluice_launch_start *start);
bool sluice_launch_start_is_to_end(const struct sluice_launch_start *start);
void sluice_launch_start_leave(const struct sluice_launch_start *start);

/*
 * Whether it is still waited for: where processors are busy a start takes long, and it takes as long as it gets on. A
 * user is told once what is waited for. To be asked often.
 */
bool sluice_launch_start_goes_on(struct sluice_launch_start *start);

/* Whether its time is over though it got on until now, and waits for no server: the machine is too busy. */
bool sluice_launch_start_is_slow(const struct sluice_launch_start *start);

/*
 * It has said something, which shows that it gets on. Takes lines out of the text that say what it waits for or that
 * it begins.
 */
void sluice_launch_start_heard(struct sluice_launch_start *start, char *text);

/*
 * Ends one at once that has made nothing yet. A signal that a JVM may heed it answers with an exception until it has
 * set itself up. False when it has begun, or has just ended.
 */
bool sluice_launch_start_forestall(struct sluice_launch_start *start, int fd);

/* It is given up. It has a moment to end by itself, unless it is to leave what is there: `keeps`. */
void sluice_launch_start_stop(const struct sluice_launch_start *start, bool keeps);

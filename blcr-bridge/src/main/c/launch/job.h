/* The command line of sluice mpi, and the settings that the ranks of its job are to know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store.h"

struct sluice_launch_job {
    char store[SLUICE_LAUNCH_STORE_LENGTH]; /* an absolute path for all ranks; or a URI */
    bool elsewhere;                         /* the store is a URI */
    const char *series;                     /* NULL for the series that runs continue by default */
    const char *mpi;                        /* openmpi or mpich */
    long restarts;                          /* the most times that the command is run again */
    char **run;                             /* options for sluice run, NULL-terminated */
    char **command;                         /* NULL-terminated, at least one */
    bool rehearses;                         /* a restart is tried and compared, after two waves */
    bool joins;                             /* the ranks start the I/O processes, by sluice run */
};

/*
 * Reads the command line, and puts settings that are the same in all attempts into the environment.
 * A senseless command line ends the process with one line and status 2; a missing command, with
 * 127.
 */
void sluice_launch_job_parse(int count, char **arguments, struct sluice_launch_job *job);

/*
 * Sets a variable for the ranks, NULL for none. Open MPI passes only variables whose names begin
 * with OMPI_ to other nodes. So a second variable has such a name, and sluice run reads it where
 * the first is missing.
 */
void sluice_launch_job_share(const char *name, const char *value);

/* Prints the wave that this attempt begins with, and tells the ranks; below 0 for none. */
void sluice_launch_job_begin(int64_t wave);

/* Takes over variables of the second name, in sluice run. */
void sluice_launch_job_adopt(void);

/* Notes that the user has been told why the job cannot begin. */
void sluice_launch_job_said(void);

/* Notes that the command is about to run. */
void sluice_launch_job_begins(void);

/* The command line of sluice mpi, and what the ranks of its job are to know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store.h"

struct sluice_launch_job {
    char store
        [SLUICE_LAUNCH_STORE_LENGTH]; /* absolute, as ranks may have other working directories; or a URI */
    bool elsewhere;                   /* it is a URI */
    const char *series; /* NULL for that which runs go on with unless told otherwise */
    const char *mpi;    /* openmpi or mpich */
    long restarts;      /* how often the command may be run again */
    char **run;         /* options for sluice run, NULL-terminated */
    char **command;     /* NULL-terminated, at least one */
    bool rehearses;     /* a restart is tried and compared, behind two waves */
    bool joins;         /* its ranks start the I/O processes, by sluice run */
};

/*
 * Reads the command line, and puts into the environment what does not change from attempt to attempt. One that makes
 * no sense ends the process with one line and status 2; a command that is not there, with 127.
 */
void sluice_launch_job_parse(int count, char **arguments, struct sluice_launch_job *job);

/*
 * Sets a variable for the ranks, NULL for none. Open MPI passes those alone to other nodes whose names begin with
 * OMPI_, so a second one is called that way; sluice run reads it where the first is missing.
 */
void sluice_launch_job_share(const char *name, const char *value);

/* Says the wave that this attempt begins with, and tells the ranks; below 0 for none. */
void sluice_launch_job_begin(int64_t wave);

/* On the other side: takes what came by the second way. */
void sluice_launch_job_adopt(void);

/* Tells that a user has been told why the job cannot begin. */
void sluice_launch_job_said(void);

/* And tells that the command is run now. */
void sluice_launch_job_begins(void);

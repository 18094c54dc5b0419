/* The command line of sluice exec. */
#ifndef SLUICE_EXEC_OPTIONS_H
#define SLUICE_EXEC_OPTIONS_H

struct sluice_exec_options {
    const char *name;    /* of the I/O process; NULL for the job's */
    const char *capture; /* never NULL */
    const char *profile; /* the trace's directory; NULL for none */
    char **serve;        /* the options for `sluice serve`, NULL-terminated */
    char **command;      /* NULL-terminated, at least one */
};

/* Reads the command line; one that makes no sense ends the process with one line and status 2. */
void sluice_exec_options_parse(int count, char **arguments, struct sluice_exec_options *options);

#endif

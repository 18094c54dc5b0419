/* Starting an I/O process, `sluice serve`, that outlives this rank. */
#ifndef SLUICE_EXEC_SERVER_H
#define SLUICE_EXEC_SERVER_H

#include <stdbool.h>

/*
 * Returns 0 once the I/O process is ready; otherwise what to exit with, after it or this function
 * has said why. `environment` is not that of the command, which is captured. `resumes`: the I/O
 * process goes on where a killed one left off.
 */
int sluice_exec_server_start(const char *name, char **options, char **environment, bool resumes);

#endif

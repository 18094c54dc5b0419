/* Starting an I/O process, `sluice serve`, that outlives this rank. */
#ifndef SLUICE_EXEC_SERVER_H
#define SLUICE_EXEC_SERVER_H

/*
 * Returns 0 once the I/O process is ready; otherwise what to exit with, after it or this function
 * has said why.
 */
int sluice_exec_server_start(const char *name, char **options);

#endif

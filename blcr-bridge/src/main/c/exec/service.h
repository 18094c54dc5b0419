/* The node's I/O process as seen by one rank: found or started, joined, left. */
#ifndef SLUICE_EXEC_SERVICE_H
#define SLUICE_EXEC_SERVICE_H

#include <limits.h>

#include "connection.h"
#include "options.h"

struct sluice_exec_service {
    char name[256]; /* of the I/O process */
    char directory[PATH_MAX + 256];
    const struct sluice_exec_options *options;
    char **environment; /* of the I/O process: as it was before the command was captured */
    struct sluice_connection connection;
    int failures; /* to resume it, in a row */
};

/*
 * Joins the I/O process of the node, which the first of all ranks that ask starts. Ends the process
 * when there is none after half a minute; one line says why, from whoever saw it fail.
 */
void sluice_exec_service_join(struct sluice_exec_service *service,
                              const struct sluice_exec_options *options);

/*
 * From here on the I/O process is resumed when it is killed: each rank watches it, the first to see
 * it starts another. Starts a thread, which ends with the process.
 */
void sluice_exec_service_watch(struct sluice_exec_service *service);

/*
 * Leaves with the command's exit status. The last rank of the node to leave comes back when
 * everything is drained and committed. Returns `status`, or what says that this went wrong.
 */
int sluice_exec_service_leave(struct sluice_exec_service *service, int status);

#endif

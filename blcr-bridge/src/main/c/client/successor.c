/*
 * A process that has lost its slot, as hold.h says, attaches anew. The old client stays as it is:
 * images refer to it, and threads may be about to look at it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attachment.h"
#include "kernel.h"

/* A lost connection is what a process finds that was brought back where nobody has its session. */
bool sluice_client_adrift(struct sluice_client *client)
{
    if (atomic_load_explicit(&client->connection.lost, memory_order_relaxed)
        && !sluice_client_same_process(client)) {
        client->writer.pool.hold.given->generation = 0;
    }
    return !sluice_pool_held(&client->writer.pool);
}

/*
 * A child has its parent's socket open, and would keep the parent's death from being noticed. What
 * else may have the socket's number by now is left alone.
 */
static void let_go_of_socket(struct sluice_connection *connection)
{
    struct sockaddr_un peer = {0};
    socklen_t length = sizeof peer - 1;
    char expected[sizeof peer.sun_path + 1];
    snprintf(expected, sizeof expected, "%s/socket", connection->directory);
    if (getpeername(connection->socket, (struct sockaddr *)&peer, &length) == 0
        && peer.sun_family == AF_UNIX && strcmp(peer.sun_path, expected) == 0) {
        sluice_kernel_close(connection->socket);
    }
    connection->socket = -1;
}

static struct sluice_client *successor(struct sluice_client *client)
{
    pthread_mutex_lock(&client->succession);
    if (!client->succeeded) {
        client->succeeded = true;
        atomic_store_explicit(&client->connection.lost, true, memory_order_relaxed);
        let_go_of_socket(&client->connection);
        sluice_client_attach(client->connection.directory, client->rank, client->ranks,
                             &client->successor);
    }
    pthread_mutex_unlock(&client->succession);
    return client->successor;
}

struct sluice_client *sluice_client_current(struct sluice_client *client)
{
    while (client != NULL && sluice_client_adrift(client)) {
        client = successor(client);
    }
    return client;
}

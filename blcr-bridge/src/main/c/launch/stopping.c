#include "stopping.h"

#include <signal.h>
#include <string.h>

#include "client.h"
#include "clock.h"
#include "status.h"

/* The time to connect, in milliseconds. */
#define PATIENCE 30000

/*
 * Tells the I/O process to stop, on a new connection, as a request may be under way on the other.
 * An I/O process that is not there is resumed, and told then.
 */
static void preempt(struct sluice_launch_service *service, int grace)
{
    const struct sluice_request_preempt request = {grace};
    struct sluice_connection connection;
    service->stopping[1] = sluice_clock_ms();
    if (service->stopping[0] == 0)
        service->stopping[0] = service->stopping[1];
    if (sluice_connection_open(service->directory, PATIENCE, &connection) != 0)
        return;
    sluice_connection_tell(&connection, SLUICE_REQUEST_PREEMPT, SLUICE_BODY(request));
    sluice_connection_close(&connection);
}

void sluice_launch_stopping_begin(int signal, void *service)
{
    if (signal == SIGTERM)
        preempt(service, 1);
}

static void *heed(void *service)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    for (int signal;;)
        if (sigwait(&signals, &signal) == 0)
            preempt(service, signal == SIGTERM);
    return NULL;
}

void sluice_launch_stopping_heed(struct sluice_launch_service *service)
{
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, heed, service);
    if (error == 0)
        pthread_detach(thread);
    else
        sluice_launch_say("SIGTERM and SIGINT have no effect any more: %s", strerror(error));
}

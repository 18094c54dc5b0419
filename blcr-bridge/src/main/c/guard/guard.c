/*
 * sluice-guard: notices when programs outside Sluice open images. The kernel makes such a program
 * wait, where possible, until the I/O process says that the file holds everything.
 *
 * The guard is a process of its own, since one that answers the kernel must never be stopped
 * together with the I/O process. The guard takes no lock, opens no file and never waits for the I/O
 * process. Every program goes on once the I/O process has stood still for a second. When the guard
 * or the I/O process ends, the kernel lets all go on at once.
 *
 *     sluice-guard SOCKET SEGMENT STORE PID
 *
 * PID is the I/O process, whose end closes the standard input.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "kernel.h"
#include "watch.h"

/* The nice value: the guard has little to do, and programs wait for it. */
#define PRIORITY (-10)

static const char *socket_path;

static void fail(const char *what)
{
    const int error = errno;
    const char *command = getenv("SLUICE_CALLED"); /* the I/O process speaks by this name, too */
    fprintf(stderr, "%s: the guard cannot %s: %s\n", command == NULL ? "sluice serve" : command,
            what, strerror(error));
    exit(1);
}

/* Accepts the I/O process, which is the first to connect: the socket is in its own directory. */
static int accept_io_process(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail("listen");
    }
    strcpy(address.sun_path, socket_path);
    unlink(socket_path);
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0
        || listen(listener, 1) != 0) {
        fail("listen");
    }
    puts("ready");
    fflush(stdout);
    struct pollfd both[] = {{.fd = listener, .events = POLLIN}, {.fd = STDIN_FILENO}};
    if (poll(both, 2, -1) < 0 || both[1].revents != 0)
        exit(0);
    const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0)
        fail("accept");
    unlink(socket_path);
    close(listener);
    return connection;
}

/* Ignores signals to the I/O process's group, and takes those of leases by a descriptor. */
static int take_signals(void)
{
    sigset_t leases;
    sigemptyset(&leases);
    sigaddset(&leases, SIGIO);
    sigaddset(&leases, SLUICE_LEASE_SIGNAL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &leases, NULL);
    return signalfd(-1, &leases, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fputs("usage: sluice-guard SOCKET SEGMENT STORE PID (started by the I/O process)\n",
              stderr);
        return 2;
    }
    socket_path = arguments[1];
    /*
     * Many programs may wait at once, each with a descriptor. Where the kernel has no descriptor
     * left, it denies the open.
     */
    sluice_kernel_allow_files();
    setpriority(PRIO_PROCESS, 0, PRIORITY); /* where that is allowed */
    const int signals = take_signals();
    if (signals < 0 || !sluice_watch_init(arguments[2], arguments[3], atoi(arguments[4])))
        fail("begin");
    const int connection = accept_io_process();
    sluice_watch_connected(connection);
    for (;;) {
        struct pollfd all[] = {{.fd = STDIN_FILENO},
                               {.fd = connection, .events = POLLIN},
                               {.fd = signals, .events = POLLIN},
                               {.fd = sluice_watch_group(), .events = POLLIN}};
        if (poll(all, 4, sluice_watch_patience()) < 0 && errno != EINTR)
            fail("wait");
        if (all[0].revents != 0 || !sluice_watch_messages())
            return 0; /* the I/O process has ended; our end ends the kernel's waiting */
        sluice_watch_signals(signals);
        sluice_watch_events();
        sluice_watch_expire();
    }
}

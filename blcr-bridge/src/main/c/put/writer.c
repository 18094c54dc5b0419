#include "writer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "number.h"
#include "status.h"
#include "where.h"

#define SLICE 200 /* ms of one wait for a commit */

/* Returns whether a signal would end this process. An ignored one, as behind nohup, does not. */
static bool ends(int signal)
{
    struct sigaction now;
    return (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM)
        && sigaction(signal, NULL, &now) == 0 && now.sa_handler != SIG_IGN;
}

void sluice_writer_hear(int signal, void *argument)
{
    struct sluice_writer *writer = argument;
    if (writer->signal == 0 && ends(signal))
        writer->signal = signal;
}

void sluice_writer_heed(struct sluice_writer *writer)
{
    struct signalfd_siginfo heard;
    while (read(writer->signals, &heard, sizeof heard) == sizeof heard) {
        if (writer->command > 0)
            sluice_launch_command_pass((int)heard.ssi_signo, heard.ssi_code, writer->command);
        sluice_writer_hear((int)heard.ssi_signo, writer);
    }
}

void sluice_writer_listen(struct sluice_writer *writer, bool children)
{
    sigset_t blocked;
    sigset_t heard;
    sluice_launch_command_block(&heard);
    if (!children)
        sigdelset(&heard, SIGCHLD);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE); /* a line that nobody reads ends nothing */
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    writer->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (writer->signals < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot hear signals: %m");
}

void sluice_writer_enter(struct sluice_writer *writer, struct sluice_writer_options *options,
                         bool children)
{
    writer->options = options;
    sluice_where_enter(&writer->service, options);
    sluice_writer_listen(writer, children);
    sluice_launch_service_watch(&writer->service);
}

static int status_of(int error)
{
    return error == -EEXIST ? SLUICE_STATUS_EXISTS
        : error == -EINVAL  ? SLUICE_STATUS_USAGE
                            : sluice_launch_status(error);
}

static void close_images(struct sluice_session *session)
{
    while (session != NULL && !LIST_EMPTY(&session->images))
        sluice_image_close(LIST_FIRST(&session->images));
}

_Noreturn void sluice_writer_end(struct sluice_writer *writer, int status)
{
    close_images(writer->session);
    if (writer->begun)
        sluice_checkpoint_cancel(writer->session, writer->options->checkpoint);
    if (writer->session != NULL)
        sluice_session_close(writer->session);
    sluice_launch_service_leave(&writer->service, status);
    exit(status);
}

_Noreturn void sluice_writer_fail(struct sluice_writer *writer, int error)
{
    char why[1024];
    const long long number = writer->options->checkpoint;
    const char *loss = writer->loss == NULL ? "" : writer->loss;
    snprintf(why, sizeof why, "%s", sluice_message());
    const int other = writer->begun ? sluice_checkpoint_wait(writer->session, number, 0) : 0;
    if (other != 0 && other != -ETIMEDOUT) {
        error = other;
        snprintf(why, sizeof why, "%s", sluice_message());
    }
    if (writer->begun && strncmp(why, "checkpoint ", strlen("checkpoint ")) != 0)
        sluice_launch_say("checkpoint %lld is given up: %s%s", number, why, loss);
    else
        sluice_launch_say("%s%s", why, loss);
    sluice_writer_end(writer, status_of(error));
}

/* Returns whether a checkpoint of the number is committed. Failures end the process. */
static bool is_committed(struct sluice_writer *writer, int64_t number)
{
    char name[SLUICE_NAME_LENGTH];
    const int error = sluice_checkpoint_name_of(writer->session, number, name);
    if (error != 0 && error != -ENOENT)
        sluice_writer_fail(writer, error);
    return error == 0;
}

/* Returns whether this process has the number from here on. Failures end the process. */
static bool take(struct sluice_writer *writer, int64_t number)
{
    const char *store = writer->options->service.store;
    const int error = sluice_number_take(store, number, writer->options->joins);
    if (error != 0 && error != -EBUSY) {
        sluice_launch_say("cannot take number %lld in %s: %s", (long long)number, store,
                          strerror(-error));
        sluice_writer_end(writer, status_of(error));
    }
    return error == 0;
}

/* Takes the number that is asked for, or ends the process. */
static void take_given(struct sluice_writer *writer)
{
    const char *more = writer->options->refusal;
    const long long number = writer->options->checkpoint;
    if (!take(writer, number)) {
        sluice_launch_say("checkpoint %lld is in the making by another process: take another "
                          "number, or wait for its end",
                          number);
        sluice_writer_end(writer, SLUICE_STATUS_BUSY);
    }
    if (writer->options->replaces || !is_committed(writer, number))
        return;
    sluice_launch_say("checkpoint %lld is committed already: take another number, or --replace%s",
                      number, more == NULL ? "" : more);
    sluice_writer_end(writer, SLUICE_STATUS_EXISTS);
}

/* Returns the number behind the highest committed one. */
static int64_t behind_highest(struct sluice_writer *writer)
{
    static int64_t listed[1 << 16];
    const size_t most = sizeof listed / sizeof *listed;
    int64_t next = 0;
    const int count = sluice_checkpoint_list(writer->session, listed, most);
    if (count < 0)
        sluice_writer_fail(writer, count);
    for (int i = 0; i < count && i < (int)most; i++)
        next = listed[i] >= next ? listed[i] + 1 : next;
    return next;
}

/*
 * Takes the next number that nobody has. The process that had it may have committed it between the
 * list and the lock.
 */
static void take_next(struct sluice_writer *writer)
{
    int64_t number = behind_highest(writer);
    while (!take(writer, number) || is_committed(writer, number))
        number++;
    writer->options->checkpoint = number;
}

void sluice_writer_begin(struct sluice_writer *writer)
{
    int error = sluice_where_open(writer->service.directory, writer->options, &writer->session);
    if (error != 0)
        sluice_writer_fail(writer, error);
    writer->session->bound = 1;
    if (writer->options->checkpoint < 0)
        take_next(writer);
    else
        take_given(writer);
    error = sluice_checkpoint_begin(writer->session, writer->options->checkpoint);
    if (error != 0)
        sluice_writer_fail(writer, error);
    writer->begun = true;
}

int sluice_writer_look(struct sluice_writer *writer)
{
    const int error = sluice_checkpoint_wait(writer->session, writer->options->checkpoint, 0);
    return error == -ETIMEDOUT ? 0 : error;
}

void sluice_writer_complete(struct sluice_writer *writer)
{
    const int error = sluice_checkpoint_complete(writer->session, writer->options->checkpoint);
    if (error != 0)
        sluice_writer_fail(writer, error);
    writer->begun = false;
}

int sluice_writer_await(struct sluice_writer *writer)
{
    const long long number = writer->options->checkpoint;
    const bool joins = writer->options->joins;
    const int64_t since = sluice_clock_ms();
    bool told = false;
    int error;
    while ((error = sluice_checkpoint_wait(writer->session, number, SLICE)) == -ETIMEDOUT) {
        sluice_writer_heed(writer);
        if (writer->signal != 0) {
            sluice_launch_say("signal %d (%s) came before the commit of checkpoint %lld, which %s",
                              writer->signal, strsignal(writer->signal), number,
                              joins ? "is committed once its other streams are whole"
                                    : "may be committed yet");
            return -EINTR;
        }
        if (!told && sluice_clock_ms() - since >= SLUICE_WRITER_SILENCE) {
            told = true;
            sluice_launch_say("checkpoint %lld is not committed yet; %s waits for %s until SIGTERM",
                              number, sluice_launch_name + strlen("sluice "),
                              joins ? "its other streams and for storage" : "storage");
        }
    }
    return error;
}

int sluice_writer_leave(struct sluice_writer *writer)
{
    sluice_session_close(writer->session);
    return sluice_launch_service_leave(&writer->service, 0);
}

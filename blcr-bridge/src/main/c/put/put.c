/* sluice put: puts a stream into a checkpoint, and waits until that is committed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"
#include "command.h"
#include "put_options.h"
#include "result.h"
#include "session.h"
#include "status.h"
#include "trailer.h"
#include "where.h"

/* Times in milliseconds. SILENCE: until the user is told what is waited for. */
#define SILENCE 60000
#define LOOK 1000
#define SLICE 200

#define PIECE (1 << 20) /* bytes that are read at a time, and those of the pipe */

struct put {
    struct sluice_put_options options;
    struct sluice_launch_service service;
    sluice_session *session;
    sluice_image *image;
    bool begun; /* the checkpoint is this process's to give up */
    struct sluice_trailer trailer;
    char piece[SLUICE_TRAILER_LENGTH + PIECE]; /* the held bytes, and those read behind them */
    int64_t bytes;
    pid_t command; /* 0 for none */
    int source;    /* brings the stream */
    int signals;   /* a descriptor that tells of signals */
    int signal;    /* the first one that ends this process, 0 for none */
    int lost;      /* the negative errno that ends the checkpoint, 0 for none */
};

/* Returns whether a signal would end this process. An ignored one, as behind nohup, does not. */
static bool ends(int signal)
{
    struct sigaction now;
    return (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM)
        && sigaction(signal, NULL, &now) == 0 && now.sa_handler != SIG_IGN;
}

static void hear(int signal, void *argument)
{
    struct put *put = argument;
    if (put->signal == 0 && ends(signal))
        put->signal = signal;
}

/* Handles the signals that came meanwhile. */
static void heed(struct put *put)
{
    struct signalfd_siginfo heard;
    while (read(put->signals, &heard, sizeof heard) == sizeof heard) {
        if (put->command > 0)
            sluice_launch_command_pass((int)heard.ssi_signo, heard.ssi_code, put->command);
        hear((int)heard.ssi_signo, put);
    }
}

static void listen_to_signals(struct put *put)
{
    sigset_t blocked;
    sigset_t heard;
    sluice_launch_command_block(&heard);
    sigdelset(&heard, SIGCHLD);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE); /* a line that nobody reads ends nothing */
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    put->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (put->signals < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot hear signals: %m");
}

static int status_of(int error)
{
    return error == -EEXIST ? SLUICE_STATUS_EXISTS
        : error == -EINVAL  ? SLUICE_STATUS_USAGE
                            : sluice_launch_status(error);
}

/* Ends this process after a line that says why. A checkpoint that it has begun is given up. */
_Noreturn static void end(struct put *put, int status)
{
    if (put->image != NULL)
        sluice_image_close(put->image);
    if (put->begun)
        sluice_checkpoint_cancel(put->session, put->options.checkpoint);
    if (put->session != NULL)
        sluice_session_close(put->session);
    sluice_launch_service_leave(&put->service, status);
    exit(status);
}

/* Ends this process for a failed call. The reason of another process comes first. */
_Noreturn static void fail(struct put *put, int error)
{
    char why[1024];
    const long long number = put->options.checkpoint;
    snprintf(why, sizeof why, "%s", sluice_message());
    const int other = put->begun ? sluice_checkpoint_wait(put->session, number, 0) : 0;
    if (other != 0 && other != -ETIMEDOUT) {
        error = other;
        snprintf(why, sizeof why, "%s", sluice_message());
    }
    if (put->begun && strncmp(why, "checkpoint ", strlen("checkpoint ")) != 0)
        sluice_launch_say("checkpoint %lld is given up: %s", number, why);
    else
        sluice_launch_say("%s", why);
    end(put, status_of(error));
}

static void refuse_committed(struct put *put)
{
    char name[SLUICE_NAME_LENGTH];
    const long long number = put->options.checkpoint;
    const int error = sluice_checkpoint_name_of(put->session, number, name);
    if (error == -ENOENT)
        return;
    if (error != 0)
        fail(put, error);
    sluice_launch_say("checkpoint %lld is committed already: take another number, or --replace; "
                      "--join puts several streams into one",
                      number);
    end(put, SLUICE_STATUS_EXISTS);
}

static void begin(struct put *put)
{
    const struct sluice_put_options *options = &put->options;
    int error = sluice_where_open(put->service.directory, options, &put->session);
    if (error != 0)
        fail(put, error);
    put->session->bound = 1;
    if (!options->replaces)
        refuse_committed(put);
    error = sluice_checkpoint_begin(put->session, options->checkpoint);
    if (error != 0)
        fail(put, error);
    put->begun = true;
    error = sluice_image_create(put->session, options->checkpoint, options->name, &put->image);
    if (error != 0)
        fail(put, error);
}

static void start_command(struct put *put)
{
    int pipe_fds[2];
    const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (pipe2(pipe_fds, O_CLOEXEC) != 0 || dup2(pipe_fds[1], STDOUT_FILENO) < 0) {
        sluice_launch_say("no pipe for %s: %m", put->options.service.command[0]);
        end(put, SLUICE_STATUS_FAILED);
    }
    put->command = sluice_launch_command_start(put->options.service.command);
    if (own >= 0)
        dup2(own, STDOUT_FILENO);
    else
        close(STDOUT_FILENO);
    close(own);
    close(pipe_fds[1]);
    if (put->command < 0)
        end(put, SLUICE_STATUS_FAILED);
    put->source = pipe_fds[0];
}

/* Has the command end for an error that ends the checkpoint. */
static void lose(struct put *put, int error)
{
    put->lost = error;
    if (put->command > 0)
        kill(put->command, SIGTERM);
}

/* Looks whether the checkpoint goes on: one process that fails gives it up for all. */
static void look(void *argument)
{
    struct put *put = argument;
    const int error = sluice_checkpoint_wait(put->session, put->options.checkpoint, 0);
    if (error != 0 && error != -ETIMEDOUT && put->lost == 0)
        lose(put, error);
}

/*
 * Waits for the end of the command. Its pipe is closed first, as a command whose bytes nobody reads
 * would wait for ever. Returns its exit status, 0 where there is none.
 */
static int await_command(struct put *put)
{
    const struct sluice_launch_ears ears = {.heard = hear, .argument = put, .look = look};
    const pid_t command = put->command;
    if (command == 0)
        return 0;
    close(put->source);
    const int status = sluice_launch_command_await(command, &ears);
    put->command = 0;
    return status;
}

/* Ends this process where its stream is given up, as by a signal. */
_Noreturn static void stop(struct put *put)
{
    await_command(put);
    sluice_launch_say("checkpoint %lld is given up: signal %d (%s) came before the end of %s",
                      (long long)put->options.checkpoint, put->signal, strsignal(put->signal),
                      put->options.name);
    end(put, SLUICE_STATUS_SIGNAL + put->signal);
}

/* Reads what is there, and writes what is not the trailer. Returns as take(). */
static ssize_t take_summed(struct put *put)
{
    const ssize_t count = read(put->source, put->piece + put->trailer.held, PIECE);
    if (count < 0)
        return sluice_log_source(-errno);
    const size_t length = sluice_trailer_add(&put->trailer, put->piece, (size_t)count);
    const ssize_t written = sluice_image_write(put->image, put->piece, length);
    memmove(put->piece, put->piece + length, put->trailer.held);
    return written < 0 ? written : count;
}

/* Reads what is there. Returns the number of bytes, 0 at the end, or a negative errno. */
static ssize_t take(struct put *put)
{
    return put->options.trailer ? take_summed(put)
                                : sluice_image_fill(put->image, put->source, PIECE);
}

/* Waits for bytes of the stream, and for signals. Returns whether there are bytes, or the end. */
static bool await_bytes(struct put *put, int64_t since, bool *told)
{
    struct pollfd both[2] = {{.fd = put->source, .events = POLLIN},
                             {.fd = put->signals, .events = POLLIN}};
    const int ready = poll(both, 2, LOOK);
    heed(put);
    if (put->signal != 0)
        stop(put);
    if (ready == 0 && !*told && sluice_clock_ms() - since >= SILENCE) {
        *told = true;
        sluice_launch_say("nothing came for %d s; put waits for the stream until SIGTERM",
                          SILENCE / 1000);
    }
    return ready > 0 && both[0].revents != 0;
}

static void take_stream(struct put *put)
{
    int64_t looked = sluice_clock_ms(), came = looked;
    bool told = false;
    fcntl(put->source, F_SETPIPE_SZ, PIECE); /* a smaller one only takes longer */
    sluice_trailer_begin(&put->trailer);
    for (;;) {
        const bool there = await_bytes(put, came, &told);
        const ssize_t count = there ? take(put) : -EAGAIN;
        if (there && count == 0)
            return;
        if (count < 0 && count != -EAGAIN && count != -EINTR)
            lose(put, (int)count);
        const int64_t now = sluice_clock_ms();
        if (count > 0) {
            put->bytes += count;
            came = now;
        }
        if (now - looked >= LOOK) {
            looked = now;
            look(put);
        }
        if (put->lost != 0) {
            await_command(put);
            fail(put, put->lost);
        }
    }
}

/* Returns why the stream is not whole, NULL if it is. */
static const char *lack(struct put *put)
{
    static char text[200];
    const struct sluice_put_options *options = &put->options;
    const bool holds = !options->trailer || sluice_trailer_holds(&put->trailer, put->piece);
    if (options->trailer && holds)
        put->bytes -= SLUICE_TRAILER_LENGTH;
    if (!holds)
        return "its last line is not the SHA-256 of all bytes before";
    if (options->bytes >= 0 && put->bytes != options->bytes) {
        snprintf(text, sizeof text, "it has %lld bytes and not %lld", (long long)put->bytes,
                 (long long)options->bytes);
        return text;
    }
    if (options->trusts && put->bytes == 0 && options->bytes != 0 && !options->trailer)
        return "it is empty, as that of a producer that never began; --bytes 0 takes it";
    return NULL;
}

/* Ends this process unless the stream is whole. */
static void need_whole(struct put *put)
{
    const long long number = put->options.checkpoint;
    const char *command = *put->options.service.command;
    const int status = await_command(put);
    if (put->signal != 0)
        stop(put);
    if (put->lost != 0)
        fail(put, put->lost);
    if (status == SLUICE_STATUS_NOT_EXECUTABLE || status == SLUICE_STATUS_NO_COMMAND)
        end(put, status); /* after a line already */
    if (status != 0) {
        sluice_launch_say("checkpoint %lld is given up: %s ended with status %d", number, command,
                          status);
        end(put, status);
    }
    const char *why = lack(put);
    if (why != NULL) {
        sluice_launch_say("checkpoint %lld is given up: %s is not whole: %s", number,
                          put->options.name, why);
        end(put, SLUICE_STATUS_FAILED);
    }
}

static void complete(struct put *put)
{
    int error = sluice_image_close(put->image);
    put->image = NULL;
    if (error == 0)
        error = sluice_checkpoint_complete(put->session, put->options.checkpoint);
    if (error != 0)
        fail(put, error);
    put->begun = false;
}

/* Waits until the checkpoint is committed: for storage, and for the streams of other processes. */
static void await_commit(struct put *put)
{
    const long long number = put->options.checkpoint;
    const int64_t since = sluice_clock_ms();
    bool told = false;
    int error;
    while ((error = sluice_checkpoint_wait(put->session, number, SLICE)) == -ETIMEDOUT) {
        heed(put);
        if (put->signal != 0) {
            sluice_launch_say("signal %d (%s) came before the commit of checkpoint %lld, which %s",
                              put->signal, strsignal(put->signal), number,
                              put->options.joins ? "is committed once its other streams are whole"
                                                 : "may be committed yet");
            end(put, SLUICE_STATUS_SIGNAL + put->signal);
        }
        if (!told && sluice_clock_ms() - since >= SILENCE) {
            told = true;
            sluice_launch_say(
                "checkpoint %lld is not committed yet; put waits for %s until SIGTERM", number,
                put->options.joins ? "its other streams and for storage" : "storage");
        }
    }
    if (error != 0)
        fail(put, error);
}

/*
 * Keeps the numbers of the standard descriptors for those. A stream that is to come through a closed
 * one ends the process.
 */
static void need_descriptors(const struct put *put)
{
    if (*put->options.service.command == NULL && fcntl(STDIN_FILENO, F_GETFD) < 0)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "standard input is closed");
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

int main(int count, char **arguments)
{
    static struct put put;
    sluice_launch_name = "sluice put";
    sluice_put_options_parse(count, arguments, &put.options);
    need_descriptors(&put);
    sluice_where_enter(&put.service, &put.options);
    listen_to_signals(&put);
    sluice_launch_service_watch(&put.service);
    begin(&put);
    put.source = STDIN_FILENO;
    if (*put.options.service.command != NULL)
        start_command(&put);
    take_stream(&put);
    need_whole(&put);
    complete(&put);
    await_commit(&put);
    sluice_session_close(put.session);
    const int failure = sluice_launch_service_leave(&put.service, 0);
    return failure != 0 ? failure : sluice_put_result_print(&put.options, put.bytes);
}

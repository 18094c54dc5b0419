/* sluice put: puts a stream into a checkpoint, and waits until that is committed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "line.h"
#include "put_options.h"
#include "result.h"
#include "status.h"
#include "trailer.h"
#include "writer.h"

struct put {
    struct sluice_put_options options;
    struct sluice_writer writer;
    sluice_image *image;
    struct sluice_trailer trailer;
    char piece[SLUICE_TRAILER_LENGTH + SLUICE_WRITER_PIECE]; /* the held bytes, and those behind */
    int64_t bytes;
    int source; /* brings the stream */
    int lost;   /* the negative errno that ends the checkpoint, 0 for none */
};

static void begin(struct put *put)
{
    sluice_writer_begin(&put->writer);
    const int error = sluice_image_create(put->writer.session, put->options.writer.checkpoint,
                                          put->options.name, &put->image);
    if (error != 0)
        sluice_writer_fail(&put->writer, error);
}

static void start_command(struct put *put)
{
    int pipe_fds[2];
    const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (pipe2(pipe_fds, O_CLOEXEC) != 0 || dup2(pipe_fds[1], STDOUT_FILENO) < 0) {
        sluice_launch_say("no pipe for %s: %m", put->options.writer.service.command[0]);
        sluice_writer_end(&put->writer, SLUICE_STATUS_FAILED);
    }
    put->writer.command = sluice_launch_command_start(put->options.writer.service.command);
    if (own >= 0)
        dup2(own, STDOUT_FILENO);
    else
        close(STDOUT_FILENO);
    close(own);
    close(pipe_fds[1]);
    if (put->writer.command < 0)
        sluice_writer_end(&put->writer, SLUICE_STATUS_FAILED);
    put->source = pipe_fds[0];
}

static void hear(int signal, void *argument)
{
    struct put *put = argument;
    sluice_writer_hear(signal, &put->writer);
}

/* Has the command end for an error that ends the checkpoint. */
static void lose(struct put *put, int error)
{
    put->lost = error;
    if (put->writer.command > 0)
        kill(put->writer.command, SIGTERM);
}

/* Looks whether the checkpoint goes on: one process that fails gives it up for all. */
static void look(void *argument)
{
    struct put *put = argument;
    const int error = sluice_writer_look(&put->writer);
    if (error != 0 && put->lost == 0)
        lose(put, error);
}

/*
 * Waits for the end of the command. Its pipe is closed first, as a command whose bytes nobody reads
 * would wait for ever. Returns its exit status, 0 where there is none.
 */
static int await_command(struct put *put)
{
    const struct sluice_launch_ears ears = {.heard = hear, .argument = put, .look = look};
    const pid_t command = put->writer.command;
    if (command == 0)
        return 0;
    close(put->source);
    const int status = sluice_launch_command_await(command, &ears);
    put->writer.command = 0;
    return status;
}

/* Ends this process where its stream is given up, as by a signal. */
_Noreturn static void stop(struct put *put)
{
    await_command(put);
    sluice_launch_say("checkpoint %lld is given up: signal %d (%s) came before the end of %s",
                      (long long)put->options.writer.checkpoint, put->writer.signal,
                      strsignal(put->writer.signal), put->options.name);
    sluice_writer_end(&put->writer, SLUICE_STATUS_SIGNAL + put->writer.signal);
}

/* Reads what is there, and writes what is not the trailer. Returns as take(). */
static ssize_t take_summed(struct put *put)
{
    const ssize_t count = read(put->source, put->piece + put->trailer.held, SLUICE_WRITER_PIECE);
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
                                : sluice_image_fill(put->image, put->source, SLUICE_WRITER_PIECE);
}

/* Waits for bytes of the stream, and for signals. Returns whether there are bytes, or the end. */
static bool await_bytes(struct put *put, int64_t since, bool *told)
{
    struct pollfd both[2] = {{.fd = put->source, .events = POLLIN},
                             {.fd = put->writer.signals, .events = POLLIN}};
    const int ready = poll(both, 2, SLUICE_WRITER_LOOK);
    sluice_writer_heed(&put->writer);
    if (put->writer.signal != 0)
        stop(put);
    if (ready == 0 && !*told && sluice_clock_ms() - since >= SLUICE_WRITER_SILENCE) {
        *told = true;
        sluice_launch_say("nothing came for %d s; put waits for the stream until SIGTERM",
                          SLUICE_WRITER_SILENCE / 1000);
    }
    return ready > 0 && both[0].revents != 0;
}

static void take_stream(struct put *put)
{
    int64_t looked = sluice_clock_ms(), came = looked;
    bool told = false;
    fcntl(put->source, F_SETPIPE_SZ, SLUICE_WRITER_PIECE); /* a smaller one only takes longer */
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
        if (now - looked >= SLUICE_WRITER_LOOK) {
            looked = now;
            look(put);
        }
        if (put->lost != 0) {
            await_command(put);
            sluice_writer_fail(&put->writer, put->lost);
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
    const long long number = put->options.writer.checkpoint;
    const char *command = *put->options.writer.service.command;
    const int status = await_command(put);
    if (put->writer.signal != 0)
        stop(put);
    if (put->lost != 0)
        sluice_writer_fail(&put->writer, put->lost);
    if (status == SLUICE_STATUS_NOT_EXECUTABLE || status == SLUICE_STATUS_NO_COMMAND)
        sluice_writer_end(&put->writer, status); /* after a line already */
    if (status != 0) {
        sluice_launch_say("checkpoint %lld is given up: %s ended with status %d", number, command,
                          status);
        sluice_writer_end(&put->writer, status);
    }
    const char *why = lack(put);
    if (why != NULL) {
        sluice_launch_say("checkpoint %lld is given up: %s is not whole: %s", number,
                          put->options.name, why);
        sluice_writer_end(&put->writer, SLUICE_STATUS_FAILED);
    }
}

static void complete(struct put *put)
{
    struct sluice_writer *writer = &put->writer;
    int error = sluice_image_close(put->image);
    if (error != 0)
        sluice_writer_fail(writer, error);
    sluice_writer_complete(writer);
    error = sluice_writer_await(writer);
    if (error == -EINTR)
        sluice_writer_end(writer, SLUICE_STATUS_SIGNAL + writer->signal);
    if (error != 0)
        sluice_writer_fail(writer, error);
}

/* Tells that a stream of so many bytes is committed. Returns the exit status. */
static int tell(const struct put *put)
{
    const struct sluice_writer_options *writer = &put->options.writer;
    char name[4096];
    if (writer->json) {
        sluice_result_begin();
        sluice_result_number("checkpoint", writer->checkpoint);
        sluice_result_number("rank", writer->rank);
        sluice_result_number("ranks", writer->ranks);
        sluice_result_text("name", put->options.name);
        sluice_result_number("bytes", put->bytes);
        sluice_result_end();
    } else {
        sluice_line(name, sizeof name, put->options.name);
        sluice_result_print("checkpoint %lld has %s of rank %d: %lld bytes\n",
                            (long long)writer->checkpoint, name, writer->rank,
                            (long long)put->bytes);
    }
    return sluice_result_status(writer->checkpoint, "committed");
}

/*
 * Keeps the numbers of the standard descriptors for those. A stream that is to come through a closed
 * one ends the process.
 */
static void need_descriptors(const struct put *put)
{
    if (*put->options.writer.service.command == NULL && fcntl(STDIN_FILENO, F_GETFD) < 0)
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
    sluice_writer_enter(&put.writer, &put.options.writer, false);
    begin(&put);
    put.source = STDIN_FILENO;
    if (*put.options.writer.service.command != NULL)
        start_command(&put);
    take_stream(&put);
    need_whole(&put);
    complete(&put);
    const int failure = sluice_writer_leave(&put.writer);
    return failure != 0 ? failure : tell(&put);
}

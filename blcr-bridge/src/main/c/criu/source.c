#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "status.h"

/* Becomes the process. `ends` are its standard input and output. */
_Noreturn static void become(const struct sluice_criu_options *options, pid_t parent,
                             const int ends[2])
{
    char program[3100];
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(SLUICE_STATUS_FAILED);
    sluice_launch_installed(program, sizeof program, "scripts/sluice");
    char *words[10] = {program, "criu", "images", "--store", (char *)options->writer.service.store};
    size_t count = 5;
    if (options->series != NULL) {
        words[count++] = "--series";
        words[count++] = options->series;
    }
    if (options->checkpoint != NULL) {
        words[count++] = "--checkpoint";
        words[count++] = options->checkpoint;
    }
    setpgid(0, 0); /* a terminal's signal ends the restore first */
    setenv("SLUICE_CALLED", sluice_launch_name, 1);
    dup2(ends[0], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(program, words);
    sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot run %s: %m; set SLUICE_HOME", program);
}

void sluice_source_start(struct sluice_source *source, const struct sluice_criu_options *options)
{
    int in[2], out[2];
    const pid_t parent = getpid();
    *source = (struct sluice_source){.checkpoint = -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || (source->process = fork()) < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot start what verifies the checkpoint: %m");
    if (source->process == 0)
        become(options, parent, (int[]){in[0], out[1]});
    close(in[0]);
    close(out[1]);
    source->to = in[1];
    source->from = out[0];
    fcntl(source->from, F_SETFL, O_NONBLOCK);
}

/* Reads what is there. Returns the bytes, 0 for none yet, or a negative errno. */
static int read_more(struct sluice_source *source)
{
    const ssize_t count =
        read(source->from, source->text + source->have, sizeof source->text - source->have);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    source->have += (size_t)count;
    return count == 0 ? -EPIPE : (int)count;
}

/* Returns the first text that came, to be freed by the caller; NULL while none is whole. */
static char *next_text(struct sluice_source *source)
{
    const char *end = memchr(source->text, 0, source->have);
    if (end == NULL)
        return NULL;
    const size_t length = (size_t)(end - source->text) + 1;
    char *text = malloc(length);
    if (text == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    memcpy(text, source->text, length);
    memmove(source->text, source->text + length, source->have - length);
    source->have -= length;
    return text;
}

/* Adds a text to the list: the number, or a size or a path of an image. */
static void add_text(struct sluice_source *source, char *text)
{
    if (source->checkpoint < 0) {
        source->checkpoint = strtoll(text, NULL, 10);
        free(text);
        return;
    }
    if (source->count == 0 || source->images[source->count - 1].path != NULL) {
        source->images = realloc(source->images, (source->count + 1) * sizeof *source->images);
        if (source->images == NULL)
            sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
        source->images[source->count++] =
            (struct sluice_source_image){.size = strtoll(text, NULL, 10)};
        free(text);
        return;
    }
    source->images[source->count - 1].path = text;
}

int sluice_source_list(struct sluice_source *source)
{
    const int got = read_more(source);
    char *text;
    while ((text = next_text(source)) != NULL) {
        if (*text == 0) {
            free(text);
            return 1;
        }
        add_text(source, text);
    }
    return got < 0 ? got : 0;
}

const struct sluice_source_image *sluice_source_find(const struct sluice_source *source,
                                                     const char *path)
{
    for (size_t i = 0; i < source->count; i++)
        if (strcmp(source->images[i].path, path) == 0)
            return &source->images[i];
    return NULL;
}

void sluice_source_write(struct sluice_source *source, const char *path, int pipe)
{
    char text[8192];
    const int length = snprintf(text, sizeof text, "%d%c%s", pipe, 0, path) + 1;
    source->writing++;
    for (int done = 0; done < length;) {
        const ssize_t count = write(source->to, text + done, (size_t)(length - done));
        if (count < 0 && errno != EINTR)
            return; /* its end is heard */
        done += count > 0 ? (int)count : 0;
    }
}

bool sluice_source_heed(struct sluice_source *source)
{
    const int got = read_more(source);
    char *text;
    while ((text = next_text(source)) != NULL) {
        const bool failed = *text == '-';
        if (!failed) {
            close(atoi(text));
            source->writing--;
        }
        free(text);
        if (failed)
            return false;
    }
    return got >= 0;
}

int sluice_source_end(struct sluice_source *source)
{
    int status = 0;
    close(source->to);
    while (waitpid(source->process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? SLUICE_STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

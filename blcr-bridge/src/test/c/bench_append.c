/* What one logged write costs: nanoseconds per write, both mutexes included, drain not. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "fake_io_process.h"

#define CHUNKS 256
#define CHUNK_LENGTH (1 << 20)
#define BYTES_PER_PASS (INT64_C(128) << 20)
#define PASSES 9

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void write_pass(struct sluice_log_image *image, int fd, const char *data, size_t length)
{
    for (int64_t offset = 0; offset < BYTES_PER_PASS; offset += (int64_t)length) {
        pthread_mutex_lock(&image->lock);
        const ssize_t written = sluice_log_pwrite(image, fd, data, length, offset);
        pthread_mutex_unlock(&image->lock);
        if (written != (ssize_t)length) {
            fprintf(stderr, "write: %zd %s\n", written, sluice_client_message());
            exit(1);
        }
    }
}

static void measure(struct sluice_log_image *image, int fd, size_t length)
{
    static char data[1 << 20];
    memset(data, 'b', sizeof data);
    double best = 1e18;
    for (int pass = 0; pass < PASSES; pass++) {
        const double begin = now();
        write_pass(image, fd, data, length);
        const double taken = now() - begin;
        best = taken < best ? taken : best;
    }
    const double writes = (double)BYTES_PER_PASS / (double)length;
    printf("%8zu B  %10.1f ns/write  %6.2f GB/s\n", length, best / writes,
           (double)BYTES_PER_PASS / best);
}

/* In a process of its own: without threads glibc's mutexes need no atomic instructions. */
static pid_t start_io_process(char *directory, size_t capacity)
{
    int fds[2];
    if (pipe(fds) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        static struct fake_io_process iop;
        fake_start(&iop, (struct fake_geometry){SLUICE_HEADER_LAYOUT_FILES, CHUNKS, CHUNK_LENGTH,
                                                INT64_C(1) << 40, SLUICE_HEADER_POLICY_FIXED});
        iop.careless = true;
        const bool told = write(fds[1], iop.directory, capacity) == (ssize_t)capacity;
        while (told) {
            pause();
        }
        _exit(1);
    }
    return read(fds[0], directory, capacity) == (ssize_t)capacity ? child : -1;
}

static void measure_all(struct sluice_client *client, const char *directory)
{
    char path[128];
    snprintf(path, sizeof path, "%s/image", directory);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    struct sluice_disposition disposition;
    if (fstat(fd, &status) != 0
        || sluice_log_announce(client, status.st_dev, status.st_ino, SLUICE_REQUEST_OPEN_CREATED,
                               path, &disposition)
            != 0) {
        fprintf(stderr, "%s\n", sluice_client_message());
        exit(1);
    }
    struct sluice_log_image image;
    sluice_log_init(&image, client, &disposition);
    const size_t lengths[] = {8, 64, 4096, 65536, 1 << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        measure(&image, fd, lengths[i]);
    }
    sluice_log_end(&image);
}

static void *idle(void *argument)
{
    pause();
    return argument;
}

int main(void)
{
    char directory[64];
    const pid_t io_process = start_io_process(directory, sizeof directory);
    struct sluice_client *client;
    if (io_process < 0 || sluice_client_attach(directory, 0, 1, &client) != 0) {
        fprintf(stderr, "%s\n", sluice_client_message());
        return 1;
    }
    puts("one thread");
    measure_all(client, directory);
    puts("a second thread exists, as in most MPI programs");
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    measure_all(client, directory);
    kill(io_process, SIGKILL);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

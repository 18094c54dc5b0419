#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "job.h"
#include "server.h"
#include "status.h"

/* How long a rank waits for others that start the I/O process, in milliseconds. */
#define PATIENCE 30000
#define NAP 5

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP * 1000000}, NULL);
}

/* Names the directory of the I/O process, absolute, and creates what is above it. */
static void name_directory(struct sluice_exec_service *service, const char *name)
{
    char base[512];
    char absolute[PATH_MAX];
    const char *runtime = getenv("SLUICE_RUNTIME");
    if (runtime != NULL && *runtime != 0) {
        snprintf(base, sizeof base, "%s", runtime);
    } else {
        snprintf(base, sizeof base, "/dev/shm/sluice-%u", (unsigned)getuid());
    }
    if ((mkdir(base, 0700) != 0 && errno != EEXIST) || realpath(base, absolute) == NULL) {
        const int error = errno;
        sluice_exec_fail(sluice_exec_status(-error), "cannot create %s: %s; set SLUICE_RUNTIME",
                         base, strerror(error));
    }
    snprintf(service->directory, sizeof service->directory, "%s/%s", absolute, name);
}

static void name_start_file(const struct sluice_exec_service *service, char *path, size_t capacity)
{
    snprintf(path, capacity, "%s.start", service->directory);
}

/*
 * The starting of an I/O process is guarded by a lock on a file beside its directory. Who starts one
 * in vain leaves the exit status in the file, for those that waited meanwhile.
 */
static int open_start_file(const struct sluice_exec_service *service)
{
    char path[PATH_MAX + 300];
    name_start_file(service, path, sizeof path);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        const int error = errno;
        sluice_exec_fail(sluice_exec_status(-error), "cannot open %s: %s", path, strerror(error));
    }
    return fd;
}

/* A rank that leaves removes the file; who locked it meanwhile has locked nothing. */
static bool still_there(int fd, const struct sluice_exec_service *service)
{
    char path[PATH_MAX + 300];
    struct stat opened;
    struct stat named;
    name_start_file(service, path, sizeof path);
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino;
}

static int lock_start_file(const struct sluice_exec_service *service)
{
    for (int waited = 0; waited < PATIENCE; waited += NAP) {
        const int fd = open_start_file(service);
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && still_there(fd, service)) {
            return fd;
        }
        close(fd);
        nap();
    }
    sluice_exec_fail(SLUICE_STATUS_FAILED,
                     "the I/O process for %s is still being started by another rank after %d s; try "
                     "again, or --name another",
                     service->directory, PATIENCE / 1000);
}

static void remove_start_file(const struct sluice_exec_service *service)
{
    char path[PATH_MAX + 300];
    name_start_file(service, path, sizeof path);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && still_there(fd, service)) {
        unlink(path);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* Ends like the rank that failed to start the I/O process while this one was waiting. */
static void heed_failure(int fd, const struct timespec *since)
{
    struct stat file;
    unsigned char status;
    if (fstat(fd, &file) == 0 && pread(fd, &status, 1, 0) == 1
        && (file.st_mtim.tv_sec > since->tv_sec
            || (file.st_mtim.tv_sec == since->tv_sec && file.st_mtim.tv_nsec > since->tv_nsec))) {
        exit(status);
    }
}

static void start(int fd, const struct sluice_exec_service *service, const char *name,
                  const struct sluice_exec_options *options)
{
    const int status = sluice_exec_server_start(name, options->serve);
    if (status == 0) {
        return;
    }
    const unsigned char left = (unsigned char)status;
    if (pwrite(fd, &left, 1, 0) != 1) {
        sluice_exec_say("cannot tell the other ranks in %s.start: %s", service->directory,
                        strerror(errno));
    }
    exit(status);
}

/* Joins the I/O process if there is one that is not just about to end. */
static int try_join(struct sluice_exec_service *service)
{
    int error = sluice_connection_open(service->directory, &service->connection);
    if (error != 0) {
        return error;
    }
    const int32_t version = SLUICE_HEADER_VERSION;
    error = sluice_connection_request(
        &service->connection, SLUICE_REQUEST_JOIN,
        &(struct sluice_body){.fields = &version, .length = sizeof version}, NULL);
    if (error != 0) {
        sluice_connection_close(&service->connection);
    }
    return error;
}

static int join_running(struct sluice_exec_service *service)
{
    int error = try_join(service);
    for (int waited = 0; error == -EIO && waited < PATIENCE; waited += NAP) {
        nap();
        error = try_join(service);
    }
    return error;
}

void sluice_exec_service_join(struct sluice_exec_service *service,
                              const struct sluice_exec_options *options)
{
    char name[256];
    struct timespec since;
    clock_gettime(CLOCK_REALTIME_COARSE, &since);
    if (options->name != NULL) {
        snprintf(name, sizeof name, "%s", options->name);
    } else {
        sluice_exec_job_name(name, sizeof name);
    }
    name_directory(service, name);
    const int fd = lock_start_file(service);
    int error = join_running(service);
    if (error == -ENOENT || error == -ECONNREFUSED) {
        heed_failure(fd, &since);
        start(fd, service, name, options);
        error = try_join(service);
    }
    close(fd);
    if (error != 0) {
        sluice_exec_fail(sluice_exec_status(error), "%s", sluice_client_message());
    }
}

int sluice_exec_service_leave(struct sluice_exec_service *service, int status)
{
    const int32_t left = status;
    const int error = sluice_connection_request(
        &service->connection, SLUICE_REQUEST_LEAVE,
        &(struct sluice_body){.fields = &left, .length = sizeof left}, NULL);
    if (error != 0) {
        sluice_exec_say("%s", sluice_client_message());
    }
    sluice_connection_close(&service->connection);
    remove_start_file(service);
    return status == 0 && error != 0 ? sluice_exec_status(error) : status;
}

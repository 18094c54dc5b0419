#include "standstill.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "clock.h"
#include "sluice_layout.h"

#define STARVED_SHARE 10

static const struct sluice_header *header;
static pid_t io_process;
static int32_t thread;
static int state_fd = -1;
static int64_t turns, looked;

void sluice_standstill_init(const struct sluice_header *segment, pid_t pid)
{
    header = segment;
    io_process = pid;
}

/*
 * Returns the state of the service thread in the kernel: R waits for a processor, D for storage. 0
 * unknown.
 */
static char state_of_service(void)
{
    char path[64], text[256];
    const int32_t now = atomic_load_explicit(&header->service, memory_order_acquire);
    if (now != thread) {
        thread = now;
        if (state_fd >= 0)
            close(state_fd);
        snprintf(path, sizeof path, "/proc/%d/task/%d/stat", io_process, thread);
        state_fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    const ssize_t length = state_fd < 0 ? -1 : pread(state_fd, text, sizeof text - 1, 0);
    text[MAX(length, 0)] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}

int64_t sluice_standstill_look(void)
{
    const int64_t time = sluice_clock_ms();
    const int64_t passed = MIN(time - looked, 2 * SLUICE_STANDSTILL_LOOK_MILLIS);
    const int64_t found = atomic_load_explicit(&header->turns, memory_order_relaxed);
    const char state = state_of_service();
    const bool got_on = found != turns;
    looked = time;
    turns = found;
    return got_on ? -1 : state == 'R' || state == 'D' ? passed / STARVED_SHARE : passed;
}

#include "opener.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "openings.h"

static const struct sluice_header *header;
static pid_t io_process;

void sluice_opener_init(const struct sluice_header *segment, pid_t pid)
{
    header = segment;
    io_process = pid;
}

bool sluice_opener_is_ours(pid_t thread)
{
    char task[64];
    struct stat status;
    snprintf(task, sizeof task, "/proc/%d/task/%d", io_process, thread);
    return thread == getpid() || stat(task, &status) == 0;
}

pid_t sluice_opener_announced(pid_t thread)
{
    const uint64_t word = (uint64_t)atomic_load_explicit(
        &header->openings[sluice_openings_index(thread)], memory_order_acquire);
    return (pid_t)(uint32_t)word == thread ? (pid_t)(word >> 32) : 0;
}

/*
 * Returns whether a process has a slot. The slots may be read without asking. A process that
 * becomes another program keeps its slot a moment longer, and the program may lack the shim.
 */
bool sluice_opener_is_attached(pid_t pid)
{
    const struct sluice_slot *slots =
        (const struct sluice_slot *)((const uint8_t *)header + header->slots);
    for (int32_t i = 0; i < header->slot_count; i++) {
        if (slots[i].pid == pid
            && atomic_load_explicit(&slots[i].state, memory_order_acquire)
                == SLUICE_SLOT_STATE_ATTACHED
            && atomic_load_explicit(&slots[i].left, memory_order_acquire) == 0) {
            return true;
        }
    }
    return false;
}

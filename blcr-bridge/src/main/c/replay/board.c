#include "board.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct replay_board *replay_board_map(int *fd, int ranks)
{
    const size_t length =
        sizeof(struct replay_board) + sizeof(struct replay_result) * (size_t)ranks;
    if (*fd <= 0) {
        *fd = memfd_create("replay-board", 0);
        if (*fd < 0 || ftruncate(*fd, (off_t)length) != 0)
            return NULL;
    }
    void *board = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    return board == MAP_FAILED ? NULL : board;
}

void replay_board_wait(_Atomic uint32_t *word, uint32_t value, int milliseconds)
{
    const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

/*
 * Waits until all ranks have come. No rank leaves a barrier before that, so the next one begins at
 * a multiple of the ranks.
 */
void replay_board_meet(struct replay_board *board, uint32_t ranks)
{
    const uint32_t before = atomic_fetch_add_explicit(&board->met, 1, memory_order_acq_rel);
    const uint32_t all = before - before % ranks + ranks;
    while ((int32_t)(atomic_load_explicit(&board->met, memory_order_acquire) - all) < 0
           && !board->stopped) {
        sched_yield();
    }
}

void replay_board_advance(_Atomic uint32_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_release);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/*
 * The list of the actions put into each posix_spawn_file_actions_t, which only the C library can
 * read. A structure copied byte for byte is not known here.
 */
#include "actions.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "memory.h"
#include "open.h"
#include "real.h"

enum kind { OPENS, CHANGES_DIRECTORY, CHANGES_TO_DESCRIPTOR };

static struct action {
    const posix_spawn_file_actions_t *of;
    enum kind kind;
    int number; /* the flags of an opening, or a descriptor */
    struct action *next;
    char path[];
} *all; /* in the order of their addition; guarded by the lock of the images */

static void remember_action(const posix_spawn_file_actions_t *actions, enum kind kind, int number,
                            const char *path)
{
    if (!sluice_capture_on() || sluice_guard_inside())
        return;
    struct action *action = sluice_memory_take(sizeof *action + strlen(path) + 1);
    if (action == NULL)
        return;
    *action = (struct action){.of = actions, .kind = kind, .number = number};
    strcpy(action->path, path);
    sluice_images_lock();
    struct action **link = &all;
    while (*link != NULL)
        link = &(*link)->next;
    *link = action;
    sluice_images_unlock();
}

static void forget_actions(const posix_spawn_file_actions_t *actions)
{
    if (all == NULL || sluice_guard_inside())
        return;
    sluice_images_lock();
    for (struct action **link = &all; *link != NULL;) {
        struct action *action = *link;
        if (action->of == actions) {
            *link = action->next;
            sluice_memory_give(action);
        } else {
            link = &action->next;
        }
    }
    sluice_images_unlock();
}

/* Copies the action at an index, since opening a file takes the lock. False behind the last one. */
static bool copy_action(const posix_spawn_file_actions_t *actions, int index, struct action *copy,
                        char path[PATH_MAX])
{
    sluice_images_lock();
    const struct action *action = all;
    while (action != NULL && (action->of != actions || index-- > 0))
        action = action->next;
    const bool found = action != NULL && strlen(action->path) < PATH_MAX;
    if (found) {
        *copy = *action;
        strcpy(path, action->path);
    }
    sluice_images_unlock();
    return found;
}

void sluice_actions_settle(const posix_spawn_file_actions_t *actions)
{
    struct action action;
    char path[PATH_MAX];
    int directory = AT_FDCWD, opened = -1;
    if (actions == NULL || all == NULL || sluice_guard_inside())
        return;
    for (int i = 0; copy_action(actions, i, &action, path); i++) {
        if (action.kind == OPENS) {
            sluice_open_settle(directory, path, action.number & ~(O_CREAT | O_EXCL | O_TRUNC));
            continue;
        }
        const int former = opened;
        opened = action.kind == CHANGES_DIRECTORY
            ? REAL(openat)(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC)
            : -1;
        directory = action.kind == CHANGES_DIRECTORY ? opened : action.number;
        if (former >= 0)
            REAL(close)(former);
    }
    if (opened >= 0)
        REAL(close)(opened);
}

SLUICE_BEFORE(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t *actions), (actions),
              forget_actions(actions))
SLUICE_BEFORE(int, posix_spawn_file_actions_destroy, (posix_spawn_file_actions_t *actions),
              (actions), forget_actions(actions))

SLUICE_AFTER(int, posix_spawn_file_actions_addopen,
             (posix_spawn_file_actions_t *restrict actions, int fd, const char *restrict path,
              int flags, mode_t mode),
             (actions, fd, path, flags, mode),
             if (result == 0) remember_action(actions, OPENS, flags, path))
SLUICE_AFTER(int, posix_spawn_file_actions_addchdir_np,
             (posix_spawn_file_actions_t *restrict actions, const char *restrict path),
             (actions, path), if (result == 0) remember_action(actions, CHANGES_DIRECTORY, 0, path))
SLUICE_AFTER(int, posix_spawn_file_actions_addfchdir_np,
             (posix_spawn_file_actions_t *actions, int fd), (actions, fd),
             if (result == 0) remember_action(actions, CHANGES_TO_DESCRIPTOR, fd, ""))

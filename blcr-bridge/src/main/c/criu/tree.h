/* A tree of processes that one CRIU dumps or restores, and the connection of that CRIU. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "criu_options.h"
#include "inventory.h"
#include "wire.h"

/* The socket by which CRIU says that its images are written, and hears whether they are committed. */
#define SLUICE_TREE_HOLD "hold.sock"

struct sluice_tree {
    char images[108];   /* the images directory, which CRIU is given */
    bool own;           /* ... is removed at the end */
    const char *socket; /* the name of the socket that was made there; NULL for none */
    const char *prefix; /* of the names in the checkpoint */
    int listener;       /* -1 once CRIU has connected */
    int hold_listener;  /* -1 for none */
    int hold;           /* CRIU waits at its other end; -1 for none */
    struct sluice_wire wire;
    bool connected;
    bool over;  /* CRIU has closed its connection */
    bool asked; /* a restore has asked for the inventory */
    struct sluice_inventory inventory;
    pid_t command; /* runs CRIU, or is it; 0 for none */
    int status;    /* of the command once it has ended, -1 before */
    int64_t count; /* images */
    int64_t bytes;
};

/*
 * Makes a tree with a socket in the directory, or in one of its own for NULL. `hold`: CRIU waits
 * before it lets the processes go. Returns 0, or an exit status after a line.
 */
int sluice_tree_open(struct sluice_tree *tree, const char *directory, const char *prefix,
                     const char *socket, bool hold);

/* Starts a command. Returns 0, or an exit status after a line. */
int sluice_tree_start(struct sluice_tree *tree, char **command);

/* Accepts the connections that are there. */
void sluice_tree_accept(struct sluice_tree *tree);

/* Notes the end of the command, if it has ended. */
void sluice_tree_reap(struct sluice_tree *tree);

/* Waits for the end of the command, and notes it. */
void sluice_tree_await(struct sluice_tree *tree);

/* Lets CRIU go on after the commit. */
void sluice_tree_release(struct sluice_tree *tree);

/* Closes all connections. CRIU fails at its next image, and lets its processes run on. */
void sluice_tree_leave(struct sluice_tree *tree);

/*
 * Waits for the end of a command whose connections are closed. A command that goes on for long gets
 * SIGTERM, and SIGKILL at last.
 */
void sluice_tree_stop(struct sluice_tree *tree);

/* Removes what was made. Files of CRIU are left after a failure, which a line says. */
void sluice_tree_close(struct sluice_tree *tree);

/* Returns a tree with the images and bytes of all. */
struct sluice_tree sluice_tree_sum(const struct sluice_tree *trees, size_t count);

/* Prints what came or went of a checkpoint, as JSON. */
void sluice_tree_print(int64_t checkpoint, const struct sluice_tree *trees, size_t count);

/*
 * Does the part of CRIU's action script: waits for the commit once the images are written. Returns
 * the script's exit status.
 */
int sluice_tree_hold(void);

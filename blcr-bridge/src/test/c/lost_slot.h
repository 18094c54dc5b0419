/*
 * What a process does that has lost its slot without having run any code: the child of a bare
 * clone(), or one that a checkpointer dumped and brought back. All of them are children of a bare
 * clone() here, which have the memory and the descriptors of the process that attached, but another
 * pid and start time.
 */
#pragma once

#include "attachment.h"
#include "fake_io_process.h"

/* An expectation of the child: it ends with the first that fails. */
#define EXPECT(condition) expect(condition, #condition, __FILE__, __LINE__)
void expect(bool holds, const char *what, const char *file, int line);

struct file {
    struct sluice_log_image log;
    int fd;
};

/* Attached to iop, with an image begun and one without a byte yet. */
extern struct fake_io_process iop;
extern struct sluice_client *client;
extern struct file begun, untouched;

/* Attached to another session, with an image begun. */
extern struct fake_io_process other;
extern struct sluice_client *stranger;
extern struct file strangers;

int start(void **state);
int shut_down(void **state);

/* What the image is answered to be, SLUICE_REQUEST_DIVERT as a rule, or -1. */
int open_file(struct sluice_client *by, const char *directory, const char *name, struct file *file);

/* Takes the steps in a child, in which nothing may fail. */
void in_child(void (*steps)(void));

/* Steps of a child: to an image that is direct by now, to a new one of its successor, both. */
void write_directly(struct file *file, const char *data, int64_t offset);
void open_and_log(const char *name);
void write_as_child(void);

/* What belongs to the first slot, as `its` client has it, is as it was at the last keep. */
void keep(const struct fake_io_process *of, const struct sluice_client *its);
void assert_untouched(const struct fake_io_process *of, const struct sluice_client *its);

void assert_content(const struct file *file, const char *expected);
void assert_logged(struct fake_io_process *by, int index, const char *expected);

/* The process that verifies a checkpoint and writes its images into pipes: sluice criu images. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "criu_options.h"

struct sluice_source_image {
    int64_t size;
    char *path;
};

struct sluice_source {
    pid_t process;
    int to;
    int from;
    int64_t checkpoint;
    struct sluice_source_image *images;
    size_t count;
    size_t writing; /* pipes that are this process's to close once their images are written */
    char text[8192];
    size_t have; /* bytes of texts that came */
};

/* Starts the process. A failure ends this process with one line. */
void sluice_source_start(struct sluice_source *source, const struct sluice_criu_options *options);

/*
 * Takes the next part of the list of images. Returns 1 once the list is whole, and all is verified;
 * 0 while some lacks; negative if the process ends.
 */
int sluice_source_list(struct sluice_source *source);

/* Returns the image of a path, NULL for none. */
const struct sluice_source_image *sluice_source_find(const struct sluice_source *source,
                                                     const char *path);

/* Has an image written into a pipe, which the source closes from here on. */
void sluice_source_write(struct sluice_source *source, const char *path, int pipe);

/* Closes pipes whose images are written. Returns false if the process fails. */
bool sluice_source_heed(struct sluice_source *source);

/* Lets the process end, and returns its exit status. The process has told a failure itself. */
int sluice_source_end(struct sluice_source *source);

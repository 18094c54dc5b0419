/* The ways in which a rank puts its image somewhere. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>

/* Each function returns 0, or -1 with errno set. One image is open at a time. */
struct output {
    const char *name;
    int (*open)(const char *path);
    int (*write)(const void *data, size_t length);
    int (*skip)(size_t length); /* NULL: it cannot leave bytes out */
    int (*sync)(void);
    int (*close)(void);
};

/* NULL: there is none of that name. */
const struct output *output_find(const char *name);

/* Gives `length` bytes of a shared memory file, from `offset` on, to the output "memory". */
int output_map(int fd, size_t offset, size_t length);

#endif

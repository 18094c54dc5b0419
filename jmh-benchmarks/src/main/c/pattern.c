#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>

static int read_writes(FILE *file, struct pattern *pattern)
{
    if (fscanf(file, "%zu %zu %zu", &pattern->memory, &pattern->count, &pattern->gap) != 3) {
        return -1;
    }
    pattern->image = 0;
    pattern->writes = calloc(pattern->count, sizeof(*pattern->writes));
    for (size_t i = 0; i < pattern->count; i++) {
        struct pattern_write *write = &pattern->writes[i];
        if (fscanf(file, "%zu %zu", &write->offset, &write->length) != 2
            || write->length > pattern->memory
            || write->offset > pattern->memory - write->length) {
            return -1;
        }
        pattern->image += write->length;
    }
    return 0;
}

int pattern_read(const char *path, struct pattern *pattern)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    const int status = read_writes(file, pattern);
    fclose(file);
    return status;
}

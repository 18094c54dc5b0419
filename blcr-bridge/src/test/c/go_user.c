/*
 * go_user PATH: looks like a program with Go's runtime. Writes 100,000 bytes to PATH by the C library and closes it;
 * then it reads the file, and appends to it, by system calls of its own. Says how many bytes it read.
 */
#include <fcntl.h>
#include <stdio.h>

#include "kernel.h"

int main(int count, char **arguments)
{
    static char bytes[200000];
    if (count != 2)
        return 2;
    FILE *file = fopen(arguments[1], "w");
    for (int i = 0; i < 10000; i++)
        fprintf(file, "%9d\n", i);
    fclose(file);
    const long fd =
        sluice_kernel_call(SYS_openat, AT_FDCWD, (long)arguments[1], O_RDWR | O_APPEND, 0);
    printf("%ld\n", sluice_kernel_call(SYS_read, fd, (long)bytes, sizeof bytes));
    return sluice_kernel_call(SYS_write, fd, (long)"by itself\n", 10) == 10 ? 0 : 1;
}

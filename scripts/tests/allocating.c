/* Writes files in many ways while its threads allocate, into the directory that is its argument. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int well, const char *what)
{
    if (!well) {
        perror(what);
        exit(1);
    }
}

static void *write_file(void *number)
{
    char name[20], *kept[100] = {NULL};
    snprintf(name, sizeof name, "thread%s", (const char *)number);
    const int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    for (int i = 0; i < 3000; i++) {
        const size_t length = 1 + (size_t)i * 7919 % 3000;
        free(kept[i % 100]);
        kept[i % 100] = memset(malloc(length), 'a' + i % 26, length);
        check(write(fd, kept[i % 100], length) == (ssize_t)length, name);
    }
    for (int i = 0; i < 100; i++)
        free(kept[i]);
    check(close(fd) == 0, name);
    return NULL;
}

static void write_streams(void)
{
    char name[20];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "stream%d", i);
        FILE *file = fopen(name, "w+");
        for (int n = 0; n < 1000; n++)
            fprintf(file, "%d %s\n", n, name);
        fflush(file);
        dprintf(fileno(file), "%0600d\n", 7);
        check(fclose(file) == 0, name);
    }
}

static void change_mapped(void)
{
    const int fd = open("mapped", O_CREAT | O_TRUNC | O_RDWR, 0644);
    for (int i = 0; i < 100; i++)
        check(write(fd, "0123456789", 10) == 10, "mapped");
    char *mapped = mmap(NULL, 1000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED && memcmp(mapped + 990, "0123456789", 10) == 0, "mmap");
    memcpy(mapped + 500, "through the mapping", 19);
    check(munmap(mapped, 1000) == 0 && close(fd) == 0, "munmap");
}

/* The child of a program with threads may not allocate, by POSIX: with tbbmalloc it hangs now and then. */
static void share_with_child(const char *name, int allocates)
{
    int status;
    const int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    check(write(fd, "parent\n", 7) == 7, name);
    if (fork() == 0) {
        const char *text = allocates ? strdup("child\n") : "child\n";
        _exit(write(fd, text, 6) != 6);
    }
    check(wait(&status) > 0 && status == 0, "child");
    check(write(fd, "parent\n", 7) == 7 && close(fd) == 0, name);
}

int main(int count, char **arguments)
{
    pthread_t threads[3];
    check(count == 2 && chdir(arguments[1]) == 0, "chdir");
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, write_file, (char *[]){"0", "1", "2"}[i]);
    write_streams();
    change_mapped();
    share_with_child("shared", 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    share_with_child("shared-alone", 1);
    return 0;
}

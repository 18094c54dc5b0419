/*
 * exercise_stdio SEED OPERATIONS DIRECTORY
 *
 * Uses the C library's streams on files below DIRECTORY in every way it can think of, checks what
 * comes back, and leaves the files.
 */
#include "exercise.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static const char *directory;

static const char *in_directory(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static FILE *open_stream(const char *name, const char *mode)
{
    FILE *file = fopen(in_directory(name), mode);
    CHECK(file != NULL);
    return file;
}

static void check_content(const char *name, const char *expected)
{
    char content[4096];
    FILE *file = open_stream(name, "r");
    const size_t length = fread(content, 1, sizeof content - 1, file);
    content[length] = '\0';
    if (strcmp(content, expected) != 0) {
        fprintf(stderr, "%s holds <%s>, expected <%s>\n", name, content, expected);
        abort();
    }
    CHECK_EQUAL(fclose(file), 0);
}

static void many_tiny_writes(void)
{
    FILE *file = open_stream("tiny", "wb");
    for (uint32_t i = 0; i < 200000; i++)
        CHECK_EQUAL(fwrite(&i, sizeof i, 1, file), 1);
    CHECK_EQUAL(fclose(file), 0);
    file = open_stream("tiny", "rb");
    for (uint32_t i = 0, got; i < 200000; i++) {
        CHECK_EQUAL(fread(&got, sizeof got, 1, file), 1);
        CHECK_EQUAL(got, i);
    }
    CHECK(fgetc(file) == EOF && feof(file));
    fclose(file);
}

static void large_and_small(void)
{
    static char block[1 << 20];
    FILE *file = open_stream("mixed", "w");
    for (int i = 0; i < 12; i++) {
        random_fill(block, sizeof block);
        fprintf(file, "row %d of %s\n", i, "a table");
        CHECK_EQUAL(fwrite(block, 1, sizeof block - (size_t)i * 1000, file),
                    sizeof block - (size_t)i * 1000);
        fputs("end of row\n", file);
        fputc('.', file);
    }
    const long end = ftell(file);
    CHECK_EQUAL(fflush(file), 0);
    struct stat status;
    CHECK_EQUAL(fstat(fileno(file), &status), 0);
    CHECK_EQUAL(status.st_size, end);
    CHECK_EQUAL(fsync(fileno(file)), 0);
    CHECK_EQUAL(fseek(file, 3, SEEK_SET), 0);
    fputs("OVER", file);
    CHECK_EQUAL(fseek(file, -5, SEEK_END), 0);
    fputs("WRITTEN", file);
    CHECK_EQUAL(ftell(file), end + 2);
    CHECK_EQUAL(fclose(file), 0);
    CHECK_EQUAL(stat(in_directory("mixed"), &status), 0);
    CHECK_EQUAL(status.st_size, end + 2);
}

static void modes(void)
{
    FILE *file = open_stream("modes", "w");
    fputs("first\n", file);
    CHECK(fgetc(file) == EOF && ferror(file));
    CHECK_EQUAL(fclose(file), 0);

    file = open_stream("modes", "a");
    CHECK_EQUAL(ftell(file), 6);
    fputs("second\n", file);
    rewind(file);
    fputs("third\n", file);
    CHECK_EQUAL(fclose(file), 0);
    check_content("modes", "first\nsecond\nthird\n");

    file = open_stream("modes", "r+");
    char word[16];
    CHECK(fgets(word, sizeof word, file) != NULL && strcmp(word, "first\n") == 0);
    CHECK_EQUAL(fseek(file, 0, SEEK_CUR), 0);
    fputs("SECOND\n", file);
    CHECK_EQUAL(fseek(file, 0, SEEK_CUR), 0);
    CHECK(fgets(word, sizeof word, file) != NULL && strcmp(word, "third\n") == 0);
    CHECK_EQUAL(fclose(file), 0);
    check_content("modes", "first\nSECOND\nthird\n");

    file = open_stream("modes", "a+");
    CHECK(fgets(word, sizeof word, file) != NULL && strcmp(word, "first\n") == 0);
    fseek(file, 0, SEEK_SET);
    fputs("fourth\n", file);
    fseek(file, 6, SEEK_SET);
    CHECK(fgets(word, sizeof word, file) != NULL && strcmp(word, "SECOND\n") == 0);
    CHECK_EQUAL(fclose(file), 0);
    check_content("modes", "first\nSECOND\nthird\nfourth\n");

    CHECK(fopen(in_directory("modes"), "wx") == NULL && errno == EEXIST);
    CHECK(fopen(in_directory("modes"), "z") == NULL && errno == EINVAL);
    CHECK(fopen(in_directory("none"), "r+") == NULL && errno == ENOENT);
    file = open_stream("exclusive", "w+xe");
    CHECK(fcntl(fileno(file), F_GETFD) & FD_CLOEXEC);
    CHECK_EQUAL(fclose(file), 0);
}

static void read_and_write_one_stream(void)
{
    FILE *file = open_stream("both", "w+");
    char line[64];
    for (int i = 0; i < 2000; i++)
        fprintf(file, "line %05d\n", i);
    fpos_t place;
    CHECK_EQUAL(fseek(file, 11 * 1500, SEEK_SET), 0);
    CHECK_EQUAL(fgetpos(file, &place), 0);
    CHECK(fgets(line, sizeof line, file) != NULL && strcmp(line, "line 01500\n") == 0);
    CHECK_EQUAL(ungetc('X', file), 'X');
    CHECK_EQUAL(fgetc(file), 'X');
    CHECK_EQUAL(ftell(file), 11 * 1501);
    CHECK_EQUAL(fsetpos(file, &place), 0);
    fputs("LINE", file);
    rewind(file);
    CHECK_EQUAL(fgetc(file), 'l');
    CHECK_EQUAL(fseek(file, 11 * 1500, SEEK_SET), 0);
    CHECK(fgets(line, sizeof line, file) != NULL && strcmp(line, "LINE 01500\n") == 0);
    int number;
    CHECK_EQUAL(fscanf(file, "line %d", &number), 1);
    CHECK_EQUAL(number, 1501);
    CHECK_EQUAL(fclose(file), 0);
}

/* As programs write sound: the sizes in the header are known at the end. */
static void patched_header(void)
{
    static char samples[40000];
    char header[44];
    FILE *file = open_stream("sound", "wb+");
    CHECK_EQUAL(fwrite(samples, 1, sizeof samples, file), sizeof samples);
    CHECK_EQUAL(fseek(file, 4, SEEK_SET), 0);
    CHECK_EQUAL(fwrite("size", 1, 4, file), 4);
    CHECK_EQUAL(file->_offset, lseek(fileno(file), 0, SEEK_CUR)); /* what the shim takes it for */
    CHECK_EQUAL(fseek(file, 32, SEEK_CUR), 0);
    CHECK_EQUAL(file->_offset, lseek(fileno(file), 0, SEEK_CUR));
    CHECK_EQUAL(fwrite("data", 1, 4, file), 4);
    CHECK_EQUAL(ftell(file), sizeof header);
    rewind(file);
    CHECK_EQUAL(fread(header, 1, sizeof header, file), sizeof header);
    CHECK(memcmp(header + 4, "size", 4) == 0 && memcmp(header + 40, "data", 4) == 0);
    CHECK(memcmp(header + 8, samples, 32) == 0);
    CHECK_EQUAL(fclose(file), 0);
}

/* Each stream knows where the descriptor is; the first may have bytes that the second does not see. */
static void two_streams_on_one_descriptor(void)
{
    FILE *first = open_stream("twice", "w+");
    fputs("one ", first);
    fflush(first);
    FILE *second = fdopen(fileno(first), "r+");
    CHECK(second != NULL);
    fputs("two ", second);
    fflush(second);
    CHECK(fputwc(L'3', second) == WEOF && fwide(second, 0) < 0);
    fputs("three", first);
    CHECK_EQUAL(fclose(first), 0);
    check_content("twice", "one two three");
}

static void buffering(void)
{
    static char own[100];
    struct stat status;
    FILE *file = open_stream("unbuffered", "w");
    CHECK_EQUAL(setvbuf(file, NULL, _IONBF, 0), 0);
    for (int i = 0; i < 1000; i++) {
        fputc('a' + i % 26, file);
        CHECK_EQUAL(stat(in_directory("unbuffered"), &status), 0);
        CHECK_EQUAL(status.st_size, i + 1);
    }
    CHECK_EQUAL(fclose(file), 0);

    file = open_stream("lines", "w");
    CHECK_EQUAL(setvbuf(file, NULL, _IOLBF, 1024), 0);
    fputs("half a line", file);
    fputs(" and the rest\n", file);
    CHECK_EQUAL(stat(in_directory("lines"), &status), 0);
    CHECK_EQUAL(status.st_size, 25);
    CHECK_EQUAL(fclose(file), 0);

    file = open_stream("own-buffer", "w");
    CHECK_EQUAL(setvbuf(file, own, _IOFBF, sizeof own), 0);
    for (int i = 0; i < 5000; i++)
        fprintf(file, "%d,", i);
    CHECK_EQUAL(fclose(file), 0);
}

static void descriptors_and_streams(void)
{
    int fd = open(in_directory("fdopen"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, "by write, ", 10), 10);
    FILE *file = fdopen(fd, "w");
    CHECK(file != NULL);
    CHECK_EQUAL(fileno(file), fd);
    CHECK_EQUAL(ftell(file), 10);
    fputs("by stream, ", file);
    CHECK_EQUAL(fflush(file), 0);
    CHECK_EQUAL(write(fd, "by write again", 14), 14);
    CHECK_EQUAL(fclose(file), 0);
    CHECK(close(fd) < 0 && errno == EBADF);
    check_content("fdopen", "by write, by stream, by write again");

    fd = open(in_directory("fdopen"), O_RDONLY);
    CHECK(fdopen(fd, "w") == NULL && errno == EINVAL);
    CHECK_EQUAL(close(fd), 0);
    fd = open(in_directory("fdopen"), O_WRONLY);
    file = fdopen(fd, "a");
    CHECK(fcntl(fd, F_GETFL) & O_APPEND);
    fputs("!", file);
    CHECK_EQUAL(fclose(file), 0);
    check_content("fdopen", "by write, by stream, by write again!");

    file = open_stream("duplicate", "w");
    fputs("one ", file);
    fflush(file);
    const int copy = dup(fileno(file));
    CHECK_EQUAL(fclose(file), 0);
    CHECK_EQUAL(write(copy, "two", 3), 3);
    CHECK_EQUAL(close(copy), 0);
    check_content("duplicate", "one two");
}

static void reopening(void)
{
    FILE *file = open_stream("reopen-1", "w"), *same = file;
    fputs("to the first", file);
    file = freopen(in_directory("reopen-2"), "w", file);
    CHECK(file == same);
    fputs("to the second", file);
    file = freopen(in_directory("reopen-1"), "a", file);
    CHECK(file != NULL);
    fputs(", and appended", file);
    file = freopen(NULL, "r", file);
    CHECK(file != NULL);
    CHECK_EQUAL(fgetc(file), 't');
    CHECK_EQUAL(fclose(file), 0);
    check_content("reopen-1", "to the first, and appended");
    check_content("reopen-2", "to the second");

    const int saved = dup(STDOUT_FILENO);
    CHECK(freopen(in_directory("stdout"), "w", stdout) == stdout);
    printf("printed %d\n", 1);
    puts("put");
    fflush(stdout);
    CHECK_EQUAL(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    check_content("stdout", "printed 1\nput\n");
    CHECK(freopen(in_directory("no/such/directory"), "w", fopen(in_directory("lines"), "r"))
          == NULL);
}

static void wide_characters(void)
{
    FILE *file = open_stream("wide", "w");
    CHECK(fwprintf(file, L"wide %ls %d\n", L"string", 42) > 0);
    CHECK(fputwc(L'w', file) == L'w');
    CHECK(fputws(L"ords\n", file) >= 0);
    CHECK_EQUAL(fclose(file), 0);
    check_content("wide", "wide string 42\nwords\n");
    file = open_stream("wide", "r");
    CHECK_EQUAL(fgetwc(file), L'w');
    CHECK(fwide(file, 0) > 0);
    CHECK_EQUAL(fclose(file), 0);

    file = open_stream("wide", "w");
    fputs("bytes at first\n", file);
    FILE *twin = fdopen(dup(fileno(file)), "w");
    CHECK(fputws(L"wide ones beside\n", twin) >= 0);
    CHECK_EQUAL(fflush(file), 0);
    CHECK_EQUAL(fclose(twin), 0);
    CHECK_EQUAL(fclose(file), 0);
    check_content("wide", "bytes at first\nwide ones beside\n");
}

/* Random positions and lengths through one stream, against a copy in memory. */
static void random_access(long operations)
{
    enum { SIZE = 100000 };
    static unsigned char model[SIZE + 20000], bytes[20000];
    size_t size = 0;
    FILE *file = open_stream("random", "w+");
    for (step = 0; step < operations; step++) {
        const size_t at = random_below(size + 1 < SIZE ? size + 1 : SIZE);
        const size_t length = random_length(sizeof bytes - 1);
        CHECK_EQUAL(fseek(file, (long)at, SEEK_SET), 0);
        if (random_below(3) > 0) {
            random_fill(bytes, length);
            memcpy(model + at, bytes, length);
            size = at + length > size ? at + length : size;
            CHECK_EQUAL(fwrite(bytes, 1, length, file), length);
        } else {
            const size_t expected = size - at < length ? size - at : length;
            CHECK_EQUAL(fread(bytes, 1, length, file), expected);
            CHECK(memcmp(bytes, model + at, expected) == 0);
        }
        if (random_below(20) == 0)
            CHECK_EQUAL(fflush(file), 0);
        if (random_below(10) == 0) {
            CHECK_EQUAL(fseek(file, 0, SEEK_END), 0);
            CHECK_EQUAL(ftell(file), size);
        }
    }
    CHECK_EQUAL(fclose(file), 0);
}

int main(int count, char **arguments)
{
    CHECK_EQUAL(count, 4);
    random_seed(strtoull(arguments[1], NULL, 10));
    directory = arguments[3];
    many_tiny_writes();
    large_and_small();
    modes();
    read_and_write_one_stream();
    patched_header();
    two_streams_on_one_descriptor();
    buffering();
    descriptors_and_streams();
    reopening();
    wide_characters();
    random_access(strtol(arguments[2], NULL, 10));
    FILE *left_open = open_stream("left-open", "w");
    fputs("flushed by exit()\n", left_open);
    return 0;
}

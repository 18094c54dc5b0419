/* Mutates a corpus without a compiler's help; see fuzz.h. */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "../exercise/exercise.h"

#define MOST_SAMPLES 64
#define MOST_BYTES 8192

struct sample {
    size_t length;
    uint8_t bytes[MOST_BYTES];
};

static struct sample samples[MOST_SAMPLES];
static size_t sample_count;
static struct sample input;

/* Of the sanitizers, where there is one. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* What broke it, to become a file of the corpus. */
static void keep_input(void)
{
    const int fd = open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0 && write(fd, input.bytes, input.length) == (ssize_t)input.length)
        fprintf(stderr, "the input is in ./fuzz-crash\n");
}

static void read_sample(int directory, const char *name)
{
    const int fd = openat(directory, name, O_RDONLY);
    CHECK(fd >= 0);
    const ssize_t length = read(fd, samples[sample_count].bytes, MOST_BYTES);
    CHECK(length >= 0);
    samples[sample_count++].length = (size_t)length;
    close(fd);
}

static void read_corpus(const char *path)
{
    DIR *corpus = opendir(path);
    CHECK(corpus != NULL);
    for (struct dirent *entry = readdir(corpus); entry != NULL; entry = readdir(corpus))
        if (entry->d_type == DT_REG && sample_count < MOST_SAMPLES)
            read_sample(dirfd(corpus), entry->d_name);
    closedir(corpus);
    CHECK(sample_count > 0);
}

static void put_number(size_t width)
{
    const int64_t extremes[] = {0,         1,          -1,        7,         8,
                                64,        4096,       65535,     65536,     INT32_MAX,
                                INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, INT64_MAX - 7};
    const int64_t value = random_below(2)
        ? extremes[random_below(sizeof extremes / sizeof *extremes)]
        : (int64_t)random_below(UINT64_MAX);
    if (input.length >= width)
        memcpy(input.bytes + random_below((input.length - width) / 4 + 1) * 4, &value, width);
}

static void splice_other(void)
{
    const struct sample *other = &samples[random_below(sample_count)];
    const size_t length = other->length < 64 ? other->length : 1 + random_below(64);
    const size_t from = random_below(other->length - length + 1), to = random_below(input.length);
    const size_t room = MOST_BYTES - to;
    memcpy(input.bytes + to, other->bytes + from, length < room ? length : room);
    if (to + length > input.length)
        input.length = to + length < MOST_BYTES ? to + length : MOST_BYTES;
}

static void mutate(void)
{
    if (input.length == 0)
        return;
    switch (random_below(6)) {
    case 0:
        input.bytes[random_below(input.length)] ^= (uint8_t)(1 << random_below(8));
        break;
    case 1:
        input.bytes[random_below(input.length)] = (uint8_t)random_below(256);
        break;
    case 2:
        input.length = random_below(input.length);
        break;
    case 3:
        splice_other();
        break;
    case 4:
        put_number(4);
        break;
    default:
        put_number(8);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments)
{
    CHECK(count == 3 || count == 4);
    read_corpus(arguments[1]);
    random_seed(count == 4 ? strtoull(arguments[3], NULL, 10) : 1);
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(keep_input);
    for (size_t i = 0; i < sample_count; i++) {
        input = samples[i];
        LLVMFuzzerTestOneInput(input.bytes, input.length);
    }
    const double end = now() + strtod(arguments[2], NULL);
    for (step = (long)sample_count; now() < end; step++) {
        input = samples[random_below(sample_count)];
        for (uint64_t left = 1 + random_below(5); left > 0; left--)
            mutate();
        LLVMFuzzerTestOneInput(input.bytes, input.length);
    }
    printf("%ld inputs\n", step);
    return 0;
}

/*
 * Calls that copy from one descriptor to another within the kernel. The bytes that they copy into
 * a logged file are read here and written to the log, like any write. All other copies are the
 * kernel's. The files concerned are direct then, for good.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "description.h"
#include "limit.h"
#include "memory.h"
#include "real.h"
#include "recording.h"
#include "write.h"

#define PIECE (256 << 10) /* bytes that are read at a time */

/* A copy that a program asks for. An offset of -1 is the descriptor's own. */
struct copy {
    int in, out;
    off64_t *from, *to; /* the caller's offsets, moved by what was copied; NULL for the own ones */
    size_t length;
    int first; /* flags of preadv2() of the first read of a pipe; later ones do not wait */
};

/* The memory of the last copy. */
static _Atomic(char *) spare;

static char *take_memory(void)
{
    char *memory = atomic_exchange(&spare, NULL);
    return memory != NULL ? memory : sluice_memory_take(PIECE);
}

static void give_memory(char *memory)
{
    sluice_memory_give(atomic_exchange(&spare, memory));
}

/*
 * Returns whether the next piece may be read to be written here. Bytes read from a pipe cannot be
 * put back, so the limit of the file is looked at before. The kernel refuses a copy to a file that
 * is appended to. `direct` is the answer for a file that is not logged.
 */
static bool takes_piece(const struct copy *copy, bool direct)
{
    struct description *description = sluice_description_lock(copy->out);
    if (description == NULL)
        return direct;
    const int64_t at = copy->to != NULL ? *copy->to : description->offset;
    const bool takes =
        description->writes && !description->append && at >= 0 && at <= sluice_limit() - PIECE;
    sluice_description_unlock(description);
    return takes;
}

static ssize_t write_piece(const struct copy *copy, const char *data, size_t length)
{
    size_t done = 0;
    ssize_t written = 0;
    while (done < length) {
        const off64_t at = copy->to != NULL ? *copy->to : -1;
        written = sluice_write_piece(copy->out, data + done, length - done, at);
        if (written <= 0)
            break;
        done += (size_t)written;
        if (copy->to != NULL)
            *copy->to += written;
    }
    return done > 0 ? (ssize_t)done : written;
}

/*
 * Reads a piece: of a pipe what is in it. The wait for the first bytes is the program's own read,
 * outside the guard, so that a signal ends it.
 */
static ssize_t read_piece(const struct copy *copy, off64_t at, char *data, size_t length,
                          bool waits)
{
    if (at >= 0)
        return pread(copy->in, data, length, at);
    const struct iovec vector = {data, length};
    const int flags = waits ? copy->first : RWF_NOWAIT;
    return flags == 0 ? REAL(read)(copy->in, data, length)
                      : REAL(preadv2)(copy->in, &vector, 1, -1, flags);
}

/*
 * Copies by the log. `at` is where the reading begins, -1 for a pipe. Returns the bytes copied, or
 * -1 and errno. A file that becomes direct meanwhile is written as the program would: the kernel
 * returns fewer bytes than there are only where it must. A write that fails loses what was read
 * from a pipe for it. EIO says so, even after a part was written: a program that went on would
 * leave out the lost bytes.
 */
static ssize_t copy_pieces(const struct copy *copy, off64_t at, char *memory)
{
    size_t done = 0;
    ssize_t count = 0;
    const int before = errno;
    while (done < copy->length) {
        const size_t left = copy->length - done;
        const ssize_t got = read_piece(copy, at, memory, left < PIECE ? left : PIECE, done == 0);
        count = got > 0 ? write_piece(copy, memory, (size_t)got) : got;
        if (at < 0 && count < got) {
            errno = EIO;
            return -1;
        }
        if (count <= 0)
            break;
        done += (size_t)count;
        at += at >= 0 ? count : 0;
        if (count < got || (at < 0 && got < PIECE) || !takes_piece(copy, true))
            break;
    }
    if (done == 0)
        return count;
    errno = before;
    return (ssize_t)done;
}

/*
 * Copies by the log from the place where a program reads, which moves on. EOPNOTSUPP, with nothing
 * read, leaves the copy to the kernel.
 */
static ssize_t copy_to_log(const struct copy *copy, bool pipe)
{
    const off64_t begin = pipe ? -1
        : copy->from != NULL   ? *copy->from
                               : lseek(copy->in, 0, SEEK_CUR);
    char *memory = take_memory();
    if (memory == NULL) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const ssize_t copied = copy_pieces(copy, begin, memory);
    give_memory(memory);
    if (copied > 0 && copy->from != NULL)
        *copy->from += copied;
    else if (copied > 0 && !pipe)
        lseek(copy->in, begin + copied, SEEK_SET);
    return copied;
}

/* Returns whether this is a file with bytes in it, and not the one copied to. */
static bool is_source(int in, int out)
{
    struct stat source, target;
    return fstat(in, &source) == 0 && S_ISREG(source.st_mode) && source.st_size > 0
        && fstat(out, &target) == 0
        && (source.st_ino != target.st_ino || source.st_dev != target.st_dev)
        && !(fcntl(in, F_GETFL) & O_DIRECT);
}

static bool is_pipe(int fd)
{
    struct stat status;
    return REAL(fstat)(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

/*
 * Returns whether the file system may make the copy itself, by sharing blocks or on a server. Such
 * a copy costs less than any log.
 */
static bool copies_itself(int in, int out)
{
    struct stat source, target;
    struct statfs system;
    if (REAL(fstat)(in, &source) != 0 || REAL(fstat)(out, &target) != 0
        || source.st_dev != target.st_dev || fstatfs(out, &system) != 0) {
        return false;
    }
    return system.f_type != EXT4_SUPER_MAGIC && system.f_type != TMPFS_MAGIC;
}

static bool is_offset(const off64_t *offset)
{
    return offset == NULL || *offset >= 0;
}

/*
 * Returns whether the log took the copy, with its result. The kernel has its own word about what is
 * not valid.
 */
static bool copy_logged(const struct copy *copy, bool pipe, bool valid, ssize_t *result)
{
    if (!valid || !is_offset(copy->from) || !is_offset(copy->to) || copy->length > SSIZE_MAX)
        return false;
    *result = copy->length > 0 ? copy_to_log(copy, pipe) : 0;
    return *result >= 0 || errno != EOPNOTSUPP;
}

/*
 * Defines a copy by its members of struct copy. The log takes it if it is `valid`. `at` is where it
 * goes, NULL for the offset of `out`.
 */
#define COPY(name, parameters, arguments, members, pipe, valid, at, reason)                        \
    SLUICE_WRAPPER ssize_t name parameters                                                         \
    {                                                                                              \
        const struct copy copy_ = members;                                                         \
        const off64_t *const at_ = at;                                                             \
        const int64_t offset_ = at_ != NULL ? *at_ : -1;                                           \
        ssize_t result_of_;                                                                        \
        sluice_recording_moved(in);                                                                \
        return RECORDED(out, offset_, SLUICE_TRACE_COPY, __extension__({                           \
                            if (!takes_piece(&copy_, false)                                        \
                                || !copy_logged(&copy_, pipe, valid, &result_of_)) {               \
                                sluice_descriptor_surrender(out, reason);                          \
                                sluice_descriptor_surrender(in, reason);                           \
                                result_of_ =                                                       \
                                    sluice_descriptor_count(out, reason, REAL(name) arguments);    \
                            }                                                                      \
                            result_of_;                                                            \
                        }));                                                                       \
    }

#define MEMBERS(...) {__VA_ARGS__}
#define SPLICE_FLAGS (SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT)

COPY(sendfile, (int out, int in, off_t *offset, size_t length), (out, in, offset, length),
     MEMBERS(in, out, offset, NULL, length, 0), false, is_source(in, out), NULL,
     SLUICE_REASON_SENDFILE)
COPY(splice, (int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags),
     (in, from, out, to, length, flags),
     MEMBERS(in, out, from, to, length, flags &SPLICE_F_NONBLOCK ? RWF_NOWAIT : 0), true,
     from == NULL && (flags & ~SPLICE_FLAGS) == 0 && is_pipe(in), to, SLUICE_REASON_SPLICE)
COPY(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags),
     (in, from, out, to, length, flags), MEMBERS(in, out, from, to, length, 0), false,
     flags == 0 && is_source(in, out) && !copies_itself(in, out), to, SLUICE_REASON_COPY_FILE_RANGE)

#include "real.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "abort_reason.h"
#include "later.h"

#define MOST 1000

struct sluice_mpi_real real;
_Thread_local int sluice_mpi_inside;
bool sluice_mpi_on;
bool sluice_mpi_left;
bool sluice_mpi_threads;
bool sluice_mpi_lets;

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#define OTHER "libmpich.so.12"
#else
#define LIBRARY "libmpich.so.12"
#define OTHER "libmpi.so.40"
#endif

static void die(const char *why)
{
    char line[300];
    sluice_mpi_say_last(line, (size_t)snprintf(line, sizeof line, "sluice: %s\n", why));
    _exit(SLUICE_MPI_REFUSED);
}

static bool is_loaded(const char *library)
{
    return sluice_mpi_dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != NULL;
}

/* Finds a function. A library loaded for another library alone is not among the linker's own. */
static void *look_up(void *where, const char *name)
{
    void *found = dlsym(where, name);
    if (found == NULL) {
        static void *library;
        if (library == NULL)
            library = sluice_mpi_dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, name) : NULL;
    }
    return found;
}

#define FIND(member, name) real.member = (__typeof__(real.member))look_up(RTLD_NEXT, "P" #name);

/*
 * The constants. Open MPI's are addresses in its library, and mpi_weak.h has them behind pointers.
 * A program may have copies, which count.
 */
#define DEFINE_CONSTANT(name) __typeof__(sluice_mpi_at_##name) sluice_mpi_at_##name;
#define FIND_CONSTANT(name) sluice_mpi_at_##name = look_up(RTLD_DEFAULT, #name);

SLUICE_MPI_CONSTANTS(DEFINE_CONSTANT)

void sluice_mpi_find(void)
{
    SLUICE_MPI_FUNCTIONS(FIND)
    if (real.Init == NULL || (is_loaded(OTHER) && !is_loaded(LIBRARY))) {
        die("this process has no " LIBRARY ", which the preloaded layer of sluice mpi is made for; "
            "give sluice mpi --mpi openmpi or --mpi mpich, whichever it is");
    }
    SLUICE_MPI_CONSTANTS(FIND_CONSTANT)
}

/* Composes a line of up to MOST bytes; returns its length. */
static size_t compose(char *line, const char *format, va_list arguments)
{
    int rank = -1;
    int initialized = 0;
    if (real.Initialized != NULL && real.Initialized(&initialized) == MPI_SUCCESS && initialized)
        real.Comm_rank(MPI_COMM_WORLD, &rank);
    int length = rank >= 0 ? snprintf(line, MOST, "sluice: rank %d: ", rank)
                           : snprintf(line, MOST, "sluice: ");
    length += vsnprintf(line + length, MOST - length - 1, format, arguments);
    if (length > MOST - 2)
        length = MOST - 2;
    line[length] = '\n';
    return length + 1;
}

void sluice_mpi_say(const char *format, ...)
{
    char line[MOST];
    va_list arguments;
    va_start(arguments, format);
    const size_t length = compose(line, format, arguments);
    va_end(arguments);
    if (write(STDERR_FILENO, line, length) < 0)
        return;
}

static void end(int status, const char *format, va_list arguments) __attribute__((noreturn));

static void end(int status, const char *format, va_list arguments)
{
    char line[MOST];
    sluice_mpi_say_last(line, compose(line, format, arguments));
    sluice_mpi_inside = 1;
    real.Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

void sluice_mpi_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(SLUICE_MPI_REFUSED, format, arguments);
}

void sluice_mpi_end(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(status, format, arguments);
}

void sluice_mpi_refuse(const char *function, const char *instead)
{
    sluice_mpi_abort("%s is not carried by sluice mpi; %s", function, instead);
}

static atomic_flag within = ATOMIC_FLAG_INIT;

void sluice_mpi_enter(void)
{
    if (atomic_flag_test_and_set(&within) && !sluice_mpi_left) {
        sluice_mpi_refuse("a call of MPI by a second thread while another one is in MPI",
                          "MPI_THREAD_SERIALIZED is provided: let one thread at a time call MPI");
    }
}

void sluice_mpi_leave(void)
{
    atomic_flag_clear(&within);
}

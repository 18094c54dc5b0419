#include "real.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "said.h"

struct sluice_mpi_real real;
_Thread_local int sluice_mpi_inside;
bool sluice_mpi_on;
bool sluice_mpi_left;

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#define OTHER "libmpich.so.12"
#define HAS_CONSTANTS (&ompi_mpi_comm_world != NULL)
#else
#define LIBRARY "libmpich.so.12"
#define OTHER "libmpi.so.40"
#define HAS_CONSTANTS true
#endif

static void die(const char *why)
{
    if (sluice_mpi_said_first())
        dprintf(STDERR_FILENO, "sluice: %s\n", why);
    sluice_mpi_said();
    _exit(3); /* sluice mpi does not run it again */
}

static bool is_loaded(const char *library)
{
    return dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != NULL;
}

/* A library that was loaded for another one alone is not behind this one for the linker. */
static void *look_up(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        static void *library;
        if (library == NULL)
            library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, name) : NULL;
    }
    return found;
}

#define FIND(member, name) real.member = (__typeof__(real.member))look_up("P" #name);

void sluice_mpi_find(void)
{
    SLUICE_MPI_FUNCTIONS(FIND)
    if (real.Init == NULL || (is_loaded(OTHER) && !is_loaded(LIBRARY))) {
        die("this process has no " LIBRARY ", which the preloaded layer of sluice mpi is made for; "
            "give sluice mpi --mpi openmpi or --mpi mpich, whichever it is");
    }
    if (!HAS_CONSTANTS)
        die("the program does not link " LIBRARY " but loads it later; link it with -lmpi");
}

static void say(const char *format, va_list arguments)
{
    char line[1000];
    int rank = -1;
    int initialized = 0;
    if (real.Initialized != NULL && real.Initialized(&initialized) == MPI_SUCCESS && initialized)
        real.Comm_rank(MPI_COMM_WORLD, &rank);
    int length = rank >= 0 ? snprintf(line, sizeof line, "sluice: rank %d: ", rank)
                           : snprintf(line, sizeof line, "sluice: ");
    length += vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    if (length > (int)sizeof line - 2)
        length = sizeof line - 2;
    line[length] = '\n';
    if (write(STDERR_FILENO, line, length + 1) < 0)
        return;
}

void sluice_mpi_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

static void end(void) __attribute__((noreturn));

static void end(void)
{
    sluice_mpi_inside = 1;
    real.Abort(MPI_COMM_WORLD, 3);
    _exit(3);
}

void sluice_mpi_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (sluice_mpi_said_first())
        say(format, arguments);
    va_end(arguments);
    sluice_mpi_said();
    end();
}

void sluice_mpi_refuse(const char *function, const char *instead)
{
    sluice_mpi_abort("%s is not carried by sluice mpi; %s", function, instead);
}

/*
 * Wrongs that no protocol carries over a line, or that keep waves from being taken. A wrong begins
 * once the file ./wrong names it, and ends when that names something else.
 */
#include "bad.h"
#include "corpus.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

#include <setjmp.h>
#include <stdio.h>
#include <sys/mman.h>

static int rank, ranks;

enum moment { BEGIN, STEP, END };

static void persist(enum moment moment)
{
    static MPI_Request request;
    static int one, all;
    if (moment == BEGIN) {
        MPI_Allreduce_init(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request);
    } else if (moment == END) {
        MPI_Request_free(&request);
    }
}

static void outlive_communicator(enum moment moment)
{
    static MPI_Request request;
    static int one;
    MPI_Comm some;
    if (moment == BEGIN) {
        MPI_Comm_dup(MPI_COMM_WORLD, &some);
        MPI_Irecv(&one, 1, MPI_INT, rank, 1, some, &request);
        MPI_Send(&rank, 1, MPI_INT, rank, 1, some);
        MPI_Comm_free(&some);
    } else if (moment == END) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        corpus_check(one == rank, "a receive outlives its communicator");
    }
}

static void open_files(enum moment moment)
{
    MPI_File file;
    if (moment == STEP) {
        MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file);
        MPI_File_close(&file);
    }
}

static void make_communicator_of_two(enum moment moment)
{
    MPI_Group all_of_them, two;
    MPI_Comm some;
    if (moment == BEGIN && rank < 2) {
        const int first[2] = {0, 1};
        MPI_Comm_group(MPI_COMM_WORLD, &all_of_them);
        MPI_Group_incl(all_of_them, 2, first, &two);
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 0, &some);
        MPI_Comm_free(&some);
    }
}

/* A wave that records it is given up. */
static void call_collectives_with_nonsense(enum moment moment)
{
    int got = 0;
    if (moment != STEP)
        return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    corpus_check(MPI_Bcast(&got, 1, MPI_INT, ranks + 1000000, MPI_COMM_WORLD) != MPI_SUCCESS
                     && MPI_Allreduce(MPI_IN_PLACE, &got, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
                         != MPI_SUCCESS,
                 "what makes no sense is an error");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/*
 * Memory that is protected and then lost, or cannot be written or read, until it is not protected
 * any more.
 */
enum { LOST = 50, LOST_BYTES = 1 << 20 };
static char *lost;

static void protect_and(enum moment moment, void (*lose)(void))
{
    if (moment == BEGIN) {
        lost = mmap(NULL, LOST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        sluice_protect(LOST, lost, LOST_BYTES);
        lose();
    } else if (moment == END) {
        sluice_protect(LOST, NULL, 0);
        munmap(lost, LOST_BYTES);
    }
}

static void unmap(void)
{
    munmap(lost + LOST_BYTES / 2, LOST_BYTES / 2);
}

static void keep_from_writing(void)
{
    mprotect(lost, LOST_BYTES, PROT_READ);
}

static void keep_from_reading(void)
{
    mprotect(lost + LOST_BYTES / 8, LOST_BYTES / 8, PROT_NONE);
}

static void lose_memory(enum moment moment)
{
    protect_and(moment, unmap);
}

static void only_read_memory(enum moment moment)
{
    protect_and(moment, keep_from_writing);
}

static void close_memory(enum moment moment)
{
    protect_and(moment, keep_from_reading);
}

/* A restart comes to the first spot, and has no such buffer there. */
static void attach_buffer(enum moment moment)
{
    static char buffer[MPI_BSEND_OVERHEAD + 100];
    void *detached;
    int size;
    if (moment == BEGIN)
        MPI_Buffer_attach(buffer, sizeof buffer);
    else if (moment == END)
        MPI_Buffer_detach(&detached, &size);
}

static MPI_File halves = MPI_FILE_NULL;

static void write_in_halves(enum moment moment)
{
    if (moment == BEGIN)
        MPI_File_write_at_all_begin(halves, rank * 4, &rank, 4, MPI_BYTE);
    else if (moment == END)
        MPI_File_write_at_all_end(halves, &rank, MPI_STATUS_IGNORE);
}

static jmp_buf behind;

static void jump(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    longjmp(behind, *error);
}

/* Jumps out of a call, as a handler in C++ does that throws. */
static void jump_out_of_call(enum moment moment)
{
    MPI_Errhandler jumping;
    if (moment != BEGIN || rank != 1)
        return;
    MPI_Comm_create_errhandler(jump, &jumping);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumping);
    if (setjmp(behind) == 0)
        MPI_Send(NULL, 0, MPI_INT, ranks + 1000000, 1, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&jumping);
}

/* As long as it goes on, main() calls at another place than that of the first spot. */
bool bad_changes_place;

static void change_place(enum moment moment)
{
    bad_changes_place = moment != END;
}

static const struct wrong {
    const char *name;
    void (*at)(enum moment moment);
} wrongs[] = {
    {"persistent", persist},
    {"freed", outlive_communicator},
    {"file", open_files},
    {"group", make_communicator_of_two},
    {"nonsense", call_collectives_with_nonsense},
    {"lost", lose_memory},
    {"read-only", only_read_memory},
    {"closed", close_memory},
    {"attached", attach_buffer},
    {"halves", write_in_halves},
    {"jump", jump_out_of_call},
    {"places", change_place},
};
enum { WRONGS = sizeof wrongs / sizeof wrongs[0], NOTHING = -1 };

static int read_wrong(void)
{
    char name[20] = "";
    FILE *file = fopen("wrong", "r");
    if (file != NULL) {
        corpus_check(fscanf(file, "%19s", name) == 1, "./wrong");
        fclose(file);
    }
    for (int i = 0; i < WRONGS; i++)
        if (strcmp(wrongs[i].name, name) == 0)
            return i;
    return NOTHING;
}

void bad_begin(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_open(MPI_COMM_WORLD, "halves", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &halves);
}

/* All ranks begin and end it at the same step. */
void bad_step(void)
{
    static int now = NOTHING;
    int asked = rank == 0 ? read_wrong() : NOTHING;
    MPI_Bcast(&asked, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (asked != now && now != NOTHING)
        wrongs[now].at(END);
    if (asked != NOTHING)
        wrongs[asked].at(asked == now ? STEP : BEGIN);
    now = asked;
}

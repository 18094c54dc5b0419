/*
 * Libraries that mark an MPI program. Its ranks attach at their start, so that their first
 * checkpoint need not wait for that. A launcher's variables alone do not show a rank: every shell
 * and tool of a wrapper script inherits them. A process that then opens no file counts for nothing.
 */
#include <link.h>
#include <string.h>

#include "capture.h"
#include "early_attach.h"
#include "launcher.h"

static const char *const libraries[] = {"libmpi.so", "libmpich", "libmpi_"};

static int is_mpi(struct dl_phdr_info *object, size_t size, void *nothing)
{
    (void)size;
    (void)nothing;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash == NULL ? object->dlpi_name : slash + 1;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return 1;
    return 0;
}

void sluice_early_attach(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    if (rank >= 0 && dl_iterate_phdr(is_mpi, NULL) != 0)
        sluice_capture_attach_early();
}

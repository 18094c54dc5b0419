#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "job.h"
#include "status.h"

#define PREFIX "OMPI_"
#define SHARED PREFIX "SLUICE_"

void sluice_launch_job_share(const char *name, const char *value)
{
    char second[100];
    snprintf(second, sizeof second, PREFIX "%s", name);
    if (value == NULL) {
        unsetenv(name);
        unsetenv(second);
    } else {
        setenv(name, value, 1);
        setenv(second, value, 1);
    }
}

void sluice_launch_job_begin(int64_t wave)
{
    const char *attempt = getenv("SLUICE_MPI_ATTEMPT");
    char text[40];
    snprintf(text, sizeof text, "%" PRId64, wave);
    sluice_launch_job_share("SLUICE_MPI_RESTORE", wave < 0 ? NULL : text);
    const char *rehearsal = getenv("SLUICE_MPI_REHEARSE");
    if (wave >= 0 && rehearsal != NULL && strcmp(rehearsal, "second") == 0)
        sluice_launch_say("attempt %s goes again to where checkpoint %s was taken", attempt, text);
    else if (wave >= 0)
        sluice_launch_say("attempt %s begins with checkpoint %s", attempt, text);
    else if (attempt != NULL && strcmp(attempt, "0") != 0)
        sluice_launch_say("attempt %s begins anew", attempt);
}

void sluice_launch_job_adopt(void)
{
    for (char **one = environ; *one != NULL; one++) {
        const char *value = strchr(*one, '=');
        if (strncmp(*one, SHARED, strlen(SHARED)) != 0 || value == NULL)
            continue;
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)(value - *one - strlen(PREFIX)),
                 *one + strlen(PREFIX));
        if (getenv(name) == NULL) {
            setenv(name, value + 1, 1);
            one = environ; /* the environment has moved */
        }
    }
}

void sluice_launch_job_said(void)
{
    const char *path = getenv("SLUICE_MPI_SAID");
    FILE *said = path == NULL || *path == 0 ? NULL : fopen(path, "ae");
    if (said != NULL) {
        fputs("\n", said);
        fclose(said);
    }
}

void sluice_launch_job_begins(void)
{
    const char *begun = getenv("SLUICE_MPI_BEGUN");
    if (begun != NULL) {
        const int told = (int)strtol(begun, NULL, 10);
        eventfd_write(told, 1);
        close(told);
        sluice_launch_job_share("SLUICE_MPI_BEGUN", NULL);
    }
}

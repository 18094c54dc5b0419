#include "hung.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

/* The looks after which a launcher hangs. A late one asks for its children within milliseconds. */
#define LOOKS 3

struct process {
    pid_t pid;
    pid_t parent;
    char state;
    int status; /* exit status of a process that has ended */
    char name[16];
};

struct processes {
    struct process *all;
    size_t count;
};

/* Reads a line of /proc/PID/stat, see proc(5): the state is field 3, the status field 52. */
static bool parse(const char *line, struct process *process)
{
    const char *open = strchr(line, '(');
    const char *close = strrchr(line, ')');
    int at = 0;
    if (open == NULL || close == NULL
        || sscanf(close, ") %c %d %n", &process->state, &process->parent, &at) != 2) {
        return false;
    }
    const char *field = close + at;
    for (int number = 5; number < 52 && field != NULL; number++)
        field = strchr(field + 1, ' ');
    process->pid = (pid_t)strtol(line, NULL, 10);
    process->status = field == NULL ? 0 : (int)strtol(field, NULL, 10);
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close - open - 1), open + 1);
    return true;
}

static bool read_process(const char *pid, struct process *process)
{
    char path[300];
    char line[2048];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "re");
    const bool read = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        fclose(file);
    return read && parse(line, process);
}

static struct processes read_all(void)
{
    struct processes found = {0};
    size_t room = 0;
    DIR *directory = opendir("/proc");
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (found.count == room) {
            room = room * 2 + 256;
            struct process *more = realloc(found.all, room * sizeof *more);
            if (more == NULL)
                break;
            found.all = more;
        }
        if (*entry->d_name >= '1' && *entry->d_name <= '9')
            found.count += read_process(entry->d_name, &found.all[found.count]);
    }
    if (directory != NULL)
        closedir(directory);
    return found;
}

static const struct process *find(const struct processes *in, pid_t pid)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->all[i].pid == pid)
            return &in->all[i];
    return NULL;
}

static bool is_below(const struct processes *in, const struct process *process, pid_t command)
{
    while (process != NULL && process->pid != command)
        process = find(in, process->parent);
    return process != NULL;
}

/*
 * Returns whether the process is a launcher. Another program may leave its ended children for
 * later.
 */
static bool is_launcher(const struct process *process)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "orted", "prte"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(process->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool hangs(const struct processes *in, const struct process *launcher)
{
    bool failed = false;
    for (size_t i = 0; i < in->count; i++) {
        const struct process *child = &in->all[i];
        if (child->parent != launcher->pid)
            continue;
        if (child->state != 'Z')
            return false;
        failed |= child->status != 0;
    }
    return failed;
}

static const struct process *find_hung(const struct processes *in, pid_t command)
{
    for (size_t i = 0; i < in->count; i++) {
        const struct process *one = &in->all[i];
        if (one->state != 'T' && is_launcher(one) && is_below(in, one, command) && hangs(in, one))
            return one;
    }
    return NULL;
}

void sluice_launch_hung_look(struct sluice_launch_hung *hung, pid_t command)
{
    const struct processes now = read_all();
    const struct process *found = find_hung(&now, command);
    const pid_t launcher = found == NULL ? 0 : found->pid;
    hung->looks = launcher == hung->launcher ? hung->looks + 1 : 1;
    hung->launcher = launcher;
    if (launcher != 0 && hung->looks >= LOOKS) {
        sluice_launch_say("%s hangs, though all that it started has ended: process %d is killed",
                          found->name, (int)launcher);
        kill(launcher, SIGKILL);
    }
    free(now.all);
}

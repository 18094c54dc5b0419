/*
 *     borrowed_memory FILE
 *
 * For scripts/tests/rounds: writes FILE, has a child that runs in this process's memory until it is
 * another program, and is killed.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int become_another(void *nothing)
{
    (void)nothing;
    execl("/bin/true", "true", (char *)NULL);
    return 1;
}

int main(int count, char **arguments)
{
    static _Alignas(16) char stack[1 << 16];
    if (count != 2)
        return 2;
    const int fd = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, "half", 4) != 4)
        return 1;
    const pid_t child =
        clone(become_another, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    if (child < 0 || waitpid(child, NULL, 0) != child)
        return 1;
    return raise(SIGKILL);
}

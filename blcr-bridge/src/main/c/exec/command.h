/* The command that sluice exec runs. */
#ifndef SLUICE_EXEC_COMMAND_H
#define SLUICE_EXEC_COMMAND_H

/*
 * Runs the command as a child with its writes captured, forwards signals to it, and returns its exit
 * status, 128 + N when signal N killed it, 127 when it is not found, 126 when it cannot be executed.
 */
int sluice_exec_command_run(const char *directory, char **command);

#endif

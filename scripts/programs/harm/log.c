/* A log by stdio: a line at a time, flushed as lines are that must not be lost. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    FILE *log = argc == 3 ? fopen(argv[1], "a") : NULL;
    const long lines = argc == 3 ? atol(argv[2]) : 0;
    if (log == NULL)
        return EXIT_FAILURE;
    setvbuf(log, NULL, _IOLBF, 4096);
    for (long line = 0; line < lines; line++)
        fprintf(log, "step %8ld residual %.12e dt %.3e\n", line, 1.0 / (double)(line + 1), 1e-3);
    return fclose(log) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

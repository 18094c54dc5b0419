/* The stream socket of an I/O process, without what is said over it. */
#pragma once

/* A descriptor, or a negative errno. */
int sluice_socket_make(void);

/* To the I/O process of a directory: 0, or a negative errno. */
int sluice_socket_connect(int fd, const char *directory);

/* How long one call on it may block, in milliseconds; 0 for as long as it takes. */
void sluice_socket_limit(int fd, int patience);

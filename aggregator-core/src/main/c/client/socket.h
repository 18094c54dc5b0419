/* The stream socket of an I/O process, without its protocol. */
#pragma once

#include <stdint.h>

/* The least number of a socket, unless a process may have no such descriptors. */
#define SLUICE_SOCKET_NUMBER 900

/* Makes a socket: a descriptor, or a negative errno. */
int sluice_socket_make(void);

/* Connects to the I/O process of a directory: 0, or a negative errno. */
int sluice_socket_connect(int fd, const char *directory);

/* Limits the time that one call on the socket may block, in milliseconds; 0 for no limit. */
void sluice_socket_limit(int fd, int patience);

/* Returns a number that no other socket on this node has now; 0 for a descriptor of none. */
uint64_t sluice_socket_number(int fd);

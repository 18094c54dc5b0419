/**
 * The single thread that serves sockets and rings and feeds the drain. All state of the session is
 * its own; other threads hand it their requests.
 */
package org.sluice.iop.service;

/**
 * The one thread that serves sockets and rings and feeds the drain. All state of the session is its
 * own; other threads hand it what they want done.
 */
package org.sluice.iop.service;

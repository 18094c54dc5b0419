/**
 * The requests that application processes send to the I/O process over its socket. Frames are read
 * and written by one thread at a time; what they say is checked here, and only here.
 */
package org.sluice.core.request;

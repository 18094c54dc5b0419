/** The requests that application processes send to the I/O process over its socket. */
package org.sluice.core.request;

/**
 * The Java side of the native client: the places of its files. The code runs in the commands, never
 * in the I/O process's threads.
 */
package org.sluice.bridge;

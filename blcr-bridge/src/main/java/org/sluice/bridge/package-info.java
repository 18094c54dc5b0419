/**
 * The Java side of the native client: where its files are. It runs in the commands, never in the
 * I/O process's threads.
 */
package org.sluice.bridge;

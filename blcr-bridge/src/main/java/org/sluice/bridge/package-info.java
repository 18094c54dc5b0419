/**
 * The Java side of the native client: where its files are, and the help of {@code sluice exec}. It
 * runs in the commands, never in the I/O process's threads.
 */
package org.sluice.bridge;

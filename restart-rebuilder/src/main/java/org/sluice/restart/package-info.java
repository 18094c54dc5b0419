/**
 * The commands for restart: they list, verify, restore and remove committed checkpoints. The
 * commands run beside an I/O process or without one, and hold a checkpoint's lock while they read
 * it.
 */
package org.sluice.restart;

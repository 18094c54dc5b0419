/**
 * Restart: lists, verifies, restores and removes what is committed. Runs in commands, beside an I/O
 * process or without one. It holds a checkpoint's lock while it reads it.
 */
package org.sluice.restart;

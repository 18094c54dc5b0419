/**
 * System calls that Java has no words for, through the Foreign Function and Memory API.
 * Thread-safe, unless a class says otherwise. Every failure is a {@code PosixException} with the
 * errno.
 */
package org.sluice.core.posix;

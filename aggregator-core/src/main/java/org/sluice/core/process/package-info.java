/** Processes, threads, their memory, and the kernel's events for them. */
package org.sluice.core.process;

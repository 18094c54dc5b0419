/** Processes, threads, their memory, and what the kernel tells them of. */
package org.sluice.core.process;

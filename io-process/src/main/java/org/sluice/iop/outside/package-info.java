/**
 * Programs outside Sluice that open images, and how the kernel tells of them. The service thread
 * sets the marks and answers. The guard itself is a process of its own, which never waits for this
 * one.
 */
package org.sluice.iop.outside;

/**
 * The client for Java programs: checkpoints by explicit calls, images as seekable byte channels.
 * The client calls the C client, {@code libsluice.so}, through its public header, on the caller's
 * thread.
 */
package org.sluice.client;

/**
 * The client for Java programs: checkpoints by explicit calls, images as seekable byte channels.
 * The C twin of its log is {@code chunk.c}, {@code pool.c} and {@code log.c} in blcr-bridge.
 */
package org.sluice.core.client;

package org.sluice.core.store.model;

/**
 * The program that wrote a checkpoint, and where it ran.
 *
 * @param node the node that wrote it
 * @param job a name for the job
 * @param origin program whose files it has
 * @param sessionId the session that wrote its chunks
 */
public record CommitSource(String node, String job, Origin origin, long sessionId) {}

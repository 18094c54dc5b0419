package org.sluice.iop.service;

import java.nio.file.Path;
import org.sluice.iop.checkpoint.Grouping;

/**
 * What a session captures and how it makes checkpoints of it.
 *
 * @param node this node's name
 * @param job a name for the job
 * @param directory where clients find the session
 * @param capture the capture directory, absolute and resolved; null for none
 * @param grouping which captured files are one checkpoint; null when files are not grouped
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param keep how many checkpoints of a series stay, 0 for all
 * @param endsWithMembers whether the session ends when its last member has left
 */
public record SessionSettings(
    String node,
    String job,
    Path directory,
    Path capture,
    Grouping grouping,
    int writers,
    int keep,
    boolean endsWithMembers) {}

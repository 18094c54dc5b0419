package org.sluice.iop.service;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * What a session captures and how it makes checkpoints of it.
 *
 * @param node this node's name
 * @param job a name for the job
 * @param capture the capture directory, absolute and resolved; null for none
 * @param group finds a checkpoint's number in a path; null for none
 * @param writers how many ranks write a checkpoint, 0 for all of the job
 * @param keep how many checkpoints of a series stay, 0 for all
 * @param endsWithMembers whether the session ends when its last member has left
 */
public record SessionSettings(
    String node,
    String job,
    Path capture,
    Pattern group,
    int writers,
    int keep,
    boolean endsWithMembers) {}

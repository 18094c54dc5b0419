package org.sluice.core.store.model;

import java.time.Instant;
import java.util.List;

/**
 * The names of a commit, and its place among the others of a store.
 *
 * @param number the checkpoint's number
 * @param id random, tells two commits of a number apart
 * @param names the names that its nodes give it, each once; the first one counts
 * @param sequence 1 more than that of the commit before, in the whole store
 * @param time time of the commit, by the node's clock
 * @param before ids of the commits that were the last before it; not of all
 */
public record CommitIdentity(
    long number, long id, List<String> names, long sequence, Instant time, List<Long> before) {}

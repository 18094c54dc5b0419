package org.sluice.core.store.model;

/**
 * The ranks of a job, and those of them that a commit is of.
 *
 * @param ranks ranks of the job, 0 when unknown; without a part a commit must have images of all
 * @param part the ranks whose images a commit has, if the job has others on other nodes; else none
 */
public record JobCoverage(int ranks, RankSet part) {}

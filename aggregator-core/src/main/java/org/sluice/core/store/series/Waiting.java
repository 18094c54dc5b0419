package org.sluice.core.store.series;

import org.sluice.core.store.model.RankSet;

/**
 * A checkpoint of the last run that some nodes have put their parts of, and others have not.
 *
 * @param number its number
 * @param ranks ranks of the job
 * @param missing those whose parts are not there
 * @param nodes how many nodes have put theirs
 */
public record Waiting(long number, int ranks, RankSet missing, int nodes) {}

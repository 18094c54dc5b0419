package org.sluice.core.store.series;

import org.sluice.core.store.model.RankSet;

/**
 * A checkpoint of the last run of which some nodes have put their parts, and others have not.
 *
 * @param nodes number of nodes that have put their parts
 */
public record Waiting(long number, int ranks, RankSet missing, int nodes) {}

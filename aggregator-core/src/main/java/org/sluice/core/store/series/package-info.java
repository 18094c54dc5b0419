/**
 * A series of checkpoints that the nodes of a job make together on storage that all of them see. A
 * checkpoint counts once the parts of all ranks are there and the series' log says so. No clock, no
 * lock and no message between nodes has any part in that:
 *
 * <ol>
 *   <li>A run appends a {@link org.sluice.core.store.series.LogEntry.Begin} to the log. An entry is
 *       made by conditional create under the next number, so the log has no hole and no entry
 *       changes.
 *   <li>Each node puts its data and then its {@linkplain org.sluice.core.store.series.PartKey
 *       part}. Their keys have the run and the round, so nothing is ever written over.
 *   <li>Any node that sees parts of all ranks appends a {@link
 *       org.sluice.core.store.series.LogEntry.Commit}.
 *   <li>A node whose entry finds its number taken reads the log again. Its own entry there is
 *       success, since only the answer was lost. A later begin is a fence, and the node stops.
 *   <li>A {@link org.sluice.core.store.series.LogEntry.Remove} is in the log before anything is
 *       deleted. A commit superseded by a later one of its number never counts again.
 *   <li>A run deletes only objects that earlier runs left, and those that its own log says are
 *       gone.
 * </ol>
 */
package org.sluice.core.store.series;

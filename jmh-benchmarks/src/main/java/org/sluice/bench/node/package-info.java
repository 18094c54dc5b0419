/**
 * The node-checkpoint benchmark. The processes of one node replay the write patterns that were
 * published for real checkpoints, through one storage system after the other.
 */
package org.sluice.bench.node;

/**
 * The shared-memory segment: one final descriptor class for each structure, and the mapping of
 * them. Other processes change it at any time. Each descriptor says which side writes a field and
 * in which order.
 */
package org.sluice.core.segment;

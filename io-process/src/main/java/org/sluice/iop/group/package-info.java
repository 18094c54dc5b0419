/**
 * Files that are a checkpoint by their names. The package tells which files belong to a group, when
 * the group is complete, and what it lacks. The service thread decides.
 */
package org.sluice.iop.group;

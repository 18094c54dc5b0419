/**
 * Files that are a checkpoint by their names: which ones belong to a group, when it is complete,
 * and what it lacks. The service thread decides.
 */
package org.sluice.iop.group;

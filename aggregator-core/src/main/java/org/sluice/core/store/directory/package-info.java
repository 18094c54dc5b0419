/** The directory of a store: the names in it, its owner, and the node and the job that use it. */
package org.sluice.core.store.directory;

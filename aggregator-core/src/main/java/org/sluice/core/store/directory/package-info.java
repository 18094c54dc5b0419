/** The directory of a store: the names in it, whose it is, which node and which job use it. */
package org.sluice.core.store.directory;

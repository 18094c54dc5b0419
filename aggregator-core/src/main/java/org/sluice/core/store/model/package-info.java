/**
 * The values of a store: commits, images, ranks and the pieces of an image, and the interface by
 * which an image is rebuilt. Nothing here reads or writes a file.
 */
package org.sluice.core.store.model;

/**
 * The formats of a store's files, down to the byte: index, manifest, log record, and text and JSON
 * that are sealed by a checksum. {@code docs/format.md} describes them for other programs.
 */
package org.sluice.core.store.format;

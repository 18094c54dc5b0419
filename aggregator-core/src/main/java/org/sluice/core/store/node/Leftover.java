package org.sluice.core.store.node;

import java.util.Locale;

/**
 * Something in a store that no committed checkpoint needs and no live process uses.
 *
 * @param name name below the directory, or the URI, of the store
 * @param path where it is, or was
 */
public record Leftover(Kind kind, String name, String path, long bytes) {
  /** The kind of a leftover. */
  public enum Kind {
    /** A checkpoint whose commit or whose removal was cut short. */
    UNFINISHED,
    /** A checkpoint that was committed again. */
    SUPERSEDED,
    /** The file of an image that was never committed. */
    IMAGE,
    /** A container that no checkpoint names. */
    CONTAINER,
    /** Links by which a dead session held files that it had not open. */
    HELD,
    /** A damaged commit log: it is set aside, not removed. */
    LOG,
    /** The remains of an earlier run of a series. */
    EARLIER,
    /** Hidden files that a killed restore left, outside the store. */
    RESTORE;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

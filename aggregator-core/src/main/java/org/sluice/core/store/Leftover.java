package org.sluice.core.store;

import java.nio.file.Path;

/**
 * Something in a store that no committed checkpoint needs and no live process uses.
 *
 * @param kind what it is
 * @param path where it is, or was
 * @param bytes what its removal frees
 */
public record Leftover(Kind kind, Path path, long bytes) {
  /** What it can be. */
  public enum Kind {
    /** A checkpoint whose commit or whose removal was cut short. */
    UNFINISHED("unfinished"),
    /** A checkpoint that was committed again. */
    SUPERSEDED("superseded"),
    /** The file of an image that was never committed. */
    IMAGE("image"),
    /** A container that no checkpoint names. */
    CONTAINER("container");

    private final String label;

    Kind(final String label) {
      this.label = label;
    }

    /**
     * What users call it.
     *
     * @return one word
     */
    public String label() {
      return label;
    }
  }
}

package org.sluice.iop.memory;

/** The kinds of pages that the segment may lie on. */
public enum Pages {
  /** Huge pages if they can be had. */
  auto,
  /** Huge pages, or the start fails. */
  huge,
  /** The pages of the runtime directory's file system, whatever their size. */
  small
}

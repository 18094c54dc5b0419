package org.sluice.iop.memory;

/** What pages the segment is to lie on. */
public enum Pages {
  /** Huge ones if they can be had. */
  auto,
  /** Huge ones, or none at all. */
  huge,
  /** The pages of the runtime directory's file system, whatever they are. */
  small
}

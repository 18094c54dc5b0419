package org.sluice.core.store.series;

/** Files joined a checkpoint that was removed before they were committed with it. */
final class RemovedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  RemovedException(final PartKey part) {
    super(
        "checkpoint %d was removed, by --keep or sluice rm, before files that joined it were committed with it"
            .formatted(part.number()));
  }
}

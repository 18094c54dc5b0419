package org.sluice.iop.publish;

/**
 * How many checkpoints stay as newer ones are committed.
 *
 * @param most how many of the newest, at least; 0 for all
 * @param onStage how many of a run stay on a stage that they are copied from; 0 for all
 * @param countsEarlier whether those of earlier runs are counted, and go, as well: of the waves of
 *     an MPI job each run keeps its own
 */
public record Keeping(int most, int onStage, boolean countsEarlier) {
  /** All stay where they were to go. A stage has room for few. */
  public static final Keeping DEFAULT = new Keeping(0, 2, false);

  /** All stay. */
  public static final Keeping ALL = new Keeping(0, 0, false);

  /** Of waves. */
  public static final Keeping WAVES = new Keeping(2, 2, false);

  /** The same on a stage: it has this run's, and those of earlier runs are another's business. */
  public Keeping ofStage() {
    return new Keeping(onStage, onStage, false);
  }

  /** {@return whether none is ever removed} */
  public boolean isAll() {
    return most == 0;
  }

  /** How many stay where files may yet join the newest: then the one before it is the newest. */
  public int atLeast(final boolean mayGrow) {
    return mayGrow ? Math.max(most, 2) : most;
  }
}

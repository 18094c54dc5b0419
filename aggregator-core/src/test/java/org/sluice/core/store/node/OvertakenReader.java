package org.sluice.core.store.node;

import java.io.IOException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.store.model.Commit;

/** A store in which another checkpoint takes the place of the first one that is to be read. */
public final class OvertakenReader extends PosixReader {
  private final StoreFixture fixture;
  private final byte[] content;
  private final long number;
  private boolean overtaken;

  /**
   * A reader that nobody has used yet.
   *
   * @param fixture writes the store
   * @param content of image a of the other checkpoint
   * @param number of the other checkpoint
   * @throws IOException when it cannot be opened
   */
  public OvertakenReader(final StoreFixture fixture, final byte[] content, final long number)
      throws IOException {
    super(fixture.store().directory);
    this.fixture = fixture;
    this.content = content;
    this.number = number;
  }

  @Override
  public boolean whileHeld(final Commit commit, final Step<IOException> reading)
      throws IOException {
    if (!overtaken) {
      overtaken = true;
      fixture.logged("a", -1, content).commit(number, 0);
      if (!fixture.store().remove(commit)) {
        throw new IllegalStateException("a process reads " + commit);
      }
    }
    return super.whileHeld(commit, reading);
  }
}

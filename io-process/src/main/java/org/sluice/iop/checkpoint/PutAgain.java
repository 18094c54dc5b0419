package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.function.Consumer;
import org.sluice.core.fault.Fault;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Work;

/** Puts the part once more of a commit that a former I/O process has made, from the last stage. */
record PutAgain(long id, Fault.Step<IOException> put, Consumer<IOException> refused)
    implements Work {
  @Override
  public void commit() throws IOException {
    put.run();
  }

  @Override
  public void fail(final IOException failure) {
    refused.accept(failure);
  }

  @Override
  public Subject subject() {
    return Subject.COMMIT;
  }
}

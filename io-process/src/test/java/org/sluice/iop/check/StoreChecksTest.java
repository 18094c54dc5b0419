package org.sluice.iop.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.iop.check.Section.Answer;
import org.sluice.iop.check.Section.Finding;

class StoreChecksTest {
  @TempDir private Path directory;

  /** A file past the page cache, on a file system that looks at alignment when, or never. */
  private final class Direct extends NativeFile {
    private final boolean refuses;
    private final boolean fails;
    private boolean odd;

    Direct(final boolean refuses, final boolean fails) throws PosixException {
      super(directory.resolve("file").toString(), Flag.WRITE, Flag.CREATE);
      this.refuses = refuses;
      this.fails = fails;
    }

    @Override
    public void pwrite(final long address, final long length, final long offset)
        throws PosixException {
      odd = length % 512 != 0;
      if (odd && refuses) {
        throw new PosixException("write", Errno.EINVAL);
      }
      super.pwrite(address, length, offset);
    }

    @Override
    public void sync() throws PosixException {
      if (odd && fails) {
        throw new PosixException("sync", Errno.EINVAL);
      }
      super.sync();
    }
  }

  private Finding unaligned(final boolean refuses, final boolean fails) throws PosixException {
    final Section section = new Section("store", null);
    try (Direct file = new Direct(refuses, fails)) {
      StoreChecks.unaligned(section, file);
    }
    assertThat(section.findings()).hasSize(1);
    return section.findings().getFirst();
  }

  @Test
  void unalignedWritesAreRefusedTakenOrATrap() throws PosixException {
    assertThat(unaligned(true, false).text()).contains("refused at once");
    assertThat(unaligned(false, false).text()).contains("are taken");
    final Finding trap = unaligned(false, true);
    assertThat(trap.answer()).isEqualTo(Answer.LIMITED);
    assertThat(trap.text()).contains("next fsync fails", "EINVAL");
    assertThat(trap.stops()).isFalse();
  }
}

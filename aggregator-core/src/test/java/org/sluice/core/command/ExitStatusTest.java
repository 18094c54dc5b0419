package org.sluice.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import org.junit.jupiter.api.Test;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.disk.NoStoreException;

class ExitStatusTest {
  @Test
  void everyFailureHasTheStatusThatIsDocumented() {
    assertStatus(new IOException("x"), 1);
    assertStatus(new IllegalStateException("x"), 1);
    assertStatus(new NoStoreException("x"), 3);
    assertStatus(new CommandException(ExitStatus.NOT_FOUND, "x"), 4);
    assertStatus(new DamagedException("x", 0, "y"), 5);
    assertStatus(new PosixException("write x", Errno.ENOSPC), 8);
    assertStatus(new PosixException("write x", Errno.EDQUOT), 8);
    assertStatus(new PosixException("open x", Errno.EACCES), 9);
    assertStatus(new PosixException("open x", Errno.EROFS), 9);
    assertStatus(new AccessDeniedException("x"), 9);
    assertStatus(FormatVersionException.of("x", 2, 1), 10);
  }

  private static void assertStatus(final Exception failure, final int code) {
    assertThat(ExitStatus.of(failure).code()).as("%s", failure).isEqualTo(code);
  }
}

package org.sluice.iop.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.iop.journal.Entry;

/** A file at rest, whose name any program may change at any moment. */
class HeldFileTest {
  /** Takes a lease, and gives it up when the kernel says that another process waits. */
  private static final String LEASE =
      """
      import fcntl, os, signal, sys
      file = os.open(sys.argv[1], os.O_RDWR)
      signal.signal(signal.SIGIO, lambda *_: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK))
      fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
      print('leased', flush=True)
      while True:
          signal.pause()
      """;

  @TempDir private Path directory;
  private Path name;
  private Path link;
  private Image image;

  @BeforeEach
  void rest() throws IOException {
    name = Files.writeString(directory.resolve("name"), "image");
    link = Files.createLink(directory.resolve("link"), name);
    image = committedAtRest(link, name);
  }

  @Test
  void aFileIsFoundWhileItsNameComesAndGoes() throws Exception {
    final Thread program = new Thread(this::renameForEver);
    program.start();
    try {
      for (int i = 0; i < 2000; i++) {
        image.held().status();
        image.file();
        image.held().rest();
        final FileSource.Loan loan = image.held().lend();
        loan.close();
      }
    } finally {
      program.interrupt();
      program.join();
    }
  }

  /** What may pass must not fail an image for good. */
  @Test
  void aFileIsMissingOnlyIfThatIsCertain() throws IOException {
    Files.delete(link);
    image.name(directory.resolve("n".repeat(256)).toString());
    assertThatThrownBy(image::file).isInstanceOf(PosixException.class);
    assertThatThrownBy(image.held()::status).isInstanceOf(PosixException.class);
    image.name(name.resolve("below").toString());
    assertThatThrownBy(image::file).isInstanceOf(MissingException.class);
    assertThatThrownBy(image.held()::lend).isInstanceOf(MissingException.class);
  }

  /** Else nothing could be read from it, nor written to it. */
  @Test
  void aProgramGivesUpItsLeaseBeforeTheFileIsUsed() throws IOException {
    final Process program = new ProcessBuilder("python3", "-c", LEASE, name.toString()).start();
    try (BufferedReader said = program.inputReader()) {
      assertThat(said.readLine()).isEqualTo("leased");
      assertThat(image.file().isLetGo()).isFalse();
    } finally {
      program.destroyForcibly();
    }
  }

  private void renameForEver() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Files.move(name, directory.resolve("other"));
        Files.writeString(name, "another file");
        Files.delete(name);
        Files.move(directory.resolve("other"), name);
      }
    } catch (final IOException e) {
      throw new AssertionError(e);
    }
  }

  static Image image(final FileIdentity file, final int state, final String path) {
    return new Image(
        new Entry.Admitted(1, 0, file.device(), file.inode(), file.born(), state, path),
        Layout.CONTAINER);
  }

  /** A file at rest that a checkpoint has, too, under one of its names. */
  static Image committedAtRest(final Path stored, final Path named) throws IOException {
    final FileIdentity file = FileStatus.of(stored.toString()).identity();
    final Image image = image(file, ImageDescriptor.STATE_COMMITTED, stored.toString());
    image.apply(new Entry.Created(1, 1, 0, "stored", 0, ""));
    image.name(named.toString());
    image.apply(new Entry.Ended(1, 1, 0, ""));
    final Descriptors descriptors = new Descriptors(null, Set.of());
    image.bind(HeldFile.atRest(image, descriptors), null, null, OutsideReaders.NONE);
    return image;
  }
}

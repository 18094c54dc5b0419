package org.sluice.core.store.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.node.LoggedDisk;
import org.sluice.core.store.objects.EngineException.Reason;
import org.sluice.core.store.series.SeriesRun;

class DirectoryEngineTest extends EngineContract {
  private static final String KEY = "log/1";
  private static final byte[] MINE = "mine".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHERS = "others'".getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path directory;

  @Override
  protected Engine open() {
    return DirectoryEngine.of(directory);
  }

  /** A file system that does something else where a file gets its name. */
  private abstract static class OddDisk extends Disk {
    @Override
    public abstract void link(NativeFile file, Path name) throws PosixException;

    final void reallyLink(final NativeFile file, final Path name) throws PosixException {
      super.link(file, name);
    }
  }

  private DirectoryEngine on(final Disk disk) {
    return new DirectoryEngine(directory, disk);
  }

  @Test
  void aLinkWhoseAnswerWasLostAndThatIsRepeatedSucceeded() throws IOException {
    final DirectoryEngine engine =
        on(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                reallyLink(file, name);
                reallyLink(file, name);
              }
            });
    assertThat(engine.putIfAbsent(KEY, MINE)).isTrue();
    assertThat(engine.getAll(KEY, 100)).isEqualTo(MINE);
    assertThat(files()).containsExactly(KEY);
  }

  @Test
  void aLinkThatFailedInAnyWaySucceededIfTheNameHasTheBytes() throws IOException {
    final DirectoryEngine engine =
        on(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                reallyLink(file, name);
                throw new PosixException("link " + name, Errno.EIO);
              }
            });
    assertThat(engine.putIfAbsent(KEY, MINE)).isTrue();
    assertThat(files()).containsExactly(KEY);
  }

  @Test
  void aLinkThatFailsBesidesTheObjectOfAnotherDidNotSucceed() throws IOException {
    final DirectoryEngine engine =
        on(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                try {
                  DirectoryEngine.of(directory).putIfAbsent(KEY, OTHERS);
                } catch (final IOException e) {
                  throw new AssertionError(e);
                }
                reallyLink(file, name);
              }
            });
    assertThat(engine.putIfAbsent(KEY, MINE)).isFalse();
    assertThat(engine.getAll(KEY, 100)).isEqualTo(OTHERS);
    assertThat(files()).containsExactly(KEY);
  }

  /** As GlusterFS tells of what another node has deleted, and NFS of what its server has moved. */
  @Test
  void aStaleFileIsLookedUpAgain() throws IOException {
    final int[] stale = {3};
    final DirectoryEngine engine =
        on(
            new Disk() {
              @Override
              public NativeFile openThere(final Path path) throws PosixException {
                if (stale[0]-- > 0) {
                  throw new PosixException("stat " + path, Errno.ESTALE);
                }
                return super.openThere(path);
              }
            });
    engine.putIfAbsent(KEY, MINE);
    assertThat(engine.getAll(KEY, 100)).isEqualTo(MINE);
    stale[0] = 1;
    assertThatThrownBy(() -> engine.getAll("log/2", 100)).isInstanceOf(NoObjectException.class);
    stale[0] = 100;
    assertThatThrownBy(() -> engine.getAll(KEY, 100)).hasMessageContaining("ESTALE");
  }

  @Test
  void anObjectOfAnotherLengthIsDamaged() throws IOException {
    final DirectoryEngine engine = on(Disk.REAL);
    engine.put("part/1", List.of(ByteBuffer.wrap(OTHERS)));
    assertThatThrownBy(() -> engine.put("part/1", List.of(ByteBuffer.wrap(MINE))))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("it has not the bytes that it is to have");
    assertThat(engine.getAll("part/1", 100)).isEqualTo(OTHERS);
    assertThat(files()).containsExactly("part/1");
  }

  @Test
  void aLinkThatFailsAndLeavesNothingIsAnError() throws IOException {
    final DirectoryEngine engine =
        on(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                throw new PosixException("link " + name, Errno.EIO);
              }
            });
    assertThatThrownBy(() -> engine.putIfAbsent(KEY, MINE)).hasMessageContaining("cannot link");
    assertThat(files()).isEmpty();
  }

  @Test
  void aFullFileSystemIsToldAsSuch() throws IOException {
    final List<Disk> full =
        List.of(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                throw new PosixException("link " + name, Errno.ENOSPC);
              }
            },
            new Disk() {
              @Override
              public NativeFile open(final Path path, final NativeFile.Flag... flags)
                  throws IOException {
                throw new PosixException("open " + path, Errno.EDQUOT);
              }
            });
    for (final Disk disk : full) {
      for (final ThrowingCallable deed :
          List.<ThrowingCallable>of(
              () -> on(disk).putIfAbsent(KEY, MINE),
              () -> on(disk).put("part/1", List.of(ByteBuffer.wrap(MINE))))) {
        assertThatThrownBy(deed)
            .satisfies(e -> assertThat(ExitStatus.of(e)).isEqualTo(ExitStatus.NO_ROOM));
      }
    }
    assertThat(files()).isEmpty();
  }

  /** It says where to begin to read, and never what is there. */
  @Test
  void aListOfAWhileAgoMisleadsNoRun() throws IOException {
    final List<Path> before = new ArrayList<>();
    final DirectoryEngine engine =
        on(
            new Disk() {
              @Override
              public List<Path> list(final Path folder) {
                return List.copyOf(before);
              }
            });
    assertThat(SeriesRun.join(engine, "first", "b17").begin()).isEqualTo(1);
    before.add(directory.resolve("log/0000000001"));
    assertThat(SeriesRun.join(engine, "second", "b17").begin()).isEqualTo(2);
    assertThat(SeriesRun.join(engine, "third", "b17").begin()).isEqualTo(3);
    assertThatThrownBy(() -> SeriesRun.join(engine, "second", "b18"))
        .hasMessageContaining("run second is fenced: run third began on node b17");
  }

  @Test
  void aFileSystemWithoutLinksIsNotFit() throws IOException {
    final LoggedDisk disk = new LoggedDisk(directory);
    disk.linkFiles(false);
    assertThatThrownBy(() -> EngineProbe.conditionalCreate(on(disk)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("the file system of " + directory + " has no hard links")
        .satisfies(e -> assertThat(((EngineException) e).reason()).isEqualTo(Reason.UNFIT));
    assertThat(files()).isEmpty();
  }

  @Test
  void aDraftThatSomebodyDeletesIsAnError() throws IOException {
    final DirectoryEngine engine =
        on(
            new OddDisk() {
              @Override
              public void link(final NativeFile file, final Path name) throws PosixException {
                deleteDrafts();
                reallyLink(file, name);
              }
            });
    assertThatThrownBy(() -> engine.putIfAbsent(KEY, MINE)).hasMessageContaining("ENOENT");
    assertThatThrownBy(() -> engine.put("part/1", List.of(ByteBuffer.wrap(MINE))))
        .hasMessageContaining("ENOENT");
    assertThat(files()).isEmpty();
  }

  private void deleteDrafts() {
    try {
      for (final String draft : files()) {
        assertThat(draft).contains("/.draft-");
        Files.delete(directory.resolve(draft));
      }
    } catch (final IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void otherBytesOfTheSameLengthUnderAKeyAreRefused() throws IOException {
    final DirectoryEngine engine = on(Disk.REAL);
    final byte[] other = MINE.clone();
    other[0]++;
    engine.put("part/1", List.of(ByteBuffer.wrap(MINE)));
    engine.put("part/1", List.of(ByteBuffer.wrap(MINE)));
    assertThatThrownBy(() -> engine.put("part/1", List.of(ByteBuffer.wrap(other))))
        .isInstanceOf(DamagedException.class);
    assertThat(engine.getAll("part/1", 100)).isEqualTo(MINE);
  }

  @Test
  void aDraftOfAKilledProcessIsNoObject() throws IOException {
    final DirectoryEngine engine = on(Disk.REAL);
    engine.putIfAbsent(KEY, MINE);
    Files.write(directory.resolve("log/.draft-0123456789abcdef"), OTHERS);
    assertThat(engine.list("log/")).containsExactly(KEY);
    engine.delete(KEY);
    assertThat(engine.list("log/")).isEmpty();
  }

  /**
   * Counts what it synchronises of directories, and may show each new file as if it had the mark.
   */
  private static final class CountingDisk extends Disk {
    private final List<String> calls = new ArrayList<>();
    private boolean showsAllAlike;
    private boolean refusesModes;

    @Override
    public NativeFile open(final Path path, final NativeFile.Flag... flags) throws IOException {
      final NativeFile file = super.open(path, flags);
      if (showsAllAlike) {
        file.chmod(0700);
      }
      return file;
    }

    @Override
    public void chmod(final NativeFile file, final int mode) throws PosixException {
      calls.add("mark");
      if (refusesModes) {
        throw new PosixException("change mode of " + file.opened(), Errno.EPERM);
      }
      super.chmod(file, mode);
    }

    @Override
    public void syncDirectory(final Path folder, final FaultPoint point) throws IOException {
      calls.add("sync " + folder.getFileName());
      super.syncDirectory(folder, point);
    }
  }

  private CountingDisk found(final CountingDisk makers, final CountingDisk finders)
      throws IOException {
    final DirectoryEngine finder = on(finders);
    finder.put("part/1", List.of(ByteBuffer.wrap(MINE)));
    assertThat(on(makers).putIfAbsent(KEY, OTHERS)).isTrue();
    finder.getAll(KEY, 100);
    finders.calls.clear();
    finder.makeDurable(List.of(KEY));
    return finders;
  }

  /** A file system that tells of a name at once and shows it later. */
  @Test
  void aNameThatIsShownLateIsThere() throws IOException {
    assertThat(on(Disk.REAL).putIfAbsent(KEY, OTHERS)).isTrue();
    final AtomicInteger looks = new AtomicInteger();
    final DirectoryEngine late =
        on(
            new Disk() {
              @Override
              public NativeFile open(final Path path, final NativeFile.Flag... flags)
                  throws IOException {
                if (path.endsWith(KEY) && looks.incrementAndGet() < 4) {
                  throw new PosixException("open " + path, Errno.ENOENT);
                }
                return super.open(path, flags);
              }

              @Override
              public NativeFile openThere(final Path path) throws PosixException {
                if (path.endsWith(KEY) && looks.incrementAndGet() < 4) {
                  throw new PosixException("open " + path, Errno.ENOENT);
                }
                return super.openThere(path);
              }
            });
    assertThat(late.putIfAbsent(KEY, MINE)).isFalse();
    assertThat(looks.get()).isGreaterThan(3);
  }

  @Test
  void whatItsMakerHasSynchronisedNobodyElseDoes() throws IOException {
    final CountingDisk maker = new CountingDisk();
    assertThat(found(maker, new CountingDisk()).calls).isEmpty();
    assertThat(maker.calls.subList(maker.calls.indexOf("mark"), maker.calls.size()))
        .containsExactly("mark");
  }

  @Test
  void whatCannotBeMarkedOthersSynchronise() throws IOException {
    final CountingDisk maker = new CountingDisk();
    maker.refusesModes = true;
    assertThat(found(maker, new CountingDisk()).calls).containsExactly("sync log");
  }

  @Test
  void aMountThatShowsAllFilesAlikeTellsNothingByTheMark() throws IOException {
    final CountingDisk finder = new CountingDisk();
    finder.showsAllAlike = true;
    assertThat(found(new CountingDisk(), finder).calls).containsExactly("sync log");
  }

  @Test
  void whatWasOnlyListedIsSynchronised() throws IOException {
    final CountingDisk disk = new CountingDisk();
    final DirectoryEngine finder = on(disk);
    on(Disk.REAL).put("part/1/b.0-9/10", List.of(ByteBuffer.wrap(OTHERS)));
    finder.makeDurable(finder.list("part/1/"));
    assertThat(disk.calls).containsExactly("sync b.0-9");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString())
          .toList();
    }
  }
}

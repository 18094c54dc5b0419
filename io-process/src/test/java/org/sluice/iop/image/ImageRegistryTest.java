package org.sluice.iop.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.segment.WriteRules;
import org.sluice.iop.journal.Journal;

class ImageRegistryTest {
  private static final long SESSION = 7;
  private static final SegmentSettings SETTINGS =
      new SegmentSettings(
          SESSION,
          Layout.CONTAINER,
          new WriteRules(
              Long.MAX_VALUE, HeaderDescriptor.POLICY_AUTO, HeaderDescriptor.WHEN_FULL_WAIT, 0),
          "/store",
          "/capture");

  @TempDir private Path directory;

  /** A file that was deleted while nobody held it leaves its inode number to the next one. */
  @Test
  void nobodyTakesAnotherFileForOneThatIsGone() throws Exception {
    final Path file = directory.resolve("journal");
    final Images past = new Images(Layout.CONTAINER);
    try (Segment segment =
        TestSegments.create(directory.resolve("segment"), new Geometry(4, 64, 8, 8192), SETTINGS)) {
      final ImageKey gone;
      try (Journal journal = Journal.create(file, SESSION, () -> new Images(Layout.CONTAINER))) {
        final ImageRegistry former =
            new ImageRegistry(
                segment.imageTable(),
                new Images(Layout.CONTAINER),
                journal,
                OutsideReaders.NONE,
                descriptors());
        gone = former.admit(create("gone"), ImageDescriptor.STATE_DIVERTED).key();
      }
      assertThat(TestSegments.find(segment.imageTable(), gone.device(), gone.inode()))
          .isNotNegative();
      try (Journal journal =
          Journal.resume(file, SESSION, past, () -> new Images(Layout.CONTAINER))) {
        final ImageRegistry resumed =
            new ImageRegistry(
                segment.imageTable(), past, journal, OutsideReaders.NONE, descriptors());
        resumed.resume(past.all().getFirst(), create("in its place"));
        resumed.publish();
      }
      assertThat(TestSegments.find(segment.imageTable(), gone.device(), gone.inode())).isNegative();
    }
  }

  /** Nothing rests here. */
  private static Descriptors descriptors() {
    return new Descriptors(null, Set.of());
  }

  private NativeFile create(final String name) throws IOException {
    return NativeFile.open(directory.resolve(name), NativeFile.Flag.WRITE, NativeFile.Flag.CREATE);
  }
}

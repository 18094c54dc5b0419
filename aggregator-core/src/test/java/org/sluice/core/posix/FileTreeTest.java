package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

final class FileTreeTest {
  private static final String FOREIGN = FileName.decode((byte) 0xE9, (byte) 0xFF);

  @TempDir private Path directory;

  private String path(final String name) {
    return FileName.resolve(directory.toString(), name);
  }

  private static void create(final String path) throws PosixException {
    NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close();
  }

  private List<String> walk() throws PosixException {
    final List<String> found = new ArrayList<>();
    FileTree.walk(
        directory.toString(),
        below -> !below.equals(path("store")),
        (path, device, inode) -> found.add(FileName.relative(path, directory.toString())));
    return found;
  }

  @Test
  void findsFilesOfAnyName() throws PosixException {
    Names.createDirectory(path(FOREIGN));
    Names.createDirectory(path("store"));
    create(path("a"));
    create(path("store/b"));
    create(path(FOREIGN + "/" + FOREIGN));
    assertThat(walk()).containsExactlyInAnyOrder("a", FOREIGN + "/" + FOREIGN);
  }

  @Test
  void findsFilesThatNoPathLeadsTo() throws PosixException {
    final String name = "n".repeat(200);
    String built = path("built");
    Names.createDirectory(built);
    for (int i = 0; i < 15; i++) {
      built = FileName.resolve(built, name);
      Names.createDirectory(built);
    }
    create(FileName.resolve(built, "file"));
    String deep = path("deep");
    Names.createDirectory(deep);
    for (int i = 0; i < 15; i++) {
      deep = FileName.resolve(deep, name);
      Names.createDirectory(deep);
    }
    final String moved = FileName.resolve(deep, "moved");
    Names.rename(path("built"), moved);
    try {
      assertThat(walk())
          .singleElement()
          .satisfies(found -> assertThat(found).startsWith("deep/").endsWith("/file"))
          .satisfies(found -> assertThat(found.length()).isGreaterThan(FileName.LONGEST));
    } finally {
      Names.rename(moved, path("built")); // for who deletes the directory
    }
  }

  @Test
  void findsAFileInADirectoryByItsInode() throws PosixException {
    Names.createDirectory(path("below"));
    create(path(FOREIGN));
    create(path("below/b"));
    final FileStatus file = FileStatus.of(path(FOREIGN));
    final FileStatus below = FileStatus.of(path("below/b"));
    assertThat(
            FileTree.find(directory.toString(), file.identity().device(), file.identity().inode()))
        .contains(path(FOREIGN));
    assertThat(
            FileTree.find(
                directory.toString(), below.identity().device(), below.identity().inode()))
        .isEmpty();
    assertThat(
            FileTree.find(
                directory.toString(), file.identity().device() + 1, file.identity().inode()))
        .isEmpty();
  }

  @Test
  void renamesAndDeletesByAnyName() throws PosixException {
    create(path("a"));
    Names.rename(path("a"), path(FOREIGN));
    try (NativeFile file = NativeFile.open(path(FOREIGN))) {
      assertThat(file.path()).contains(path(FOREIGN));
    }
    Names.link(path(FOREIGN), path("b"));
    assertThat(Names.exists(path(FOREIGN))).isTrue();
    assertThat(Names.delete(path(FOREIGN))).isTrue();
    assertThat(Names.delete(path(FOREIGN))).isFalse();
    assertThat(Names.exists(path("b"))).isTrue();
  }
}

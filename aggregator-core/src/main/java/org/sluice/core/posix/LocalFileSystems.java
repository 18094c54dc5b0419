package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;

/** Which file systems one node alone can mount. */
final class LocalFileSystems {
  /** As linux/magic.h and the file systems' own headers have them. Any other may be shared. */
  private static final Set<Long> MAGIC =
      Set.of(
          0xEF53L, // ext2, ext3, ext4
          0x58465342L, // xfs
          0x9123683EL, // btrfs
          0x01021994L, // tmpfs
          0x958458F6L, // hugetlbfs
          0x794C7630L, // overlayfs, whose upper directory must be local
          0xF2F52010L, // f2fs
          0x2FC12FC1L, // zfs
          0xCA451A4EL, // bcachefs
          0x3153464AL, // jfs
          0x52654973L, // reiserfs
          0x3434L, // nilfs2
          0x4D44L, // vfat
          0x2011BAB0L, // exfat
          0x7366746EL); // ntfs3

  private LocalFileSystems() {}

  /** Whether an open file lies on one. */
  static boolean has(final int descriptor, final Path opened) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment status = arena.allocate(LibC.STATFS_LENGTH, Long.BYTES);
      if (LibC.fstatfs(descriptor, status) < 0) {
        throw new PosixException("ask for the file system of " + opened, LibC.errno());
      }
      return MAGIC.contains(status.get(JAVA_LONG, 0));
    }
  }
}

package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.util.Map;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The answer of {@code fstatfs} about the file system of a file. Java's {@code FileStore} looks the
 * file up in the table of mounts, which lacks it below a root that is no mount point.
 *
 * @param fileSystem its type, such as {@code xfs}, or the number of one that is not known here
 * @param block bytes in which the file system counts
 * @param free bytes that it has left for this user; the greatest number where it has no limit
 * @param files the number of further files that it can have; the greatest number where it has no
 *     limit
 */
public record FreeSpace(String fileSystem, long block, long free, long files) {
  private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

  /**
   * File systems that only one node can mount; the upper directory of overlay must be local. The
   * numbers are from linux/magic.h and of file systems that are not part of Linux.
   */
  private static final Map<Long, String> LOCAL =
      Map.ofEntries(
          Map.entry(0xEF53L, "ext4"),
          Map.entry(0x5846_5342L, "xfs"),
          Map.entry(0x9123_683EL, "btrfs"),
          Map.entry(0xF2F5_2010L, "f2fs"),
          Map.entry(0x2FC1_2FC1L, "zfs"),
          Map.entry(0x0102_1994L, "tmpfs"),
          Map.entry(0x9584_58F6L, "hugetlbfs"),
          Map.entry(0x794C_7630L, "overlay"),
          Map.entry(0x7366_746EL, "ntfs3"),
          Map.entry(0x2011_BAB0L, "exfat"),
          Map.entry(0x4D44L, "vfat"),
          Map.entry(0x3434L, "nilfs2"),
          Map.entry(0x5265_4973L, "reiserfs"),
          Map.entry(0x3153_464AL, "jfs"),
          Map.entry(0xCA45_1A4EL, "bcachefs"));

  private static final Map<Long, String> OTHERS =
      Map.ofEntries(
          Map.entry(0x8584_58F6L, "ramfs"),
          Map.entry(0x6573_5546L, "fuse"),
          Map.entry(0x6969L, "nfs"),
          Map.entry(0x0BD0_0BD0L, "lustre"),
          Map.entry(0x4750_4653L, "gpfs"),
          Map.entry(0x1983_0326L, "beegfs"),
          Map.entry(0x00C3_6400L, "ceph"));

  boolean isShared() {
    return !LOCAL.containsValue(fileSystem);
  }

  static FreeSpace of(final int descriptor, final String opened) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct status = new NativeStruct(arena, LibC.STATFS_LENGTH);
      LibC.check(
          LibC.FSTATFS.call(descriptor, status.address()), "ask for the file system of " + opened);
      final long type = status.getLong(0) & UNSIGNED_INT;
      final long block = status.getLong(72);
      // A tmpfs without a limit says that it has no blocks.
      final boolean limited = status.getLong(16) > 0;
      // Btrfs says that it has no files, CephFS that it has room for -1.
      final long files = status.getLong(40);
      final long freeFiles = status.getLong(48);
      return new FreeSpace(
          LOCAL.getOrDefault(type, OTHERS.getOrDefault(type, "0x" + Long.toHexString(type))),
          block,
          limited ? block * status.getLong(32) : Long.MAX_VALUE,
          files > 0 && freeFiles >= 0 ? freeFiles : Long.MAX_VALUE);
    }
  }
}

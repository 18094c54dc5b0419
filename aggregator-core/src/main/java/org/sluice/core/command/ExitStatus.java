package org.sluice.core.command;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.directory.OtherNodeException;
import org.sluice.core.store.disk.ForeignStoreException;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.ChangedFileException;
import org.sluice.core.store.objects.EngineException;
import picocli.CommandLine.Model.CommandSpec;

/** The exit status of {@code sluice}. */
public enum ExitStatus {
  /** Done. */
  OK(0, "done"),
  /** Failed for a reason that has no status of its own. */
  FAILED(1, "failed; the line on standard error says why"),
  /** The command line makes no sense. */
  USAGE(2, "the command line is wrong"),
  /** The directory does not exist or holds something else. */
  NO_STORE(3, "no such store, or not a store"),
  /** Not in the store. */
  NOT_FOUND(4, "no such committed checkpoint, image or rank, or no such I/O process"),
  /** Truncated, flipped or foreign bytes. */
  DAMAGED(5, "damaged data: a checksum is wrong, a file is truncated or foreign"),
  /** The command would overwrite a file. */
  EXISTS(6, "the target exists already; restore --force overwrites it"),
  /** Another process uses what the command needs. */
  BUSY(
      7,
      "in use: another I/O process has this name, another node or another job of sluice mpi writes the"
          + " store, or a checkpoint is being read"),
  /** The data does not fit. */
  NO_ROOM(8, "no room: the disk is full or over quota, or the buffer exceeds shared memory"),
  /** Not allowed. */
  DENIED(9, "permission denied"),
  /** Written by, or talking to, another version. */
  OTHER_VERSION(10, "other format version"),
  /** Not the newest. */
  FELL_BACK(11, "restored, but an older checkpoint: restore --fallback skipped damaged ones"),
  /** No file could be captured. */
  FEW_DESCRIPTORS(12, "the limit of open files is too low to capture any; see ulimit -Hn"),
  /** A fault of Sluice's own. */
  CRASHED(13, "an I/O process failed by a fault of its own; serve --resume goes on with it"),
  /** Stopped before all was committed. */
  PREEMPTED(14, "the grace was over before all was committed; serve --resume goes on with it");

  private final int code;
  private final String description;

  ExitStatus(final int code, final String description) {
    this.code = code;
    this.description = description;
  }

  /**
   * The number the shell sees.
   *
   * @return 0 to 13
   */
  public int code() {
    return code;
  }

  /**
   * The status that tells of a failure.
   *
   * @param failure the failure
   * @return never {@link #OK}
   */
  public static ExitStatus of(final Throwable failure) {
    return switch (failure) {
      case CommandException e -> e.status();
      case NoStoreException e -> NO_STORE;
      case DamagedException e -> DAMAGED;
      case ChangedFileException e -> DAMAGED;
      case FormatVersionException e -> OTHER_VERSION;
      case AccessDeniedException e -> DENIED;
      case FileAlreadyExistsException e -> EXISTS;
      case OtherNodeException e -> BUSY;
      case ForeignStoreException e -> DENIED;
      case PosixException e -> of(e.errno());
      case EngineException e -> of(e.reason());
      default -> FAILED;
    };
  }

  /**
   * The status that tells of an error of the kernel's.
   *
   * @param errno a positive error number
   * @return never {@link #OK}
   */
  public static ExitStatus of(final int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM, Errno.EROFS -> DENIED;
      case Errno.ENOSPC, Errno.EDQUOT -> NO_ROOM;
      default -> FAILED;
    };
  }

  private static ExitStatus of(final EngineException.Reason reason) {
    return switch (reason) {
      case ADDRESS -> USAGE;
      case MISSING -> NO_STORE;
      case DENIED -> DENIED;
      case FULL -> NO_ROOM;
      case UNREACHABLE, UNFIT -> FAILED;
    };
  }

  /** The statuses that a command's help tells. */
  static Set<ExitStatus> toldBy(final CommandSpec command) {
    final Set<ExitStatus> statuses = EnumSet.allOf(ExitStatus.class);
    statuses.removeIf(each -> !command.usageMessage().exitCodeList().containsKey(each.key()));
    return statuses;
  }

  /** Code and description of some, for picocli's help. */
  static Map<String, String> table(final Set<ExitStatus> statuses) {
    final Map<String, String> table = new LinkedHashMap<>();
    statuses.forEach(status -> table.put(status.key(), status.description));
    return table;
  }

  private String key() {
    return " " + code;
  }
}

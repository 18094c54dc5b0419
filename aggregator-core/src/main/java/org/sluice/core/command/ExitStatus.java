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
  OK(0, "done"),
  FAILED(1, "failed; the line on standard error says why"),
  USAGE(2, "the command line is wrong"),
  NO_STORE(3, "no such store, or not a store"),
  NOT_FOUND(4, "no such committed checkpoint, image or rank, or no such I/O process"),
  DAMAGED(5, "damaged data: a checksum is wrong, a file is truncated or foreign"),
  EXISTS(6, "the target exists already; restore --force overwrites it"),
  BUSY(
      7,
      "in use: another I/O process has this name, another node or another job of sluice mpi writes the"
          + " store, or a checkpoint is being read"),
  NO_ROOM(8, "no room: the disk is full or over quota, or the buffer exceeds shared memory"),
  DENIED(9, "permission denied"),
  OTHER_VERSION(10, "other format version"),
  FELL_BACK(11, "restored, but an older checkpoint: restore --fallback skipped damaged ones"),
  FEW_DESCRIPTORS(12, "the limit of open files is too low to capture any; see ulimit -Hn"),
  CRASHED(13, "an I/O process failed by a fault of its own; serve --resume goes on with it"),
  PREEMPTED(14, "the grace was over before all was committed; serve --resume goes on with it"),
  UNTOLD(15, "done, but standard output did not take all of the answer");

  private final int code;
  private final String description;

  ExitStatus(final int code, final String description) {
    this.code = code;
    this.description = description;
  }

  public int code() {
    return code;
  }

  /** {@return never {@link #OK}} */
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

  /** {@return never {@link #OK}} */
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

package org.sluice.restart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Progress;
import org.sluice.core.posix.FileName;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.CheckpointReader;

/**
 * A restore of a whole checkpoint that a program asks for, as {@code sluice restore} does it for a
 * user. A file that is there already as it was committed stays. So a program may ask again, and
 * several at once. Any other file is refused.
 */
public final class WholeRestore {
  private final CheckpointReader store;
  private final Path directory;
  private final Consumer<String> remarks;

  /**
   * Creates a restore.
   *
   * @param store reader of the store, which stays the caller's
   * @param directory directory of the store, or of this node's part of it
   * @param remarks told of what is not as it was, one line each
   */
  public WholeRestore(
      final CheckpointReader store, final Path directory, final Consumer<String> remarks) {
    this.store = store;
    this.directory = directory;
    this.remarks = remarks;
  }

  /**
   * Restores a checkpoint, all files of it or none.
   *
   * @param number its number; less than 0 for the newest
   * @param target absolute path of a directory, made if missing
   * @throws CommandException when there is no such checkpoint, or a file is in the way
   * @throws IOException when the checkpoint cannot be read, or a file not be written
   */
  public void run(final long number, final String target) throws IOException {
    final RestoreTarget into = RestoreTarget.of(target, false, false);
    into.refuseStore(directory);
    Selection.read(
        store,
        () -> List.of(find(number)),
        commit -> restore(commit, Contents.of(store, commit, null, false), into));
  }

  private Commit find(final long number) throws IOException {
    final Optional<CheckpointKey> chosen =
        Optional.of(number).filter(it -> it >= 0).map(CheckpointKey.Numbered::new);
    final List<IOException> older = new ArrayList<>();
    final Commit found = Selection.commit(store, chosen, older);
    older.forEach(damage -> remarks.accept(Selection.unreadable(damage)));
    return found;
  }

  private void restore(final Commit commit, final Contents contents, final RestoreTarget into)
      throws IOException {
    List<CommittedImage> lacking = lacking(commit, contents, into);
    while (!lacking.isEmpty()) {
      try {
        build(commit, lacking, into);
        break;
      } catch (final CommandException e) {
        final int before = lacking.size();
        lacking = lacking(commit, contents, into);
        if (e.status() != ExitStatus.EXISTS) {
          throw e;
        }
        if (lacking.size() == before) { // else another node restores the same
          throw new InTheWayException(e.getMessage(), paths(lacking, into));
        }
      }
    }
    contents.direct().whereabouts().ifPresent(remarks);
  }

  private List<CommittedImage> lacking(
      final Commit commit, final Contents contents, final RestoreTarget into) throws IOException {
    return Present.lacking(store, commit, contents.images(), into.directory());
  }

  private static List<String> paths(final List<CommittedImage> images, final RestoreTarget into) {
    return images.stream().map(image -> FileName.resolve(into.directory(), image.path())).toList();
  }

  private void build(
      final Commit commit, final List<CommittedImage> lacking, final RestoreTarget into)
      throws IOException {
    final Restoration restoration =
        new Restoration(store, commit, lacking, into, BuildPlaces.of(directory), Progress.later());
    restoration.run();
    restoration.remarks().forEach(remarks);
  }
}

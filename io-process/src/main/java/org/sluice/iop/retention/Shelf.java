package org.sluice.iop.retention;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.iop.checkpoint.Context;

/** Where checkpoints are that are removed one day. Last stage. */
interface Shelf {
  /** Removes one, right behind a farewell that may prevent it; returns false where it stays. */
  boolean remove(Commit commit, Farewell farewell) throws IOException;

  /** What one has. */
  List<CommittedImage> images(Commit commit) throws IOException;

  /** What this node has stored. */
  class OwnStore implements Shelf {
    final Context context;

    OwnStore(final Context context) {
      this.context = context;
    }

    @Override
    public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
      return context.store().remove(commit, farewell);
    }

    @Override
    public List<CommittedImage> images(final Commit commit) throws IOException {
      return context.store().images(commit);
    }
  }

  /** What this session has stored, of which others may have parts. */
  final class OwnSession extends OwnStore {
    OwnSession(final Context context) {
      super(context);
    }

    @Override
    public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
      // Not asked for once the manifest is locked: a copy that begins then would take it for gone.
      final boolean needed = context.publisher().needs(commit);
      return !needed && super.remove(commit, () -> farewell.run() && isRemoved(commit));
    }

    private boolean isRemoved(final Commit commit) throws IOException {
      context.publisher().remove(commit);
      return true;
    }
  }

  /** What earlier runs of a series have stored. */
  final class Nodes implements Shelf {
    private final Context context;

    Nodes(final Context context) {
      this.context = context;
    }

    @Override
    public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
      final boolean goes = farewell.run();
      if (goes) {
        context.publisher().removeEarlier(commit);
      }
      return goes;
    }

    @Override
    public List<CommittedImage> images(final Commit commit) throws IOException {
      return context.publisher().imagesOf(commit);
    }
  }
}

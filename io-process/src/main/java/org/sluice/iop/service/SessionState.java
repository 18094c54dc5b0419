package org.sluice.iop.service;

import java.util.function.Consumer;
import org.sluice.core.segment.Layout;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.image.Images;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Fold;

/**
 * The sum of a journal's entries, where a session begins, and goes on from. The classes that serve
 * it have the parts, and apply to them the entries that they write. Not thread-safe.
 */
public final class SessionState implements Fold {
  private final Images images;
  private final CheckpointState checkpoints;
  private final Backlog backlog = new Backlog();
  private int members;
  private boolean memberFailed;

  public SessionState(final Layout layout) {
    this.images = new Images(layout);
    this.checkpoints = new CheckpointState(images);
  }

  @Override
  public void apply(final Entry entry) {
    checkpoints.apply(entry);
    backlog.apply(entry);
    switch (entry) {
      case Entry.Joined e -> members++;
      case Entry.Left e -> {
        members--;
        memberFailed |= !e.succeeded();
      }
      case Entry.Counted e -> {
        members = e.members();
        memberFailed = e.memberFailed();
      }
      default -> {}
    }
  }

  @Override
  public void sum(final Consumer<Entry> to) {
    to.accept(
        new Entry.Counted(
            images.last(),
            checkpoints.lastAttempt(),
            images.kills(),
            images.writings(),
            members,
            memberFailed));
    backlog.sum(to);
    images.writers().stream().map(Writer::attached).forEach(to);
    backlog.sumOfSlots(to);
    checkpoints.sum(to);
  }

  public CheckpointState checkpoints() {
    return checkpoints;
  }

  public Backlog backlog() {
    return backlog;
  }

  /** Returns the number of members that joined and have not left. */
  int members() {
    return members;
  }

  boolean memberFailed() {
    return memberFailed;
  }
}

package org.sluice.iop.image;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Fold;

/**
 * The processes that have slots and the images, by the journal's entries. While a session is served
 * each entry is applied when it is written. The service thread applies it here, the write stage at
 * the log of its image. Service thread only.
 */
public final class Images implements Fold {
  private final Layout layout;
  private final Map<Integer, Writer> writers = new LinkedHashMap<>();
  private final Map<Integer, Image> byId = new LinkedHashMap<>();

  private final Map<Integer, Collection<Image>> open = new TreeMap<>();

  private int last;
  private int kills;
  private long writings;

  public Images(final Layout layout) {
    this.layout = layout;
  }

  /** Any thread. */
  public Layout layout() {
    return layout;
  }

  @Override
  public void apply(final Entry entry) {
    switch (entry) {
      case Entry.Attached e -> writers.put(e.slot(), new Writer(e));
      case Entry.Detached e -> detach(e);
      case Entry.Admitted e -> {
        byId.putIfAbsent(e.image(), new Image(e, layout));
        last = Math.max(last, e.image());
      }
      case Entry.Entered e -> {
        apply(e.file());
        with(e.file().image(), image -> image.apply(e));
        apply(new Entry.Opened(e.file().image(), e.slot(), true, Lane.NO_REQUEST));
      }
      case Entry.Created e -> with(e.image(), image -> image.apply(e));
      case Entry.Added e -> with(e.image(), image -> image.apply(e));
      case Entry.Changed e -> {
        with(e.image(), image -> image.apply(e));
        if (e.state() == ImageDescriptor.STATE_FREE) {
          with(e.image(), this::forget);
        }
      }
      case Entry.Opened e -> {
        final Writer process = writers.get(e.slot());
        if (process != null) {
          with(e.image(), image -> open(image, e, process));
        }
      }
      case Entry.Closed e -> with(e.image(), image -> close(image, e));
      case Entry.Drained e ->
          e.shares().forEach(share -> with(share.image(), image -> image.log().apply(e, share)));
      case Entry.Restarted e -> with(e.image(), image -> image.log().apply(e));
      case Entry.Replaced e ->
          with(e.image(), image -> with(e.copy(), copy -> copy.replace(image)));
      case Entry.Counted e -> {
        last = e.lastImage();
        kills = e.kills();
        writings = e.writings();
      }
      case Entry.Known e ->
          with(
              e.image(),
              image -> {
                image.apply(e, writer(e.writer()), e.others().stream().map(this::writer).toList());
                e.openers().forEach(opener -> openBy(opener.slot()).add(image));
              });
      case Entry.Rested e -> with(e.image(), image -> image.apply(e));
      case Entry.Gone e -> with(e.image(), Image::endWriting);
      case Entry.Committing e -> e.members().forEach(part -> with(part.image(), Image::endWriting));
      default -> {}
    }
  }

  void forget(final Image image) {
    byId.remove(image.id());
    image.openers().slots().forEach(slot -> closedBy(slot, image));
  }

  private void open(final Image image, final Entry.Opened e, final Writer process) {
    writings += e.writes() ? 1 : 0;
    image.apply(e, process, writings);
    openBy(e.slot()).add(image);
  }

  private void close(final Image image, final Entry.Closed e) {
    image.apply(e);
    if (!image.openers().has(e.slot())) {
      closedBy(e.slot(), image);
    }
  }

  private Collection<Image> openBy(final int slot) {
    return open.computeIfAbsent(slot, any -> new TreeSet<>(Comparator.comparingInt(Image::id)));
  }

  private void closedBy(final int slot, final Image image) {
    final Collection<Image> its = openBy(slot);
    its.remove(image);
    if (its.isEmpty()) {
      open.remove(slot);
    }
  }

  private void with(final int id, final Consumer<Image> step) {
    final Image image = byId.get(id);
    if (image != null) {
      step.accept(image);
    }
  }

  private void detach(final Entry.Detached e) {
    final Writer process = writers.remove(e.slot());
    openOf(e.slot()).forEach(image -> image.apply(e));
    open.remove(e.slot());
    if (e.killed() && process != null) {
      kills++;
      process.killed();
    }
  }

  private Writer writer(final Entry.KnownWriter known) {
    final Writer here = writers.get(known.process().slot());
    if (here != null && here.attached().equals(known.process())) {
      return here;
    }
    final Writer gone = new Writer(known.process());
    if (known.killed()) {
      gone.killed();
    }
    return gone;
  }

  @Override
  public void sum(final Consumer<Entry> to) {
    for (final Image image : byId.values()) {
      image.sum(to);
    }
  }

  /** Returns the processes that have slots, in the order of their coming. */
  public Collection<Writer> writers() {
    return Collections.unmodifiableCollection(writers.values());
  }

  /** Returns the process that has a slot; null for nobody. */
  public Writer writer(final int slot) {
    return writers.get(slot);
  }

  /** Returns a copy of the images that a slot has open, in the order of their admission. */
  public List<Image> openOf(final int slot) {
    return List.copyOf(open.getOrDefault(slot, List.of()));
  }

  public boolean areOpen() {
    return !open.isEmpty();
  }

  public int kills() {
    return kills;
  }

  /** Returns the number of times that images were opened for writing. */
  public long writings() {
    return writings;
  }

  /** Returns the highest image id so far; 0 for none. */
  public int last() {
    return last;
  }

  /** Finds an image; null when there is none. */
  public Image find(final int id) {
    return byId.get(id);
  }

  /** Returns a copy, in the order of their admission. */
  public List<Image> all() {
    return List.copyOf(byId.values());
  }
}

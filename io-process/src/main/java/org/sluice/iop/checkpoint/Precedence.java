package org.sluice.iop.checkpoint;

import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.sluice.iop.journal.Entry;

/**
 * When the files of the groups in the store were written. What is committed last is the newest, so
 * neither a count nor the end commits what was written before a newer one that is committed: a
 * program that goes on from an older checkpoint writes its files behind those. Only what matters is
 * kept, a handful of numbers however many there are. Times are orders of openings for writing, see
 * {@link org.sluice.iop.image.Image#written}. Service thread only.
 */
final class Precedence {
  /** By number, when its last file was written, of those of which none higher was written later. */
  private final NavigableMap<Long, Long> written = new TreeMap<>();

  /** The one that was begun last; null for none. */
  private Entry.Stored latest;

  /** A group is in the store. */
  void stored(final Entry.Stored one) {
    final long last = one.written();
    if (later(written.tailMap(one.checkpoint(), true), last - 1).isEmpty()) {
      written.headMap(one.checkpoint(), true).values().removeIf(before -> before <= last);
      written.put(one.checkpoint(), last);
    }
    if (latest == null || latest.begun() <= one.begun()) {
      latest = one;
    }
  }

  /** A newer one whose last file was written later, or any that was begun later. */
  OptionalLong newerThan(final long number, final long last) {
    return latest != null && latest.begun() > last
        ? OptionalLong.of(latest.checkpoint())
        : later(written.tailMap(number, false), last);
  }

  /** Any whose last file was written later. */
  OptionalLong laterThan(final long last) {
    return later(written, last);
  }

  /** The lowest number was written last. */
  private static OptionalLong later(final NavigableMap<Long, Long> among, final long last) {
    final Map.Entry<Long, Long> first = among.firstEntry();
    return first != null && first.getValue() > last
        ? OptionalLong.of(first.getKey())
        : OptionalLong.empty();
  }

  void sum(final Consumer<Entry> to) {
    written.forEach((number, last) -> to.accept(new Entry.Stored(number, 0, last)));
    if (latest != null) {
      to.accept(latest);
    }
  }
}

package org.sluice.iop.journal;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The groups that were committed. An image is in one at most. Not thread-safe. */
final class GroupLedger {
  private final Map<Long, GroupFacts> byNumber = new LinkedHashMap<>();
  private final Map<Integer, Long> byImage = new HashMap<>();

  Map<Long, GroupFacts> byNumber() {
    return byNumber;
  }

  void enter(final long number, final GroupFacts group) {
    byNumber.put(number, group);
    group.members().keySet().forEach(image -> byImage.put(image, number));
  }

  void committed(final long number, final List<Entry.Part> parts) {
    parts.forEach(part -> forget(part.image()));
    final GroupFacts former = byNumber.remove(number);
    if (former != null) {
      former.members().keySet().forEach(byImage::remove);
    }
    enter(number, new GroupFacts(parts));
  }

  void failed(final long number) {
    if (byNumber.containsKey(number)) {
      byNumber.get(number).failed();
    }
  }

  void rewritten(final int image) {
    if (byImage.containsKey(image)) {
      byNumber.get(byImage.get(image)).rewritten(image);
    }
  }

  /** Lets go of an image; returns the number of its group if that was the last one of it. */
  Optional<Long> forget(final int image) {
    final Long number = byImage.remove(image);
    if (number != null) {
      byNumber.get(number).forget(image);
      if (byNumber.get(number).isEmpty()) {
        byNumber.remove(number);
        return Optional.of(number);
      }
    }
    return Optional.empty();
  }

  void substitute(final int image, final int copy) {
    forget(copy);
    final Long number = byImage.remove(image);
    if (number != null) {
      byNumber.get(number).substitute(image, copy);
      byImage.put(copy, number);
    }
  }
}

package org.sluice.core.store.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.sluice.core.posix.Extent;

class RangeSetTest {
  @Property
  void tellsExactlyWhatWasMissing(
      @ForAll @Size(max = 40) final List<@IntRange(max = 60) Integer> begins,
      @ForAll @IntRange(max = 20) final int length) {
    final RangeSet coverage = new RangeSet();
    final BitSet model = new BitSet();
    for (int i = 0; i < begins.size(); i++) {
      final int begin = begins.get(i);
      final int end = begin + (length + i * 7) % 21;
      final BitSet missing = new BitSet();
      missing.set(begin, end);
      missing.andNot(model);
      model.set(begin, end);
      final BitSet told = new BitSet();
      long last = -1;
      for (final Extent gap : coverage.add(begin, end)) {
        assertThat(gap.offset()).isGreaterThan(last);
        assertThat(gap.length()).isPositive();
        told.set((int) gap.offset(), (int) gap.end());
        last = gap.end();
      }
      assertThat(told).isEqualTo(missing);
    }
  }
}

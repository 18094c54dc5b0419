package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class ImageTableTest {
  private final ImageTable table =
      new ImageTable(
          new UnsafeBuffer(new byte[32 * ImageDescriptor.LENGTH]),
          new Header(new UnsafeBuffer(new byte[HeaderDescriptor.LENGTH])));

  @Test
  void imageIsFoundByDeviceAndInodeOnly() {
    final int entry = table.insert(1, 2, 3, ImageDescriptor.STATE_DIVERTED, 4);

    assertThat(TestSegments.find(table, 1, 2)).isEqualTo(entry);
    assertThat(TestSegments.find(table, 2, 2)).isEqualTo(-1);
    assertThat(TestSegments.find(table, 1, 3)).isEqualTo(-1);
    assertThat(table.imageId(entry)).isEqualTo(3);
    table.remove(entry);
    assertThat(TestSegments.find(table, 1, 2)).isEqualTo(-1);
  }

  @Test
  void sizeStaysWhateverTheStateBecomes() {
    final int entry = table.insert(1, 2, 3, ImageDescriptor.STATE_DIVERTED, 4);

    for (final int state :
        new int[] {ImageDescriptor.STATE_DIRECT, ImageDescriptor.STATE_COMMITTED}) {
      table.state(entry, state);
      assertThat(table.state(TestSegments.find(table, 1, 2))).isEqualTo(state);
      assertThat(table.size(entry)).isEqualTo(4);
    }
  }

  @Test
  void fullBucketTakesNoMore() {
    int inserted = 0;
    for (int inode = 0; inode < 33; inode++) {
      inserted += table.insert(1, inode, 1, ImageDescriptor.STATE_DIRECT, 0) < 0 ? 0 : 1;
    }
    assertThat(inserted).isBetween(ImageDescriptor.BUCKET_LENGTH, 32);
  }

  @Test
  void reusedEntryHasNoErrorOfItsFormerImage() {
    final int entry = table.insert(1, 2, 3, ImageDescriptor.STATE_DIVERTED, 4);
    table.error(entry, 28);
    table.remove(entry);

    assertThat(table.insert(1, 2, 4, ImageDescriptor.STATE_DIVERTED, 0)).isEqualTo(entry);
    assertThat(table.error(entry)).isZero();
  }

  /** The process gives it back behind the look at the entry, and another one enters its file. */
  @Test
  void entryThatAnotherProcessHasTakenMeanwhileStaysItsOwn() {
    final int entry = table.insert(1, 2, 3, entering(4), 0);
    table.removeOf(
        entry,
        creator -> {
          table.state(entry, entering(5));
          return creator == 4;
        });
    assertThat(table.isEntering(entry, 5)).isTrue();
    table.removeOf(entry, creator -> creator == 4);
    table.abandon(entry, 4);
    assertThat(table.isEntering(entry, 5)).isTrue();
    table.abandon(entry, 5);
    assertThat(table.state(entry)).isEqualTo(ImageDescriptor.STATE_FREE);
  }

  /** Nobody is going to take the image. */
  @Test
  void entryThatItsProcessEntersMeanwhileIsFreedAllTheSame() {
    final int entry = table.insert(1, 2, 3, entering(4), 0);
    table.entries.putInt(entry * ImageDescriptor.LENGTH + ImageDescriptor.CREATOR_OFFSET, 5);
    table.removeOf(
        entry,
        creator -> {
          table.state(entry, ImageDescriptor.STATE_DIVERTED);
          return creator == 4;
        });
    assertThat(table.state(entry)).isEqualTo(ImageDescriptor.STATE_FREE);
  }

  private static int entering(final int slot) {
    return slot << ImageDescriptor.STATE_SLOT_SHIFT | ImageDescriptor.STATE_ENTERING;
  }
}

package org.sluice.core.store.parts;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;
import org.sluice.core.store.series.DataKey;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartReader;

/** The parts that were copied to an engine, see {@link PartCopy}. */
final class ObjectParts implements PartReader {
  /** The ranges in flight of a reader that is the only one. */
  private static final int AT_A_TIME = 4;

  private final Engine engine;

  ObjectParts(final Engine engine) {
    this.engine = engine;
  }

  /**
   * @param starts begin of each image's bytes, by its ordinal
   */
  private record InObjects(
      Engine engine,
      ObjectStream objects,
      Commit commit,
      List<CommittedImage> images,
      long[] starts)
      implements Part {
    @Override
    public boolean isIncomplete() {
      return commit.incomplete();
    }

    @Override
    public Rebuilder rebuilder(final boolean oneOfSeveral) {
      return new ObjectRebuilder(
          new BlockReader(engine, objects, oneOfSeveral ? 1 : AT_A_TIME), starts);
    }

    /** Verifies all images in one pass, as their bytes are adjacent. */
    @Override
    public void verify(final Consumer<IOException> damage, final LongConsumer progress)
        throws IOException {
      try (BlockReader reader = new BlockReader(engine, objects, AT_A_TIME)) {
        reader.read(
            0,
            images.stream().flatMap(image -> image.blocks().stream()).toList(),
            new BlockReader.Sink() {
              @Override
              public void take(final Block block, final long address) {
                progress.accept(block.length());
              }

              @Override
              public void damaged(final DamagedException one) {
                damage.accept(one);
              }
            });
      }
    }

    @Override
    public void addOwners(final Map<Integer, String> owners) {
      // no user of this machine owns an object
    }
  }

  private record ObjectRebuilder(BlockReader reader, long[] starts) implements Rebuilder {
    @Override
    public void read(final CommittedImage image, final ImageTarget target) throws IOException {
      reader.read(
          starts[image.ordinal()],
          image.blocks(),
          new BlockReader.Sink() {
            @Override
            public void take(final Block block, final long address) throws IOException {
              target.write(address, block.length(), block.offset());
            }

            @Override
            public void damaged(final DamagedException damage) throws DamagedException {
              throw damage;
            }
          });
    }

    /** Reads as ever if the blocks ascend. The copy may have brought logged ones first. */
    @Override
    public void readInOrder(final CommittedImage image, final ImageTarget target)
        throws IOException {
      long end = 0;
      for (final Block block : image.blocks()) {
        if (block.offset() < end) {
          throw new OutOfOrderException();
        }
        end = block.end();
      }
      read(image, target);
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  @Override
  public Part open(final PartKey key, final StoredPart part) throws IOException {
    return open(engine, new ObjectStream(key), part);
  }

  static Part open(final Engine engine, final ObjectStream objects, final StoredPart part)
      throws IOException {
    final List<CommittedImage> images = part.images();
    final long[] starts = new long[images.size()];
    long position = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = position;
      if (!images.get(i).chunks().isEmpty()) {
        throw new DamagedException(
            engine + "/" + objects.part(), 0, "it names chunks, which no object has");
      }
      position += images.get(i).blocks().stream().mapToLong(Block::length).sum();
    }
    return new InObjects(engine, objects, part.commit(), images, starts);
  }

  /** Returns nothing, as plain files are on another node's disk. */
  @Override
  public Optional<LeftAsFiles> leftAsFiles(final long begin) {
    return Optional.empty();
  }

  @Override
  public long verifyStores(final Consumer<IOException> damage) throws IOException {
    long last = 0;
    for (final String key : engine.list(DataKey.FOLDER)) {
      final Optional<DataKey> data = DataKey.parse(key);
      if (data.isPresent()) {
        last = Math.max(last, Math.max(data.get().begin(), said(data.get(), damage)));
      }
    }
    return last;
  }

  @Override
  public long last(final long begin, final String node) throws IOException {
    return said(DataKey.ended(begin, node), damage -> {});
  }

  /** Returns the last entry that a node had read; 0 where it has not recorded it. */
  private long said(final DataKey data, final Consumer<IOException> damage) throws IOException {
    final String key = data.toString();
    if (data.isEnded()) {
      try {
        final byte[] bytes = engine.getAll(key, SeriesDirectory.MOST_OF_ENDED);
        return Long.parseLong(SealedText.decode(engine + "/" + key, bytes).strip());
      } catch (final DamagedException e) {
        damage.accept(e);
      } catch (final NoObjectException | NumberFormatException none) {
        // the node was killed, runs yet, or is of a newer Sluice
      }
    }
    return 0;
  }

  @Override
  public void addOwners(final Map<Integer, String> owners, final List<String> keys) {
    // no user of this machine owns an object
  }

  @Override
  public boolean knowsOwners() {
    return false;
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}

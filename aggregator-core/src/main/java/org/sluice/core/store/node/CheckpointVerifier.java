package org.sluice.core.store.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.ParallelReading;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.ContainerReader;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChangedFileException;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Sharing;

/**
 * The check of everything a checkpoint consists of, its manifest apart. Containers and files are
 * checked in pieces, several at a time, by the readers of a restore. Damage is told in the order of
 * containers and images, however the threads run.
 */
final class CheckpointVerifier {
  private static final Comparator<ChunkLocation> BY_POSITION =
      Comparator.comparingLong(ChunkLocation::position)
          .thenComparing(ChunkLocation::used)
          .thenComparing(ChunkLocation::crc);

  /** The bytes for which another thread pays. */
  private static final long PIECE = 8 << 20;

  /** The most pieces of a container or file, each of which opens it and looks what is in memory. */
  private static final int MOST_PIECES = 32;

  private final StoreDirectory store;
  private final Commit commit;
  private final LongConsumer progress;
  private final List<Piece> pieces = new ArrayList<>();

  CheckpointVerifier(final StoreDirectory store, final Commit commit, final LongConsumer progress) {
    this.store = store;
    this.commit = commit;
    this.progress = progress;
  }

  /** A check whose exceptions mean that no more can be told of the container or file. */
  @FunctionalInterface
  private interface Check {
    void run(PosixRebuilder reader, Consumer<IOException> damage) throws IOException;
  }

  /**
   * A piece of a container or file.
   *
   * @param source the container or file
   * @param damage damage that leaves the rest to be checked
   * @param end damage that hides the rest of the source; at most one
   */
  private record Piece(
      Object source, Check check, List<IOException> damage, List<IOException> end) {}

  /**
   * @param damage told of everything that is damaged or of another version
   */
  void verify(final List<CommittedImage> images, final Consumer<IOException> damage)
      throws IOException {
    addContainers(images);
    final CheckpointDirectory checkpoint = store.checkpoint(commit.number(), commit.id());
    for (final CommittedImage image : Sharing.held(images)) {
      add(image, (reader, found) -> image.checkPlace());
      addFile(checkpoint.file(image), image.blocks());
      for (int i = 0; i < image.holders().size(); i++) {
        addFile(
            StoredFile.at(checkpoint.image(image.ordinal(), i)), image.holders().get(i).blocks());
      }
    }
    new ParallelReading<>(
            several -> new PosixRebuilder(store, commit, several), pieces, threads(), this::check)
        .run();
    tell(damage);
  }

  /**
   * Returns one for each core, since checksums need one where the bytes are in memory, but none for
   * a few bytes.
   */
  private int threads() {
    final int most = Math.min(ParallelReading.MOST, Runtime.getRuntime().availableProcessors());
    return (int) Math.min(most, 1 + commit.content().bytes() / PIECE);
  }

  private void addContainers(final List<CommittedImage> images) {
    final Map<Long, TreeSet<ChunkLocation>> containers = new TreeMap<>();
    for (final CommittedImage image : images) {
      IndexCodec.allChunks(image)
          .forEach(
              chunk ->
                  containers
                      .computeIfAbsent(chunk.container(), id -> new TreeSet<>(BY_POSITION))
                      .add(chunk));
    }
    containers.forEach(
        (id, chunks) -> {
          for (final List<ChunkLocation> some : split(chunks, ChunkLocation::used)) {
            add(id, (reader, damage) -> verifyChunks(reader.container(id), some, damage));
          }
        });
  }

  private void addFile(final StoredFile.Opening file, final List<Block> blocks) {
    for (final List<Block> some : split(blocks, Block::length)) {
      add(
          file,
          (reader, damage) ->
              reader.readOwn(file, some, (address, length, at) -> progress.accept(length)));
    }
  }

  private void add(final Object source, final Check check) {
    pieces.add(new Piece(source, check, new ArrayList<>(), new ArrayList<>()));
  }

  /** Returns lists of adjacent ones, in order, of about as many bytes each. */
  private static <T> List<List<T>> split(final Collection<T> all, final ToLongFunction<T> length) {
    final long bytes = all.stream().mapToLong(length).sum();
    final long most = Math.max(PIECE, bytes / MOST_PIECES);
    final List<List<T>> pieces = new ArrayList<>();
    long room = 0;
    for (final T one : all) {
      if (room <= 0) {
        pieces.add(new ArrayList<>());
        room = most;
      }
      pieces.getLast().add(one);
      room -= length.applyAsLong(one);
    }
    return pieces;
  }

  private void verifyChunks(
      final ContainerReader container,
      final List<ChunkLocation> chunks,
      final Consumer<IOException> damage)
      throws IOException {
    for (final ChunkLocation chunk : chunks) {
      try {
        container.read(chunk);
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        damage.accept(e);
      }
      progress.accept(chunk.used());
    }
  }

  private void check(final PosixRebuilder reader, final Piece piece) throws IOException {
    try {
      piece.check().run(reader, piece.damage()::add);
    } catch (final DamagedException
        | FormatVersionException
        | ChangedFileException
        | PosixException e) {
      piece.end().add(e);
    }
  }

  private void tell(final Consumer<IOException> damage) {
    Object ended = null;
    for (final Piece piece : pieces) {
      if (piece.source() != ended) {
        piece.damage().forEach(damage);
        piece.end().forEach(damage);
        ended = piece.end().isEmpty() ? ended : piece.source();
      }
    }
  }
}

package org.sluice.core.store.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import org.sluice.core.chunk.DamagedException;

/**
 * Objects that never change, under keys. Each node of a job has an engine of its own on the same
 * objects. Redundancy and placement are the storage's own affair.
 *
 * <p>A key consists of names with {@code /} between them. A name has 1 to 255 of the characters
 * {@code A-Z a-z 0-9 . _ , + % -} and does not begin with a dot. No key is the beginning of another
 * one up to a {@code /}.
 *
 * <p>Once {@link #put} or {@link #putIfAbsent} returns, the object is on stable storage, and every
 * node finds it by {@link #get} from then on. A {@link #list} may be out of date: new objects may
 * be missing, and deleted ones be listed.
 *
 * <p>Thread-safe. An operation that fails may have had its effect, or may have it later.
 */
public interface Engine extends AutoCloseable {
  /**
   * Stores an object. A repetition with the same bytes does no harm. No caller puts other bytes
   * under a used key.
   *
   * @param key key of the object
   * @param pieces its bytes, one piece after the other; each from its position to its limit, both
   *     of which stay as they are
   * @throws IOException when storage fails
   */
  void put(String key, List<ByteBuffer> pieces) throws IOException;

  /**
   * Begins to store an object as {@link #put} does whose bytes are not all at hand.
   *
   * @param key key of the object
   * @return upload that takes its bytes; the caller closes it
   * @throws IOException when storage fails
   */
  default Upload upload(final String key) throws IOException {
    return new GatheredUpload(this, key);
  }

  /**
   * Stores a small object unless there is one of its key. Of several calls at once, on any nodes, a
   * single one stores its object. No two calls bring the same bytes.
   *
   * @param key key of the object
   * @param bytes up to 1 MiB
   * @return false when there is an object of that key; it may be this call's own, where the storage
   *     repeated the request by itself
   * @throws IOException when storage fails; only {@link #get} tells then which bytes the key has
   */
  boolean putIfAbsent(String key, byte[] bytes) throws IOException;

  /**
   * Reads a part of an object.
   *
   * @param key key of the object
   * @param offset begin of the part; at and after the object's end there is nothing to read
   * @param into gets bytes from its position on, up to its limit or to the object's end; its
   *     position moves past them
   * @throws NoObjectException when there is no such object
   * @throws IOException when storage fails
   */
  void get(String key, long offset, ByteBuffer into) throws IOException;

  /**
   * Lists the keys of objects, as of now or of a while ago.
   *
   * @param prefix a key's first names, with the {@code /} after them; a longer prefix may take
   *     longer
   * @return the keys that begin with it, in the order of their characters
   * @throws IOException when storage fails
   */
  List<String> list(String prefix) throws IOException;

  /**
   * Lists the first names of keys that have more, as of now or of a while ago.
   *
   * @return each once, in the order of their characters
   * @throws IOException when storage fails
   */
  default List<String> folders() throws IOException {
    return list("").stream()
        .filter(key -> key.contains("/"))
        .map(key -> key.substring(0, key.indexOf('/')))
        .distinct()
        .toList();
  }

  /**
   * Returns the size of an object.
   *
   * @param key key of the object
   * @return bytes, 0 when there is no such object
   * @throws IOException when storage fails
   */
  default long size(final String key) throws IOException {
    final ByteBuffer read = ByteBuffer.allocate(1 << 16);
    long size = 0;
    try {
      do {
        get(key, size, read.clear());
        size += read.position();
      } while (!read.hasRemaining());
      return size;
    } catch (final NoObjectException none) {
      return 0;
    }
  }

  /**
   * Deletes an object, if it is there.
   *
   * @param key key of the object
   * @throws IOException when storage fails
   */
  void delete(String key) throws IOException;

  /**
   * Makes objects durable that this engine has found by {@link #list} or {@link #get}. The node
   * that put an object may not have done so yet, and storage may still lose it. The default does
   * nothing, for storage that shows an object only once it is durable.
   *
   * @param keys keys of objects that were found
   * @throws IOException when storage fails
   */
  default void makeDurable(final Collection<String> keys) throws IOException {}

  /** Returns the name of the engine in messages. */
  @Override
  String toString();

  @Override
  void close() throws IOException;

  /**
   * Reads a whole object.
   *
   * @param key key of the object
   * @param most most bytes that it may have
   * @return its bytes
   * @throws NoObjectException when there is no such object
   * @throws IOException when storage fails, or the object has more bytes
   */
  default byte[] getAll(final String key, final int most) throws IOException {
    return getAll(key, most, 1 << 16);
  }

  /**
   * Reads a whole object, in one request if it is not longer than expected.
   *
   * @param key key of the object
   * @param most most bytes that it may have
   * @param expected bytes that it probably has, at least one
   * @return its bytes
   * @throws NoObjectException when there is no such object
   * @throws IOException when storage fails, or the object has more bytes
   */
  default byte[] getAll(final String key, final int most, final int expected) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.min(most, expected) + 1);
    get(key, 0, bytes);
    while (!bytes.hasRemaining()) {
      if (bytes.position() > most) {
        throw new DamagedException(this + "/" + key, most, "it has more bytes than it can have");
      }
      final int length = bytes.position();
      bytes = ByteBuffer.allocate(Math.min(most, 4 * length) + 1).put(bytes.flip());
      get(key, length, bytes);
    }
    final byte[] all = new byte[bytes.flip().remaining()];
    bytes.get(all);
    return all;
  }
}

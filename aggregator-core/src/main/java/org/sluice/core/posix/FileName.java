package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;

/**
 * The names of files, which to the kernel are bytes of any encoding or none. A name is held as a
 * string in which each byte that is no part of valid UTF-8 is a lone surrogate, {@code U+DC80} to
 * {@code U+DCFF} (PEP 383, {@code surrogateescape}). So every name has one string, and the string
 * has all of it. A {@link java.nio.file.Path} cannot hold such a name: paths of users' files are
 * strings, and only Sluice's own files have a {@code Path}.
 */
public final class FileName {
  /** The character for a byte from 0x80 on, less the byte's value. */
  private static final int ESCAPE = 0xDC00;

  private static final int FIRST = ESCAPE + 0x80;
  private static final int LAST = ESCAPE + 0xFF;

  /** The bytes of a path that a system call takes, with the NUL that ends it. */
  public static final int LONGEST = 4096;

  private FileName() {}

  /**
   * Returns the name of some bytes, of any encoding; {@link #encode} makes the same bytes of it.
   */
  public static String decode(final byte... bytes) {
    final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    final ByteBuffer in = ByteBuffer.wrap(bytes);
    final CharBuffer out = CharBuffer.allocate(bytes.length); // no byte is more than one char
    while (true) {
      final CoderResult result = decoder.decode(in, out, true);
      if (!result.isError()) {
        return out.flip().toString();
      }
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (ESCAPE | in.get() & 0xFF));
      }
      decoder.reset();
    }
  }

  /**
   * Returns the bytes of a name as {@link #decode} makes it, or of any valid text.
   *
   * @throws IllegalArgumentException when it has another surrogate that is alone
   */
  public static byte[] encode(final String name) {
    if (isText(name)) {
      return name.getBytes(StandardCharsets.UTF_8);
    }
    final ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(name.length(), 3));
    for (int from = 0; from < name.length(); ) {
      final int escaped = nextLone(name, from);
      out.put(name.substring(from, escaped).getBytes(StandardCharsets.UTF_8));
      if (escaped < name.length()) {
        out.put(escaped(name, escaped));
      }
      from = escaped + 1;
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static byte escaped(final String name, final int at) {
    if (!isEscape(name.charAt(at))) {
      throw new IllegalArgumentException("no name has the lone surrogate at %d".formatted(at));
    }
    return (byte) name.charAt(at);
  }

  /**
   * Tells whether a character of a name stands for a byte that is no part of valid UTF-8; true for
   * {@code U+DC80} to {@code U+DCFF}; its low eight bits are the byte.
   */
  public static boolean isEscape(final int character) {
    return character >= FIRST && character <= LAST;
  }

  /** Returns whether a name is valid UTF-8, so that no byte of it is escaped. */
  public static boolean isText(final String name) {
    return nextLone(name, 0) == name.length();
  }

  /** The first surrogate from a place on that is no half of a pair; the length without one. */
  private static int nextLone(final String name, final int from) {
    int at = from;
    while (at < name.length()) {
      final int character = name.codePointAt(at);
      if (Character.getType(character) == Character.SURROGATE) {
        return at;
      }
      at += Character.charCount(character);
    }
    return at;
  }

  /** Returns the number of bytes. */
  public static int length(final String name) {
    return encode(name).length;
  }

  /**
   * Tells whether a path is a directory's, or leads to something in it.
   *
   * @param path absolute, without empty names, {@code .} or {@code ..}
   */
  public static boolean isWithin(final String path, final String directory) {
    return path.equals(directory) || path.startsWith(below(directory));
  }

  public static String resolve(final String directory, final String name) {
    return below(directory) + name;
  }

  /**
   * The way from a directory to what is in it.
   *
   * @param path of something that {@link #isWithin} the directory
   * @return relative; empty for the directory itself
   */
  public static String relative(final String path, final String directory) {
    return path.equals(directory) ? "" : path.substring(below(directory).length());
  }

  public static String sibling(final String path, final String name) {
    return path.substring(0, path.lastIndexOf('/') + 1) + name;
  }

  private static String below(final String directory) {
    return directory.endsWith("/") ? directory : directory + "/";
  }

  /**
   * A name as a function of C takes it.
   *
   * @throws PosixException when it has a NUL itself, or a surrogate that no name has
   */
  public static long inC(final Arena arena, final String name) throws PosixException {
    final byte[] bytes;
    try {
      bytes = encode(name);
    } catch (final IllegalArgumentException e) {
      throw new PosixException("use the name " + Quoting.name(name), Errno.EINVAL);
    }
    if (name.indexOf('\0') >= 0) {
      throw new PosixException("use the name " + Quoting.name(name), Errno.EINVAL);
    }
    final MemorySegment memory = arena.allocate(bytes.length + 1L);
    memory.copyFrom(MemorySegment.ofArray(bytes));
    return memory.address();
  }
}

package org.sluice.client;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import org.sluice.bridge.NativeLibraries;

/**
 * The functions of {@code sluice.h}, which documents them. Pointers and numbers are {@code long},
 * as in {@code LibC}. A result below 0 is a negative errno; {@link #message} of the same thread
 * then explains the error. Calls that may wait for the I/O process are not critical. Bytes of an
 * image are passed as segments, which the JVM keeps alive for the call.
 */
@SuppressWarnings("restricted")
final class LibSluice {
  private static final FunctionDescriptor SIGNATURE =
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final SymbolLookup LIBRARY =
      SymbolLookup.libraryLookup(NativeLibraries.client(), Arena.global());

  private static final MethodHandle SESSION_OPEN = function("sluice_session_open");
  private static final MethodHandle SESSION_CLOSE = function("sluice_session_close");
  static final MethodHandle CHECKPOINT_BEGIN = function("sluice_checkpoint_begin");
  static final MethodHandle CHECKPOINT_COMPLETE = function("sluice_checkpoint_complete");
  static final MethodHandle CHECKPOINT_ADD = function("sluice_checkpoint_add");
  static final MethodHandle CHECKPOINT_CANCEL = function("sluice_checkpoint_cancel");
  static final MethodHandle CHECKPOINT_WAIT = function("sluice_checkpoint_wait");
  static final MethodHandle CHECKPOINT_LIST = function("sluice_checkpoint_list");
  static final MethodHandle CHECKPOINT_NAME = function("sluice_checkpoint_name");
  static final MethodHandle CHECKPOINT_FIND = function("sluice_checkpoint_find");
  static final MethodHandle CHECKPOINT_NAME_OF = function("sluice_checkpoint_name_of");
  static final MethodHandle CHECKPOINT_RESTORE = function("sluice_checkpoint_restore");
  static final MethodHandle IMAGE_CREATE = function("sluice_image_create");
  private static final MethodHandle IMAGE_PWRITE = transfer("sluice_image_pwrite");
  private static final MethodHandle IMAGE_TRY_PWRITE =
      transfer("sluice_image_try_pwrite", Linker.Option.critical(true));
  private static final MethodHandle IMAGE_PREAD = transfer("sluice_image_pread");
  private static final MethodHandle IMAGE_SIZE = function("sluice_image_size");
  private static final MethodHandle IMAGE_TRUNCATE = function("sluice_image_truncate");
  private static final MethodHandle IMAGE_SYNC = function("sluice_image_sync");
  private static final MethodHandle IMAGE_CLOSE = function("sluice_image_close");
  static final MethodHandle IMAGE_RESTART = function("sluice_image_restart");
  private static final MethodHandle MESSAGE = function("sluice_message");
  private static final MethodHandle CLOSE =
      Linker.nativeLinker()
          .downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow("close"), SIGNATURE);

  private LibSluice() {}

  static int openSession(
      final MemorySegment directory, final int rank, final int ranks, final MemorySegment session) {
    return (int) call(SESSION_OPEN, directory.address(), rank, ranks, session.address());
  }

  static int closeSession(final long session) {
    return (int) call(SESSION_CLOSE, session, 0, 0, 0);
  }

  /** Writes a segment outside the heap. */
  static long write(final long image, final MemorySegment bytes, final long offset) {
    return transfer(IMAGE_PWRITE, image, bytes, offset);
  }

  static long tryWrite(final long image, final MemorySegment bytes, final long offset) {
    return transfer(IMAGE_TRY_PWRITE, image, bytes, offset);
  }

  /** Reads into a segment outside the heap. */
  static long read(final long image, final MemorySegment into, final long offset) {
    return transfer(IMAGE_PREAD, image, into, offset);
  }

  static long size(final long image) {
    return call(IMAGE_SIZE, image, 0, 0, 0);
  }

  static int truncate(final long image, final long size) {
    return (int) call(IMAGE_TRUNCATE, image, size, 0, 0);
  }

  static int sync(final long image) {
    return (int) call(IMAGE_SYNC, image, 0, 0, 0);
  }

  static int close(final long image) {
    return (int) call(IMAGE_CLOSE, image, 0, 0, 0);
  }

  static void closeDescriptor(final int descriptor) {
    call(CLOSE, descriptor, 0, 0, 0);
  }

  static String message() {
    return MemorySegment.ofAddress(call(MESSAGE, 0, 0, 0, 0))
        .reinterpret(Long.MAX_VALUE)
        .getString(0);
  }

  private static MethodHandle function(final String name) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), SIGNATURE);
  }

  private static MethodHandle transfer(final String name, final Linker.Option... options) {
    return Linker.nativeLinker()
        .downcallHandle(
            LIBRARY.findOrThrow(name),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
            options);
  }

  private static long transfer(
      final MethodHandle function, final long image, final MemorySegment bytes, final long offset) {
    try {
      return (long) function.invokeExact(image, bytes, bytes.byteSize(), offset);
    } catch (final RuntimeException | Error failure) {
      throw failure;
    } catch (final Throwable functionsOfCThrowNothing) {
      throw new IllegalStateException(functionsOfCThrowNothing);
    }
  }

  /** Calls a function; parameters that it does not have are 0. */
  static long call(
      final MethodHandle function, final long a, final long b, final long c, final long d) {
    try {
      return (long) function.invokeExact(a, b, c, d);
    } catch (final RuntimeException | Error failure) {
      throw failure;
    } catch (final Throwable functionsOfCThrowNothing) {
      throw new IllegalStateException(functionsOfCThrowNothing);
    }
  }
}

package org.sluice.core.segment;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.request.RequestDescriptor;

/** Generates {@code sluice_layout.h}: every public constant of every descriptor, as a macro. */
public final class CHeader {
  private static final List<Class<?>> DESCRIPTORS =
      List.of(
          HeaderDescriptor.class,
          SlotDescriptor.class,
          RingDescriptor.class,
          ImageDescriptor.class,
          ChunkStateDescriptor.class,
          ChunkDescriptor.class,
          RecordDescriptor.class,
          RequestDescriptor.class,
          InFlightDescriptor.class);

  private CHeader() {}

  /**
   * Writes the header.
   *
   * @param args one argument, the file to write
   * @throws IOException when it cannot be written
   */
  public static void main(final String[] args) throws IOException {
    Files.writeString(Path.of(args[0]), text());
  }

  /**
   * The header's text.
   *
   * @return C source
   */
  public static String text() {
    final StringBuilder out = new StringBuilder();
    out.append("/* Generated from the descriptor classes by org.sluice.core.segment.CHeader. */\n");
    out.append("#ifndef SLUICE_LAYOUT_H\n#define SLUICE_LAYOUT_H\n");
    DESCRIPTORS.forEach(descriptor -> append(out, descriptor));
    appendReasons(out);
    return out.append("\n#endif\n").toString();
  }

  private static void append(final StringBuilder out, final Class<?> descriptor) {
    final String prefix =
        descriptor
            .getSimpleName()
            .replace("Descriptor", "")
            .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
            .toUpperCase(Locale.ROOT);
    out.append("\n/* ").append(descriptor.getSimpleName()).append(" */\n");
    for (final Field field : descriptor.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers())) {
        out.append("#define SLUICE_%s_%s %s%n".formatted(prefix, field.getName(), literal(field)));
      }
    }
  }

  private static void appendReasons(final StringBuilder out) {
    out.append("\n/* Reason */\n");
    for (final Reason reason : Reason.values()) {
      out.append("#define SLUICE_REASON_%s %d%n".formatted(reason, reason.ordinal()));
    }
    out.append("#define SLUICE_REASON_UNSEEN UINT64_C(0x%x)%n".formatted(Reason.unseenSet()));
    out.append("#define SLUICE_REASON_FIRST_PLAIN %d%n".formatted(Reason.EXISTING.ordinal()));
  }

  private static String literal(final Field field) {
    try {
      return field.getType() == long.class
          ? "UINT64_C(0x%x)".formatted(field.getLong(null))
          : "%d".formatted(field.getInt(null));
    } catch (final IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}

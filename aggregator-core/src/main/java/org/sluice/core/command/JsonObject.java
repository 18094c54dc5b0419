package org.sluice.core.command;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Quoting;

/** The members of a JSON object, in the order of their output. */
public final class JsonObject extends LinkedHashMap<String, Object> {
  private static final long serialVersionUID = 1L;
  private static final String BASE64 = "_base64";

  /**
   * @param value a map, a list, a string, a number, or null; invalid text in a string is written as
   *     on a terminal
   */
  public JsonObject with(final String name, final Object value) {
    final boolean fits = !(value instanceof final String text) || FileName.isText(text);
    put(name, fits ? value : Quoting.line(value.toString()));
    return this;
  }

  /**
   * Adds a name of a file. JSON has text only. Where the name is no UTF-8, the member has it as a
   * terminal shows it. A further member, with {@code _base64} behind its name, has the exact bytes.
   *
   * @param file the file's name or path, see {@link FileName}
   */
  public JsonObject withFile(final String name, final String file) {
    return FileName.isText(file)
        ? with(name, file)
        : with(name, Quoting.name(file)).with(name + BASE64, base64(file));
  }

  /**
   * Adds names of files. Where any name is no UTF-8, a further member has the exact bytes of all,
   * as in {@link #withFile}.
   *
   * @param files names or paths, see {@link FileName}
   */
  public JsonObject withFiles(final String name, final List<String> files) {
    if (files.stream().allMatch(FileName::isText)) {
      return with(name, files);
    }
    return with(
            name,
            files.stream().map(file -> FileName.isText(file) ? file : Quoting.name(file)).toList())
        .with(name + BASE64, files.stream().map(JsonObject::base64).toList());
  }

  private static String base64(final String file) {
    return Base64.getEncoder().encodeToString(FileName.encode(file));
  }

  public JsonObject with(final Map<String, Object> others) {
    putAll(others);
    return this;
  }
}

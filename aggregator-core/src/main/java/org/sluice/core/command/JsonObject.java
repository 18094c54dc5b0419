package org.sluice.core.command;

import java.util.LinkedHashMap;
import java.util.Map;

/** The members of a JSON object, in the order in which they are told. */
public final class JsonObject extends LinkedHashMap<String, Object> {
  private static final long serialVersionUID = 1L;

  /** None so far. */
  public JsonObject() {}

  /**
   * Adds one.
   *
   * @param name its name
   * @param value a map, a list, a string, a number, or null
   * @return this
   */
  public JsonObject with(final String name, final Object value) {
    put(name, value);
    return this;
  }

  /**
   * Adds those of another object.
   *
   * @param others its members
   * @return this
   */
  public JsonObject with(final Map<String, Object> others) {
    putAll(others);
    return this;
  }
}

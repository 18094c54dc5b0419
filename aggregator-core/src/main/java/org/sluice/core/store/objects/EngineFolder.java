package org.sluice.core.store.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The objects of an engine whose keys begin with the same names. Here their keys lack these names.
 */
public final class EngineFolder implements Engine {
  private final Engine engine;
  private final String folder;

  /**
   * @param engine engine of the objects; closed by its owner
   * @param name beginning of their keys, without the {@code /} after it
   */
  public EngineFolder(final Engine engine, final String name) {
    this.engine = engine;
    this.folder = name + "/";
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
    engine.put(folder + key, pieces);
  }

  @Override
  public Upload upload(final String key) throws IOException {
    return engine.upload(folder + key);
  }

  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
    return engine.putIfAbsent(folder + key, bytes);
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    engine.get(folder + key, offset, into);
  }

  @Override
  public List<String> list(final String prefix) throws IOException {
    return engine.list(folder + prefix).stream()
        .map(key -> key.substring(folder.length()))
        .toList();
  }

  @Override
  public long size(final String key) throws IOException {
    return engine.size(folder + key);
  }

  @Override
  public void delete(final String key) throws IOException {
    engine.delete(folder + key);
  }

  @Override
  public String toString() {
    return (engine + "/" + folder).replaceAll("/+$", "");
  }

  @Override
  public void close() {}
}

package org.sluice.core.store.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;

/** An engine that is another one but for what is overridden. */
public class ForwardingEngine implements Engine {
  private final Engine engine;

  /**
   * The same as an engine.
   *
   * @param engine closed with this
   */
  public ForwardingEngine(final Engine engine) {
    this.engine = engine;
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
    engine.put(key, pieces);
  }

  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
    return engine.putIfAbsent(key, bytes);
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    engine.get(key, offset, into);
  }

  @Override
  public List<String> list(final String prefix) throws IOException {
    return engine.list(prefix);
  }

  @Override
  public void delete(final String key) throws IOException {
    engine.delete(key);
  }

  @Override
  public void makeDurable(final Collection<String> keys) throws IOException {
    engine.makeDurable(keys);
  }

  @Override
  public String toString() {
    return engine.toString();
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}

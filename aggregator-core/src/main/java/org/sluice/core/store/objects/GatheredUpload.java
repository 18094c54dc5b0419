package org.sluice.core.store.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An upload that is put as a whole, for an engine that knows no parts. All of it is held in memory.
 */
final class GatheredUpload implements Upload {
  private final Engine engine;
  private final String key;
  private final List<ByteBuffer> pieces = new ArrayList<>();

  GatheredUpload(final Engine engine, final String key) {
    this.engine = engine;
    this.key = key;
  }

  @Override
  public void append(final ByteBuffer piece) {
    pieces.add(ByteBuffer.allocateDirect(piece.remaining()).put(piece.duplicate()).flip());
  }

  @Override
  public void finish(final ByteBuffer last) throws IOException {
    pieces.add(last);
    engine.put(key, pieces);
  }

  @Override
  public void close() {
    pieces.clear();
  }
}

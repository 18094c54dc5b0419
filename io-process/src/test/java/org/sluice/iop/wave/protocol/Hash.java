package org.sluice.iop.wave.protocol;

/** Mixes numbers into one that depends on all of them and their order. */
final class Hash {
  private Hash() {}

  static long of(final long... parts) {
    long hash = 0x9E3779B97F4A7C15L;
    for (final long part : parts) {
      hash = (hash ^ part) * 0xBF58476D1CE4E5B9L;
      hash ^= hash >>> 29;
      hash = hash * 0x94D049BB133111EBL;
      hash ^= hash >>> 32;
    }
    return hash;
  }

  /** A number below a bound, of some bits of a hash. */
  static int pick(final long hash, final int shift, final int bound) {
    return (int) Math.floorMod(hash >>> shift, (long) bound);
  }
}

package org.sluice.iop.wave.protocol;

import java.util.Map;
import java.util.function.Supplier;

/** A way to take checkpoints of MPI jobs. Immutable. */
public interface Protocol {
  /** Returns a word in lower case: the name for users, and for {@code mpi.log}. */
  String name();

  /** Returns the number for ranks and images, from 1 on, which no other protocol has. */
  int number();

  /** Returns the cost, for users who choose, in a clause without its subject. */
  String summary();

  /**
   * Prepares the waves of a job.
   *
   * @param ranks how many ranks the job has
   * @param patience nanoseconds until a wave is given up
   * @return what makes them, one after the other
   */
  Supplier<Wave> begin(int ranks, long patience);

  /**
   * Classes of {@code int} constants that the layer in C has as well.
   *
   * @return each by what its names begin with in C, behind the protocol's own name
   */
  Map<String, Class<?>> numbers();
}

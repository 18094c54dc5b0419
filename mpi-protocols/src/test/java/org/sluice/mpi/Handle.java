package org.sluice.mpi;

/**
 * A request as the program has it. An image has it as call and signature: behind a restart the
 * layer posts an open receive again, and an open send is complete.
 */
final class Handle {
  final int number;

  /** What a receive asks for. */
  final Pattern pattern;

  /** A collective. */
  final Collective collective;

  /** One that never completes, where MPI has none. */
  Mpi.Request request = new Mpi.Request();

  boolean complete;
  Object result;

  Handle(final int number, final Pattern pattern, final Collective collective) {
    this.number = number;
    this.pattern = pattern;
    this.collective = collective;
  }

  /** As it is at a line. */
  Handle image() {
    final Handle image = new Handle(number, pattern, collective);
    image.complete = complete || pattern == null && collective == null;
    image.result = result;
    return image;
  }

  void complete(final Object what) {
    complete = true;
    result = what;
  }

  /** Becomes what another one was. */
  void takeOver(final Handle other) {
    request = other.request;
    complete = other.complete;
    result = other.result;
  }

  /** Asks MPI whether it is complete. Returns true once. */
  boolean look(final Mpi mpi) {
    if (complete || !mpi.isComplete(request)) {
      return false;
    }
    complete(
        pattern != null
            ? request.payload()
            : collective != null ? (Object) request.result() : null);
    return true;
  }
}

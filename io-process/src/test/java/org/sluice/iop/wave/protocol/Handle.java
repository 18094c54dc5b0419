package org.sluice.iop.wave.protocol;

/**
 * A request as the program has it. An image has it as call and signature: behind a restart the
 * layer posts an open receive again, and an open send is complete.
 */
final class Handle {
  final int number;

  /** What a receive asks for. */
  final Pattern pattern;

  /** What a drained message is of. */
  final Stream stream;

  /** A collective. */
  final Collective collective;

  /** One that never completes, where MPI has none. */
  Mpi.Request request = new Mpi.Request();

  boolean complete;

  /** By which number a receive is known where messages are numbered. */
  int name;

  /** A drained message once it has its number. */
  Message message;

  Object result;

  Handle(final int number, final Pattern pattern, final Collective collective) {
    this(number, pattern, null, collective);
  }

  private Handle(
      final int number, final Pattern pattern, final Stream stream, final Collective collective) {
    this.number = number;
    this.pattern = pattern;
    this.stream = stream;
    this.name = number;
    this.collective = collective;
  }

  /** A message that the program has not asked for. */
  static Handle drained(final int number, final Stream stream) {
    return new Handle(number, Pattern.of(stream), stream, null);
  }

  /** As it is at a line. */
  Handle image() {
    final Handle image = new Handle(number, pattern, stream, collective);
    image.complete = complete || pattern == null && collective == null;
    image.result = result;
    image.message = message;
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
    name = other.name;
    message = other.message;
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

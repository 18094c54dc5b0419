package org.sluice.core.request;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;

/** Frames that may hold anything, as the I/O process and its clients receive them. */
class RequestFuzzTest {
  @Provide
  Arbitrary<List<Mutation>> mutations() {
    return Mutation.several();
  }

  @Provide
  Arbitrary<Request> requests() {
    return Arbitraries.of(
        new Request.Attach(1, 2, 3, 4, 5, 6, 7, 8),
        new Request.Resume(1, 2, 3, 4, 5),
        new Request.Open(1, 2, 3, "/some/path"),
        new Request.Settle(1, 1),
        new Request.Sync(1),
        new Request.Renamed(1, 2),
        new Request.Replace(1, 2, 1, "/some/path"),
        new Request.Wake(),
        new Request.Begin(1, 2, 1),
        new Request.Create(1, 2, 3, "name"),
        new Request.Complete(1, 2),
        new Request.Await(1, 2),
        new Request.ListCheckpoints(),
        new Request.Restart(1, 2, "name"),
        new Request.Read(1, 2, 3, "name"),
        new Request.Join(1, "s"),
        new Request.Leave(0),
        new Request.Stats(),
        new Request.Threshold(1, 4096));
  }

  @Provide
  Arbitrary<Reply> replies() {
    return Arbitraries.of(
        new Reply.Done(),
        new Reply.Failed(5, "a sentence"),
        new Reply.Attached(3, 77),
        new Reply.Opened(2, 1, 5, 0, 100),
        new Reply.Created(new Reply.Opened(2, 1, 5, 0, 100), "/some/path"),
        new Reply.Settled(100),
        new Reply.Checkpoints(List.of(1L, 2L, 3L)),
        new Reply.Text("some text"),
        new Reply.Threshold(1, 4, 4096, 3));
  }

  @Property
  void requestIsDecodedOrRefused(
      @ForAll("requests") final Request request,
      @ForAll("mutations") final List<Mutation> mutations)
      throws IOException {
    final UnsafeBuffer buffer = new UnsafeBuffer(new byte[RequestDescriptor.MAX_LENGTH]);
    final UnsafeBuffer frame = mutated(buffer, request.encode(buffer, 0), mutations);
    Outcome.isReadOrRefused(
        "=",
        () -> {
          final int length = Frames.length(frame, 0, frame.capacity());
          if (length > 0) {
            Request.decode(frame, 0, length);
          }
        });
  }

  @Property
  void replyIsDecodedOrRefused(
      @ForAll("requests") final Request request,
      @ForAll("replies") final Reply reply,
      @ForAll("mutations") final List<Mutation> mutations)
      throws IOException {
    final UnsafeBuffer buffer = new UnsafeBuffer(new byte[RequestDescriptor.MAX_LENGTH]);
    final UnsafeBuffer frame = mutated(buffer, reply.encode(buffer, 0), mutations);
    Outcome.isReadOrRefused(
        "=",
        () -> {
          final int length = Frames.length(frame, 0, frame.capacity());
          if (length > 0) {
            Reply.decode(request, frame, 0, length);
          }
        });
  }

  private static UnsafeBuffer mutated(
      final UnsafeBuffer buffer, final int length, final List<Mutation> mutations) {
    final byte[] bytes = new byte[length];
    buffer.getBytes(0, bytes);
    return new UnsafeBuffer(Mutation.apply(bytes, mutations));
  }
}

package org.sluice.iop.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.sluice.core.libc.LibC;
import org.sluice.core.process.NativeThread;
import org.sluice.core.process.SocketPeer;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.memory.Provision;
import org.sluice.iop.service.Connection;

/**
 * The thread that serves clients. While there is nothing to do it waits in the kernel.
 *
 * <p>The thread writes so into the header, with a full fence, before it looks at the rings for the
 * last time. A process stores its ring record, fences, and then looks at the header. So one of the
 * two sees the other: the record is found or the bell is rung.
 */
final class Service implements Runnable {
  private static final long BEAT_MILLIS = 1000;
  private static final long ENDING_BEAT_MILLIS = 20;

  /** The longest nap, and the number of naps before the thread sleeps. */
  private static final long NAP_MILLIS = 1;

  private static final int MOST_NAPS = 4;

  /**
   * The connections of a slot: a client that attached, and one that waits for the session's end.
   */
  private static final int CLIENTS_PER_SLOT = 2;

  private final ServerSocketChannel server;
  private final Segment segment;
  private final Statistics statistics;
  private final Provision.Demand demand;
  private final Inbox inbox;
  private final int self = (int) LibC.GETEUID.call(0);
  private final InFlight inFlight;
  private final Session session;
  private final CompletableFuture<Void> reported = new CompletableFuture<>();
  private final int mostClients;
  private long connections;
  private long lastBeat = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS);
  private int naps;
  private long turns;

  /**
   * Creates a service; {@link #run} serves.
   *
   * @param server socket where clients connect; stays the caller's
   * @param inbox steps for this thread; closed when the session is over
   * @param session the session, made with that inbox
   * @param demand receiver, again and again, of the number of chunks in use and of processes
   */
  Service(
      final ServerSocketChannel server,
      final Segment segment,
      final Inbox inbox,
      final Session session,
      final Statistics statistics,
      final InFlight inFlight,
      final Provision.Demand demand)
      throws IOException {
    this.server = server;
    this.segment = segment;
    this.inbox = inbox;
    this.session = session;
    this.statistics = statistics;
    this.inFlight = inFlight;
    this.demand = demand;
    this.mostClients = CLIENTS_PER_SLOT * segment.geometry().slots();
    server.configureBlocking(false);
    server.register(inbox.selector(), SelectionKey.OP_ACCEPT);
  }

  /**
   * Begins to end the session. Any thread; asking again does nothing.
   *
   * @param commits whether images that no checkpoint has are committed; otherwise they become plain
   */
  public void end(final boolean commits) {
    inbox.execute(() -> session.end(commits));
  }

  /**
   * Stops the I/O process. Any thread.
   *
   * @param interrupts whether a user waits, who may not want to wait any longer
   */
  public void stop(final boolean interrupts) {
    inbox.execute(() -> session.stop(interrupts));
  }

  /**
   * Says that the process which started a session with members is gone, before it learnt that it
   * may join.
   */
  public void expectNobody() {
    inbox.execute(session::expectNobody);
  }

  /** Returns a future completed once the present work is drained and committed. */
  public CompletableFuture<Void> drained() {
    final CompletableFuture<Void> drained = new CompletableFuture<>();
    inbox.execute(() -> session.afterwards(() -> drained.complete(null)));
    return drained;
  }

  /** Returns a line for each checkpoint or file not committed, or not copied from the stage. */
  public CompletableFuture<List<String>> unfinished() {
    return CompletableFuture.supplyAsync(session::unfinished, inbox);
  }

  /** Returns a future completed when the end has begun, with whether the command succeeded. */
  public CompletableFuture<Boolean> ending() {
    return session.ending();
  }

  /** Returns a future completed when everything is drained and committed; never exceptionally. */
  public CompletableFuture<Void> over() {
    return session.over();
  }

  /**
   * Lets the last member be told that the session is over. Any thread; to be called once the
   * session is reported.
   */
  public void reported() {
    reported.complete(null);
  }

  /** Serves until the session is over. */
  @Override
  public void run() {
    session.pace().join();
    segment.header().service((int) NativeThread.current().id());
    try {
      while (!session.over().isDone()) {
        final int work = work();
        beat();
        if (work == 0) {
          sleep();
        } else {
          naps = MOST_NAPS;
          readRequests();
        }
      }
    } catch (final IOException e) {
      throw new UncheckedIOException(
          e); // no client is heard any more: another I/O process can resume the session
    }
    tidyUp();
  }

  private void tidyUp() {
    try {
      try {
        session.close();
      } finally {
        reported.join();
        session.tell();
      }
      clients().forEach(Connection::close);
      inbox.close();
    } catch (final IOException e) {
      Warnings.warn("the session is over, but could not be tidied up: " + e.getMessage());
    }
  }

  private int work() {
    segment.header().turns(++turns);
    // Before the poll: the drain may be done with what it takes while this thread has no processor.
    final int used = segment.geometry().chunkCount() - (int) segment.header().unusedChunks();
    final int records = session.rings().poll(session.attachments().all());
    final int more = session.proceed(this::readRequests) ? 1 : 0;
    if (records > 0) {
      session.pace().written();
      statistics.bufferUse((long) used * segment.geometry().payload());
    }
    demand.look(used, session.attachments().all().size());
    return records + more + inbox.run();
  }

  private void readRequests() {
    try {
      inbox.selector().selectNow(this::ready);
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void beat() {
    final long now = System.nanoTime(); // the clock may be set back
    if (session.isEnding() || now - lastBeat >= TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS)) {
      lastBeat = now;
      server.keyFor(inbox.selector()).interestOps(SelectionKey.OP_ACCEPT);
      segment.header().heartbeat(System.currentTimeMillis());
      session.beat();
    }
  }

  /**
   * Sleeps, or takes a nap while more records are likely. Records that can wait for a millisecond
   * ring no bell during a nap.
   */
  private void sleep() throws IOException {
    final boolean naps = this.naps > 0;
    segment.header().sleeping(naps ? HeaderDescriptor.NAPPING : HeaderDescriptor.ASLEEP);
    if (session.rings().poll(session.attachments().all()) == 0
        && inbox.isEmpty()
        && !session.over().isDone()) {
      final long limit = session.isEnding() ? ENDING_BEAT_MILLIS : BEAT_MILLIS;
      inbox.selector().select(this::ready, session.patience(naps ? NAP_MILLIS : limit));
    }
    this.naps -= naps ? 1 : 0;
    segment.header().sleeping(HeaderDescriptor.AWAKE);
  }

  private void ready(final SelectionKey key) {
    if (key.channel() == server) {
      accept();
    } else {
      serve((Connection) key.attachment(), key);
    }
  }

  /** Without a descriptor left a further attempt is useless before a process may have gone. */
  private void accept() {
    try {
      for (SocketChannel client = server.accept(); client != null; client = server.accept()) {
        admit(client);
      }
    } catch (final IOException e) {
      Warnings.warn("cannot accept a client: " + e.getMessage());
      session.shortOfDescriptors();
      server.keyFor(inbox.selector()).interestOps(0);
    }
  }

  private void admit(final SocketChannel client) throws IOException {
    client.configureBlocking(false);
    final SelectionKey key = client.register(inbox.selector(), SelectionKey.OP_READ);
    final Connection connection = new Connection(client, key, ++connections, inFlight);
    key.attach(connection);
    if (SocketPeer.user(client) != self) {
      connection.refuse("this I/O process serves another user");
      connection.close();
    } else if (clients().count() > mostClients) {
      makeRoom();
    }
  }

  /** Closes the oldest of the connections that neither attached nor joined. */
  private void makeRoom() {
    clients()
        .filter(Connection::isPassing)
        .min(Comparator.comparingLong(Connection::ordinal))
        .ifPresent(
            first -> {
              first.refuse(
                  "there are too many clients, and this one is neither attached nor joined");
              first.close();
            });
  }

  private Stream<Connection> clients() {
    return inbox.selector().keys().stream()
        .filter(SelectionKey::isValid)
        .map(SelectionKey::attachment)
        .filter(Connection.class::isInstance)
        .map(Connection.class::cast);
  }

  private void serve(final Connection connection, final SelectionKey key) {
    try {
      if (key.isWritable()) {
        connection.flush();
      }
      if (!key.isReadable()
          || connection.read((request, caller) -> session.receive(connection, request, caller))) {
        return;
      }
    } catch (final IOException e) {
      connection.refuse(e.getMessage());
    }
    connection.close();
    session.disconnected(connection);
  }
}

package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.ForwardingEngine;
import org.sluice.core.store.objects.NoObjectException;

/** A rule of the series, and what a node does that does not know it. */
enum Rule {
  /** An entry of the log is made by conditional create. */
  CONDITIONAL_CREATE,
  /** A node whose entry finds its number taken reads the log before it tries again. */
  READ_AGAIN {
    @Override
    Engine without(final Engine engine, final String run) {
      return new ForwardingEngine(engine) {
        @Override
        public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
          if (!key.startsWith("log/")) {
            return engine.putIfAbsent(key, bytes);
          }
          long sequence = Long.parseLong(key.substring(key.indexOf('/') + 1));
          while (!engine.putIfAbsent("log/%010d".formatted(sequence), bytes)) {
            sequence++;
          }
          return true;
        }
      };
    }
  },
  /** Keys of data and parts have the run. */
  RUN_IN_KEYS {
    @Override
    Engine without(final Engine engine, final String run) {
      return new Renamed(engine) {
        @Override
        String key(final String key) {
          return key.replaceFirst("^(part/\\d+-|data/)\\d+-", "$10-");
        }
      };
    }
  },
  /** Keys of data and parts have the round. */
  ROUND_IN_KEYS {
    @Override
    Engine without(final Engine engine, final String run) {
      return new Renamed(engine) {
        @Override
        String key(final String key) {
          return key.replaceFirst("^(part/\\d+-\\d+-|data/.*\\.)\\d+(/|$)", "$10$2");
        }
      };
    }
  },
  /** A run that is not the last to begin appends nothing. */
  FENCE {
    @Override
    Engine without(final Engine engine, final String run) {
      return new OtherLog(engine) {
        private boolean joined;

        @Override
        LogEntry read(final long sequence, final LogEntry entry) {
          return joined && entry instanceof final LogEntry.Begin begin && !begin.run().equals(run)
              ? new LogEntry.Remove(0, begin.live(), begin.node(), begin.time())
              : entry;
        }

        @Override
        public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
          joined = true;
          engine.put(key, pieces);
        }
      };
    }
  },
  /** A checkpoint is committed when the parts of all ranks are there. */
  ALL_RANKS,
  /**
   * Where a marker completes a checkpoint, each part says over which ranks it was found to close.
   */
  CLOSED_RANKS,
  /** A node looks whether the commit has its part. */
  OWN_PART,
  /** A part comes behind the data that it names. */
  DATA_FIRST,
  /** What is removed is removed in the log before it is deleted. */
  REMOVE_FIRST,
  /** What an older commit of a number had never counts again. */
  SUPERSEDED_STAYS_GONE {
    @Override
    Engine without(final Engine engine, final String run) {
      return new OtherLog(engine) {
        @Override
        LogEntry appended(final LogEntry entry) throws IOException {
          return entry instanceof final LogEntry.Begin begin ? withAll(begin) : entry;
        }

        private LogEntry.Begin withAll(final LogEntry.Begin begin) throws IOException {
          final List<Long> all = new ArrayList<>();
          for (long sequence = 1; ; sequence++) {
            final String key = "log/%010d".formatted(sequence);
            try {
              if (LogEntryCodec.decode(key, engine.getAll(key, 1 << 20))
                  instanceof LogEntry.Commit) {
                all.add(sequence);
              }
            } catch (final NoObjectException end) {
              return new LogEntry.Begin(
                  begin.run(), begin.previous(), all, begin.node(), begin.time());
            }
          }
        }
      };
    }
  },
  /**
   * A commit has no older part of a node than the log has, though a list may lack the newer one.
   */
  NO_OLDER_PART {
    @Override
    Engine without(final Engine engine, final String run) {
      return new OtherLog(engine) {
        private List<PartKey> listed = List.of();

        @Override
        public List<String> list(final String prefix) throws IOException {
          final List<String> keys = engine.list(prefix);
          listed = keys.stream().flatMap(key -> PartKey.parse(key).stream()).toList();
          return keys;
        }

        @Override
        LogEntry appended(final LogEntry entry) {
          return entry instanceof final LogEntry.Commit commit && !commit.whole()
              ? asListed(commit)
              : entry;
        }

        private LogEntry.Commit asListed(final LogEntry.Commit commit) {
          final Map<String, PartKey> parts = new TreeMap<>();
          commit.keys().forEach(part -> parts.put(part.node(), part));
          Decision.newest(listed).forEach(part -> parts.put(part.node(), part));
          return new LogEntry.Commit(
              commit.begin(),
              commit.number(),
              commit.round(),
              commit.ranks(),
              parts.values().stream().map(PartKey::name).toList(),
              false,
              commit.node(),
              commit.time());
        }
      };
    }
  },
  /** What is removed counts no more, whatever joins it. */
  REMOVED_STAYS_GONE {
    @Override
    Engine without(final Engine engine, final String run) {
      return new OtherLog(engine) {
        @Override
        LogEntry read(final long sequence, final LogEntry entry) {
          return entry instanceof final LogEntry.Remove remove
              ? new LogEntry.Remove(
                  remove.begin(),
                  LongStream.range(1, sequence).boxed().toList(),
                  remove.node(),
                  remove.time())
              : entry;
        }
      };
    }
  },
  /** A run deletes only what earlier runs left. */
  COLLECT_EARLIER_RUNS;

  /** The storage as it looks to a node that does not know the rule. */
  Engine without(final Engine engine, final String run) {
    return engine;
  }

  /** An engine on which a node reads other entries of the log than there are, or appends them. */
  private abstract static class OtherLog extends ForwardingEngine {
    private static final String FOLDER = "log/";

    OtherLog(final Engine engine) {
      super(engine);
    }

    LogEntry read(final long sequence, final LogEntry entry) {
      return entry;
    }

    LogEntry appended(final LogEntry entry) throws IOException {
      return entry;
    }

    @Override
    public final byte[] getAll(final String key, final int most, final int expected)
        throws IOException {
      final byte[] bytes = super.getAll(key, most, expected);
      if (!key.startsWith(FOLDER)) {
        return bytes;
      }
      final LogEntry entry = LogEntryCodec.decode(key, bytes);
      final LogEntry other = read(Long.parseLong(key.substring(FOLDER.length())), entry);
      return other.equals(entry) ? bytes : LogEntryCodec.encode(other, null);
    }

    @Override
    public final boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
      if (!key.startsWith(FOLDER)) {
        return super.putIfAbsent(key, bytes);
      }
      final LogEntry entry = LogEntryCodec.decode(key, bytes);
      final LogEntry other = appended(entry);
      return super.putIfAbsent(
          key, other.equals(entry) ? bytes : LogEntryCodec.encode(other, null));
    }
  }

  /** An engine with other keys. */
  private abstract static class Renamed extends ForwardingEngine {
    Renamed(final Engine engine) {
      super(engine);
    }

    abstract String key(String key);

    @Override
    public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
      super.put(key(key), pieces);
    }

    @Override
    public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
      super.get(key(key), offset, into);
    }

    @Override
    public List<String> list(final String prefix) throws IOException {
      return super.list(key(prefix));
    }

    @Override
    public void delete(final String key) throws IOException {
      super.delete(key(key));
    }
  }
}

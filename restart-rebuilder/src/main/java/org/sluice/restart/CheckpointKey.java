package org.sluice.restart;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.command.Arguments;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.CheckpointName;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import picocli.CommandLine.TypeConversionException;

/** A checkpoint as a user writes it: a number or a name. */
sealed interface CheckpointKey {
  String LABEL = "N|NAME";

  /** Takes digits as a number, and all else as a name. */
  static CheckpointKey parse(final String text) {
    if (CheckpointName.isNumber(text)) {
      return new Numbered(Arguments.number(text, Long::valueOf));
    }
    if (!CheckpointName.isValid(text)) {
      throw new TypeConversionException(CheckpointName.refusal(text));
    }
    return new Named(text);
  }

  /** Takes the parameters of a command. Picocli would only say that one of them is of no use. */
  static List<CheckpointKey> of(final List<String> words) {
    try {
      return words.stream().map(CheckpointKey::parse).toList();
    } catch (final TypeConversionException e) {
      throw new CommandException(ExitStatus.USAGE, e.getMessage());
    }
  }

  /** Returns the numbers of all checkpoints that some keys name, in the order of the keys. */
  static Set<Long> numbers(final CheckpointReader store, final List<CheckpointKey> keys)
      throws IOException {
    final Set<Long> numbers = new LinkedHashSet<>();
    for (final CheckpointKey key : keys) {
      numbers.add(key.number(store));
    }
    return numbers;
  }

  /** Returns the checkpoint; of several with the name the one committed last. */
  Optional<Commit> find(CheckpointReader store) throws IOException;

  /** Returns the number, which may be one of a checkpoint that is not there or damaged. */
  long number(CheckpointReader store) throws IOException;

  /** Returns the checkpoint, which must be there. */
  default Commit in(final CheckpointReader store) throws IOException {
    return find(store).orElseThrow(() -> none(store.store()));
  }

  /** Returns the exception for a store without the checkpoint. */
  default CommandException none(final String store) {
    return new CommandException(
        ExitStatus.NOT_FOUND,
        "no checkpoint %s is committed in %s; sluice ls shows which are".formatted(this, store));
  }

  /** The number of a checkpoint. */
  record Numbered(long number) implements CheckpointKey {
    @Override
    public Optional<Commit> find(final CheckpointReader store) throws IOException {
      return store.find(number);
    }

    @Override
    public long number(final CheckpointReader store) {
      return number;
    }

    @Override
    public String toString() {
      return String.valueOf(number);
    }
  }

  /** The name of a checkpoint. */
  record Named(String name) implements CheckpointKey {
    @Override
    public Optional<Commit> find(final CheckpointReader store) throws IOException {
      try {
        return store.find(name);
      } catch (final IOException doubt) {
        throw new CommandException(
            ExitStatus.of(doubt),
            "%s; that may be the checkpoint %s: name another one by its number"
                .formatted(doubt.getMessage(), this));
      }
    }

    @Override
    public long number(final CheckpointReader store) throws IOException {
      return in(store).number();
    }

    @Override
    public String toString() {
      return "called " + Quoting.name(name);
    }
  }
}

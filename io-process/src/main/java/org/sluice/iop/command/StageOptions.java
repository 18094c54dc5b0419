package org.sluice.iop.command;

import static org.sluice.core.command.Model.option;

import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.Model;
import org.sluice.core.command.SharedOptions;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.Engines;
import org.sluice.iop.publish.StageSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of a store in a bucket: its stage, and the copies from there. */
final class StageOptions implements SharedOptions {
  /** The places at which a checkpoint counts as durable for waiting processes. */
  enum Durable {
    /** The stage. */
    local,
    /** The bucket. */
    global
  }

  private CommandSpec spec;
  private Optional<Path> stage = Optional.empty();
  private Optional<Long> rate = Optional.empty();
  private Optional<Integer> every = Optional.empty();
  private Durable durable;

  @Override
  public void addTo(final Model model) {
    spec = model.spec();
    model
        .add(
            option(Path.class, value -> stage = Optional.ofNullable(value), "--stage")
                .paramLabel("DIR")
                .defaultValue("${env:SLUICE_STAGE}")
                .description(
                    "Where --store is a URI: a directory on a disk of this node, where a checkpoint is"
                        + " committed first and copied from. It needs room for --keep and one more, and"
                        + " for those that wait for their copy; default: environment SLUICE_STAGE."))
        .add(
            option(Long.class, value -> rate = Optional.ofNullable(value), "--copy-rate")
                .paramLabel("SIZE")
                .defaultValue("${env:SLUICE_COPY_RATE}")
                .converters(new SizeConverter())
                .description(
                    "How many bytes a second a node copies from its stage at most; default: environment"
                        + " SLUICE_COPY_RATE, or else as fast as it goes."))
        .add(
            option(Integer.class, value -> every = Optional.ofNullable(value), "--share-every")
                .paramLabel("K")
                .defaultValue("${env:SLUICE_SHARE_EVERY}")
                .description(
                    "Only each K-th checkpoint of the run, in the order of their numbers, leaves the stage,"
                        + " and at the end the newest, and what no group took; default: environment SLUICE_SHARE_EVERY, or"
                        + " else each."))
        .add(
            option(Durable.class, value -> durable = value, "--durable")
                .paramLabel("local|global")
                .defaultValue("${env:SLUICE_DURABLE}")
                .description(
                    "Whom a wait and the exit status heed of a checkpoint that leaves the stage: this node, or"
                        + " all; default: environment SLUICE_DURABLE, or else global."));
  }

  /**
   * @param option option that names the store
   * @return empty where the store is a directory
   */
  Optional<StageSettings> settings(final StoreOption option) throws EngineException {
    final String store = option.location();
    if (!option.isElsewhere()) {
      refuseOptions(store);
      return Optional.empty();
    }
    Engines.requireScheme(store);
    final Path directory =
        stage.orElseThrow(
            () ->
                usage(
                    "--store %s needs --stage DIR: a directory on a disk of this node, such as --stage \"${TMPDIR:-/var/tmp}\"/sluice"
                        .formatted(store)));
    final long bytes = rate.orElse(StageSettings.NO_LIMIT);
    if (bytes < 1) {
      throw usage("--copy-rate has to be at least 1 byte a second");
    }
    final int step = every.orElse(1);
    if (step < 1) {
      throw usage("--share-every %d: each checkpoint is 1".formatted(step));
    }
    return Optional.of(
        new StageSettings(
            directory.toAbsolutePath().normalize(),
            Engines.canonical(store),
            bytes,
            step,
            durable != Durable.local));
  }

  /** Options of the environment may be for another store. */
  private void refuseOptions(final String store) {
    for (final String name :
        new String[] {"--stage", "--copy-rate", "--share-every", "--durable"}) {
      if (spec.commandLine().getParseResult() != null
          && spec.commandLine().getParseResult().hasMatchedOption(name)) {
        throw usage(
            "%s has no use with %s: a directory is written to as it is, only a URI has a stage"
                .formatted(name, store));
      }
    }
  }

  private ParameterException usage(final String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

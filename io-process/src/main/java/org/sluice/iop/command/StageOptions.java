package org.sluice.iop.command;

import static org.sluice.core.command.Model.option;

import java.nio.file.Path;
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
  private Path stage;
  private Long rate;
  private Integer every;
  private Durable durable;

  StageOptions() {}

  @Override
  public void addTo(final Model model) {
    spec = model.spec();
    model
        .add(
            option(Path.class, value -> stage = value, "--stage")
                .paramLabel("DIR")
                .defaultValue("${env:SLUICE_STAGE}")
                .description(
                    "Where --store is a URI: a directory on a disk of this node, where a checkpoint is"
                        + " committed first and copied from. It needs room for --keep and one more, and"
                        + " for those that wait for their copy; default: environment SLUICE_STAGE."))
        .add(
            option(Long.class, value -> rate = value, "--copy-rate")
                .paramLabel("SIZE")
                .defaultValue("${env:SLUICE_COPY_RATE}")
                .converters(new SizeConverter())
                .description(
                    "How many bytes a second a node copies from its stage at most; default: environment"
                        + " SLUICE_COPY_RATE, or else as fast as it goes."))
        .add(
            option(Integer.class, value -> every = value, "--share-every")
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
   * Returns the settings that the options give.
   *
   * @param option option that names the store
   * @return null where the store is a directory
   * @throws EngineException when no engine knows the store's scheme
   */
  StageSettings settings(final StoreOption option) throws EngineException {
    final String store = option.location();
    if (!option.isElsewhere()) {
      refuseOptions(store);
      return null;
    }
    Engines.requireScheme(store);
    if (stage == null) {
      throw usage(
          "--store %s needs --stage DIR: a directory on a disk of this node, such as --stage \"${TMPDIR:-/var/tmp}\"/sluice"
              .formatted(store));
    }
    if (rate != null && rate < 1) {
      throw usage("--copy-rate has to be at least 1 byte a second");
    }
    if (every != null && every < 1) {
      throw usage("--share-every %d: each checkpoint is 1".formatted(every));
    }
    return new StageSettings(
        stage.toAbsolutePath().normalize(),
        Engines.canonical(store),
        rate == null ? StageSettings.NO_LIMIT : rate,
        every == null ? 1 : every,
        durable != Durable.local);
  }

  /**
   * Refuses options of a stage on the command line. Options of the environment may be for another
   * store.
   */
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

package org.sluice.core.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The options and parameters of a command, as picocli knows them. The model is made in code, since
 * the JVM makes a class for each kind of annotation anew at each start.
 */
public final class Model {
  /** Makes the lists of parameters. Picocli's own also looks for Groovy in every jar. */
  private static final IFactory LISTS =
      new IFactory() {
        @Override
        public <K> K create(final Class<K> type) {
          return type.cast(new ArrayList<>());
        }
      };

  private final CommandSpec spec;
  private final Set<ExitStatus> statuses =
      EnumSet.of(ExitStatus.OK, ExitStatus.FAILED, ExitStatus.USAGE, ExitStatus.UNTOLD);

  private Model(final CommandSpec spec) {
    this.spec = spec;
  }

  /** Begins the model of a command, with {@code --help}. */
  public static Model of(final Object command, final String name) {
    final CommandSpec spec = CommandSpec.wrapWithoutInspection(command, LISTS).name(name);
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    return new Model(spec);
  }

  public static <T> OptionSpec.Builder option(
      final Class<T> type, final Consumer<T> target, final String... names) {
    final Value<T> value = new Value<>(target);
    return OptionSpec.builder(names).type(type).getter(value).setter(value);
  }

  public static OptionSpec.Builder flag(final Consumer<Boolean> target, final String... names) {
    return option(Boolean.class, target, names).arity("0");
  }

  /** A parameter, which must be there unless told otherwise. */
  public static <T> PositionalParamSpec.Builder parameter(
      final Class<T> type, final Consumer<T> target) {
    final Value<T> value = new Value<>(target);
    return PositionalParamSpec.builder()
        .type(type)
        .required(true)
        .arity("1")
        .getter(value)
        .setter(value);
  }

  public static <T> PositionalParamSpec.Builder parameters(
      final Class<T> type, final Consumer<List<T>> target) {
    return parameter(List.class, list -> target.accept(cast(list)))
        .required(false)
        .arity("0..*")
        .auxiliaryTypes(type);
  }

  @SuppressWarnings("unchecked")
  private static <T> List<T> cast(final Object list) {
    return (List<T>) list;
  }

  public Model describe(final String... lines) {
    spec.usageMessage().description(lines);
    return this;
  }

  public Model examples(final String... lines) {
    spec.usageMessage().footerHeading("%nExamples:%n").footer(lines);
    return this;
  }

  /**
   * @param others the statuses besides those that every command can end with
   */
  public Model exits(final ExitStatus... others) {
    Collections.addAll(statuses, others);
    return this;
  }

  public Model add(final SharedOptions options) {
    options.addTo(this);
    return this;
  }

  /** Adds options and parameters of which the user gives exactly one. */
  public Model addOneOf(final SharedOptions options) {
    final Model group = new Model(CommandSpec.wrapWithoutInspection(null, LISTS));
    options.addTo(group);
    final ArgGroupSpec.Builder all = ArgGroupSpec.builder().multiplicity("1");
    group.spec.args().forEach(all::addArg);
    spec.addArgGroup(all.build());
    return this;
  }

  /** Makes options known to code that knows the command only. */
  void remember(final String name, final SharedOptions options) {
    spec.addMixin(name, CommandSpec.wrapWithoutInspection(options, LISTS));
  }

  public Model add(final OptionSpec.Builder option) {
    spec.addOption(option.build());
    return this;
  }

  public Model add(final PositionalParamSpec.Builder parameter) {
    spec.addPositional(parameter.build());
    return this;
  }

  /** Its statuses count for this one as well. */
  public Model add(final Subcommand command) {
    final CommandSpec below = command.spec();
    spec.addSubcommand(below.name(), commandLine(below));
    spec.usageMessage().synopsisSubcommandLabel("COMMAND");
    statuses.addAll(ExitStatus.toldBy(below));
    return this;
  }

  public CommandSpec spec() {
    spec.usageMessage()
        .exitCodeListHeading("%nExit status:%n")
        .exitCodeList(ExitStatus.table(statuses));
    return spec;
  }

  /**
   * The parser of a model. Its help has colours on a terminal that knows them, unless {@code
   * NO_COLOR} is set.
   */
  static CommandLine commandLine(final CommandSpec spec) {
    final CommandLine line = new CommandLine(spec, LISTS);
    return "dumb".equals(System.getenv("TERM"))
        ? line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        : line;
  }

  /** A value for the command; without one the command's own stays. */
  private static final class Value<T> implements IGetter, ISetter {
    private final Consumer<T> target;
    private T value;

    Value(final Consumer<T> target) {
      this.target = target;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <V> V get() {
      return (V) value;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <V> V set(final V next) {
      final V last = get();
      value = (T) next;
      if (next != null) {
        target.accept(value);
      }
      return last;
    }
  }
}

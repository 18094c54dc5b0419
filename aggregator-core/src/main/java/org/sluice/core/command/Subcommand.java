package org.sluice.core.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A subcommand of {@code sluice}: a class called like it and {@code Command}, and named in {@code
 * META-INF/services/org.sluice.core.command.Subcommand} unless it is below another. {@link #call()}
 * returns the exit status.
 */
public interface Subcommand extends Callable<Integer> {
  /** Returns the options and parameters, the same each time; see {@link Model}. */
  CommandSpec spec();
}

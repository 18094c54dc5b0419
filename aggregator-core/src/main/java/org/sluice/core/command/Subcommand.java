package org.sluice.core.command;

import java.util.concurrent.Callable;

/**
 * A subcommand of {@code sluice}: a class with picocli's {@code @Command}, called like it and
 * {@code Command}, and named in {@code META-INF/services/org.sluice.core.command.Subcommand}.
 * {@link #call()} returns the exit status.
 */
public interface Subcommand extends Callable<Integer> {}

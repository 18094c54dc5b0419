/**
 * The frame of the {@code sluice} command. The subcommands register themselves through {@code
 * ServiceLoader}. Each runs on the main thread of a JVM of its own, and tells of its end by an
 * {@code ExitStatus} or an exception that has one.
 */
package org.sluice.core.command;

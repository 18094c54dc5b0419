/** The {@code sluice} command's frame; the subcommands register themselves. */
package org.sluice.core.command;

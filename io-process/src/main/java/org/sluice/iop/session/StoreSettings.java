package org.sluice.iop.session;

import java.nio.file.Path;
import java.util.Optional;
import org.sluice.iop.publish.StageSettings;

/**
 * The store that a user names for an I/O process.
 *
 * @param directory the store on this node: the stage of a store in a bucket
 * @param stage way of checkpoints from there to a bucket; empty where they stay
 * @param series name of the series in the store; empty where the user names none
 */
public record StoreSettings(
    Path directory, Optional<StageSettings> stage, Optional<String> series) {}

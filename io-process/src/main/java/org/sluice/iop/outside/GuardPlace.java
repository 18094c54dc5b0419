package org.sluice.iop.outside;

import java.nio.file.Path;

/**
 * What a guard is started with.
 *
 * @param program the native program
 * @param socket where it is to listen, once
 * @param segment the session's, which says who is attached
 * @param store whose links of images are nobody's files, absolute and resolved
 */
public record GuardPlace(Path program, Path socket, Path segment, String store) {}

package org.sluice.iop.outside;

import java.nio.file.Path;

/**
 * The paths that a guard process is started with.
 *
 * @param socket path of the socket on which the guard process accepts one connection
 * @param segment the session's segment, which tells the attached processes
 * @param store the store, absolute and resolved; links of images in it are not guarded
 */
public record GuardPlace(Path program, Path socket, Path segment, String store) {}

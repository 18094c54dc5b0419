package org.sluice.iop.checkpoint;

import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.shared.SoleWriter;

/**
 * The captured files of a session: the images that they are, the directory that has their names,
 * and those that other nodes may write, too.
 *
 * @param registry the images
 * @param capture the capture directory
 * @param shared files that processes of other nodes may write
 * @param soleWriter check that no other node wrote to a file that is logged here
 */
public record CapturedFiles(
    ImageRegistry registry, CaptureDirectory capture, SharedFiles shared, SoleWriter soleWriter) {}

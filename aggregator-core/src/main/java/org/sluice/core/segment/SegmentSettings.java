package org.sluice.core.segment;

/**
 * The settings that the I/O process tells its clients in the segment's header, besides the
 * geometry.
 *
 * @param sessionId random number that names the session of the I/O process
 * @param layout where drained bytes land
 * @param rules which writes go through the buffer
 * @param store the store directory, at most {@link HeaderDescriptor#MAX_PATH_LENGTH} bytes
 * @param capture the capture directory, absolute and resolved, as long at most; empty without one
 */
public record SegmentSettings(
    long sessionId, Layout layout, WriteRules rules, String store, String capture) {}

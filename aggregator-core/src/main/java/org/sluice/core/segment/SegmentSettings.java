package org.sluice.core.segment;

/**
 * The settings that the I/O process tells its clients in the segment's header, besides the
 * geometry.
 *
 * @param sessionId random number that names the session of the I/O process
 * @param layout where drained bytes land
 * @param threshold bytes from which on a write goes direct, at least 0
 * @param policy {@link HeaderDescriptor#POLICY_FIXED} or {@link HeaderDescriptor#POLICY_AUTO}
 * @param whenFull {@link HeaderDescriptor#WHEN_FULL_WAIT} or {@link
 *     HeaderDescriptor#WHEN_FULL_DIRECT}
 * @param small bytes that a small file has at most; 0 for none
 * @param store the store directory, at most {@link HeaderDescriptor#MAX_PATH_LENGTH} bytes
 * @param capture the capture directory, absolute and resolved, as long at most; empty without one
 */
public record SegmentSettings(
    long sessionId,
    Layout layout,
    long threshold,
    int policy,
    int whenFull,
    long small,
    String store,
    String capture) {}

package org.sluice.core.segment;

/**
 * The rules by which a client decides whether bytes go through the buffer.
 *
 * @param threshold bytes from which on a write goes direct, at least 0
 * @param policy {@link HeaderDescriptor#POLICY_FIXED} or {@link HeaderDescriptor#POLICY_AUTO}
 * @param whenFull {@link HeaderDescriptor#WHEN_FULL_WAIT} or {@link
 *     HeaderDescriptor#WHEN_FULL_DIRECT}
 * @param small bytes that a small file has at most; 0 for none
 */
public record WriteRules(long threshold, int policy, int whenFull, long small) {}

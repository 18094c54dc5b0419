package org.sluice.iop.measure;

/**
 * How long a checkpoint took.
 *
 * @param number the checkpoint's number
 * @param images how many images it has
 * @param bytes the sum of their sizes
 * @param returnSeconds how long the slowest process had its images open
 * @param durableSeconds from the first opening until it was committed
 */
public record CommitTimes(
    long number, int images, long bytes, double returnSeconds, double durableSeconds) {}

package org.sluice.core.store.model;

/**
 * The attributes of an image, wherever its bytes are.
 *
 * @param path its path below the capture directory, or its name; relative, without {@code ..}
 * @param rank the rank that wrote it, -1 when unknown
 * @param ranks ranks of the job, 0 when unknown
 * @param mode permissions the restored file gets
 * @param imageId its id in the records of the chunks
 */
public record ImageAttributes(String path, int rank, int ranks, int mode, long size, int imageId) {}

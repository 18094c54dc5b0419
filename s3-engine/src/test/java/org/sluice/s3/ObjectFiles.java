package org.sluice.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.sluice.s3.ObjectServer.Refusal;

/** Objects that are files, in a directory for each bucket. A directory without objects goes. */
final class ObjectFiles {
  private static final int PAGE = 1000;
  private static final String DRAFTS = ".drafts";

  private final Path directory;
  private final Path drafts;

  ObjectFiles(final Path directory) throws IOException {
    this.directory = directory;
    this.drafts = Files.createDirectories(directory.resolve(DRAFTS));
  }

  /** Some keys of a bucket; the last one where there are more. */
  record Page(List<String> keys, List<String> folders, String next) {}

  void createBucket(final String bucket) throws IOException {
    Files.createDirectories(directory.resolve(bucket));
  }

  void checkBucket(final String bucket) throws Refusal {
    if (!Files.isDirectory(directory.resolve(bucket))) {
      throw new Refusal(404, "NoSuchBucket");
    }
  }

  private Path file(final String bucket, final String key) {
    return directory.resolve(bucket).resolve(key);
  }

  /** Nobody sees a part of it. False where it was to be absent and is there. */
  boolean put(
      final String bucket, final String key, final InputStream content, final boolean absent)
      throws IOException {
    final Path draft = drafts.resolve(UUID.randomUUID().toString());
    try {
      Files.copy(content, draft);
      return publish(draft, file(bucket, key), absent);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private synchronized boolean publish(final Path draft, final Path file, final boolean absent)
      throws IOException {
    Files.createDirectories(file.getParent());
    if (!absent) {
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      return true;
    }
    try {
      Files.createLink(file, draft);
      return true;
    } catch (final FileAlreadyExistsException e) {
      return false;
    }
  }

  FileChannel open(final String bucket, final String key) throws IOException {
    return FileChannel.open(file(bucket, key));
  }

  synchronized void delete(final String bucket, final String key) throws IOException {
    final Path top = directory.resolve(bucket);
    Path path = file(bucket, key);
    Files.deleteIfExists(path);
    try {
      for (path = path.getParent(); !path.equals(top); path = path.getParent()) {
        Files.deleteIfExists(path);
      }
    } catch (final DirectoryNotEmptyException e) {
      return; // others are left there
    }
  }

  Page list(final String bucket, final String prefix, final String delimiter, final String after)
      throws IOException {
    final TreeSet<String> keys = new TreeSet<>();
    final TreeSet<String> folders = new TreeSet<>();
    for (final String key : keys(bucket)) {
      if (key.startsWith(prefix) && key.compareTo(after) > 0) {
        final int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
        (end < 0 ? keys : folders).add(end < 0 ? key : key.substring(0, end + 1));
      }
    }
    final List<String> page = keys.stream().limit(PAGE).toList();
    return new Page(page, List.copyOf(folders), page.size() < keys.size() ? page.getLast() : null);
  }

  private synchronized List<String> keys(final String bucket) throws IOException {
    final Path top = directory.resolve(bucket);
    try (Stream<Path> all = Files.walk(top)) {
      return all.filter(Files::isRegularFile).map(each -> top.relativize(each).toString()).toList();
    }
  }

  String beginUpload() throws IOException {
    final String id = UUID.randomUUID().toString();
    Files.createDirectory(drafts.resolve(id));
    return id;
  }

  private Path upload(final String id) throws Refusal {
    final Path upload = drafts.resolve(id);
    if (!Files.isDirectory(upload)) {
      throw new Refusal(404, "NoSuchUpload");
    }
    return upload;
  }

  void putPart(final String id, final int number, final InputStream content) throws IOException {
    Files.copy(
        content, upload(id).resolve("%05d".formatted(number)), StandardCopyOption.REPLACE_EXISTING);
  }

  /** All parts that came are taken, in order. */
  void completeUpload(final String id, final String bucket, final String key) throws IOException {
    final Path whole = drafts.resolve(id + ".whole");
    try (OutputStream to = Files.newOutputStream(whole)) {
      for (final Path part : parts(id)) {
        Files.copy(part, to);
      }
    }
    publish(whole, file(bucket, key), false);
    abortUpload(id);
  }

  private List<Path> parts(final String id) throws IOException {
    try (Stream<Path> all = Files.list(upload(id))) {
      return all.sorted().toList();
    }
  }

  void abortUpload(final String id) throws IOException {
    for (final Path part : parts(id)) {
      Files.delete(part);
    }
    Files.delete(upload(id));
  }
}

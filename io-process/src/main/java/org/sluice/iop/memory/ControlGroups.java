package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The control groups, of version 1 or 2, that this process is in, with all above them. A process in
 * no group has no limits.
 */
public final class ControlGroups {
  /**
   * The limit, in bytes, from which on version 1 means that there is none: the largest number of
   * pages.
   */
  private static final long UNLIMITED = Long.MAX_VALUE >> 16;

  private final List<String> memberships;
  private final List<String> mounts;

  /**
   * A limit of memory.
   *
   * @param most the limit in bytes
   * @param left bytes that can still be had; cached file data count as free, as the kernel can drop
   *     them
   */
  public record Memory(Path group, long most, long left) {}

  /**
   * A limit of processors.
   *
   * @param most number of processors, as a share of processor time
   */
  public record Processors(Path group, double most) {}

  private ControlGroups(final List<String> memberships, final List<String> mounts) {
    this.memberships = memberships;
    this.mounts = mounts;
  }

  /** Returns the groups of this process, whose limits are read at each call. */
  public static ControlGroups own() throws IOException {
    return of(Path.of("/proc/self/cgroup"), Path.of("/proc/self/mountinfo"));
  }

  /** Returns the groups that files as in {@code /proc/PID} tell. */
  static ControlGroups of(final Path memberships, final Path mounts) throws IOException {
    return new ControlGroups(
        Files.exists(memberships) ? Files.readAllLines(memberships) : List.of(),
        Files.readAllLines(mounts, StandardCharsets.ISO_8859_1));
  }

  /**
   * Tells whether all limits of memory of another process are this process's, too. False when that
   * cannot be known.
   */
  public static boolean countMemoryHere(final int pid) {
    final Path proc = Path.of("/proc");
    return countMemory(
        proc.resolve("self/cgroup"),
        proc.resolve(Integer.toString(pid)).resolve("cgroup"),
        proc.resolve("self/mountinfo"));
  }

  /** Tells the same by files as in {@code /proc/PID}. */
  static boolean countMemory(final Path own, final Path other, final Path mounts) {
    try {
      final List<String> here = Files.exists(own) ? Files.readAllLines(own) : List.of();
      final List<String> there = Files.exists(other) ? Files.readAllLines(other) : List.of();
      return here.equals(there)
          || new ControlGroups(there, Files.readAllLines(mounts, StandardCharsets.ISO_8859_1))
              .hasNoLimitBeside(of(own, mounts));
    } catch (final IOException goneOrAnothersUser) {
      return false;
    }
  }

  private boolean hasNoLimitBeside(final ControlGroups others) throws IOException {
    final List<Path> first = groups("memory", "cgroup");
    final List<Path> groups = first.isEmpty() ? groups("", "cgroup2") : first;
    return !groups.isEmpty()
        && Files.isDirectory(groups.get(0))
        // A group that cannot be seen from here is looked for in the topmost one's place.
        && memberships.stream().anyMatch(each -> each.endsWith("/" + groups.get(0).getFileName()))
        && others.limited().containsAll(limited());
  }

  private List<Path> limited() throws IOException {
    return limits().stream().map(Memory::group).toList();
  }

  /** Returns the limit of memory that is reached first. */
  public Optional<Memory> memory() throws IOException {
    return limits().stream().min(Comparator.comparingLong(Memory::left));
  }

  private List<Memory> limits() throws IOException {
    final List<Memory> limits = new ArrayList<>();
    for (final Path group : groups("", "cgroup2")) {
      final long cached = stat(group, "file") - stat(group, "shmem");
      add(limits, group, "memory.max", "memory.current", cached);
    }
    for (final Path group : groups("memory", "cgroup")) {
      final long cached = stat(group, "total_cache") - stat(group, "total_shmem");
      add(limits, group, "memory.limit_in_bytes", "memory.usage_in_bytes", cached);
    }
    return limits;
  }

  private static void add(
      final List<Memory> limits,
      final Path group,
      final String limit,
      final String usage,
      final long cached)
      throws IOException {
    final long most = number(text(group, limit));
    if (most >= 0 && most < UNLIMITED) {
      final long used = Math.max(0, number(text(group, usage))) - cached;
      limits.add(new Memory(group, most, Math.max(0, most - Math.max(0, used))));
    }
  }

  private static long stat(final Path group, final String name) throws IOException {
    return text(group, "memory.stat")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> number(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Returns the narrowest limit of processors. */
  public Optional<Processors> processors() throws IOException {
    final List<Processors> limits = new ArrayList<>();
    for (final Path group : groups("", "cgroup2")) {
      final String[] words = text(group, "cpu.max").split(" ");
      if (words.length == 2 && number(words[0]) > 0) {
        limits.add(new Processors(group, (double) number(words[0]) / number(words[1])));
      }
    }
    for (final Path group : groups("cpu", "cgroup")) {
      final long quota = number(text(group, "cpu.cfs_quota_us"));
      final long period = number(text(group, "cpu.cfs_period_us"));
      if (quota > 0 && period > 0) {
        limits.add(new Processors(group, (double) quota / period));
      }
    }
    return limits.stream().min(Comparator.comparingDouble(Processors::most));
  }

  /**
   * Returns the directories of the group that has a controller, and of all visible groups above it.
   */
  private List<Path> groups(final String controller, final String type) {
    final List<Path> groups = new ArrayList<>();
    for (final String membership : memberships) { // NUMBER:CONTROLLER[,CONTROLLER]...:PATH
      final String[] parts = membership.split(":", 3);
      if (Arrays.asList(parts[1].split(",")).contains(controller)) {
        mounts.forEach(mount -> addAll(groups, mount, controller, type, Path.of(parts[2])));
      }
    }
    return groups;
  }

  private static void addAll(
      final List<Path> groups,
      final String mount,
      final String controller,
      final String type,
      final Path group) {
    // ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [TAG]... - TYPE SOURCE OPTIONS
    final String[] sides = mount.split(" - ", 2);
    final String[] mounted = sides[1].split(" ");
    final boolean has =
        controller.isEmpty() || Arrays.asList(mounted[2].split(",")).contains(controller);
    if (!mounted[0].equals(type) || !has) {
      return;
    }
    final Path root = Path.of(sides[0].split(" ")[3]);
    final Path place = Path.of(sides[0].split(" ")[4]);
    // A container may see its own group as the root, and still read its path on the node.
    final Path below = group.startsWith(root) ? root.relativize(group) : Path.of("");
    for (Path each = place.resolve(below).normalize();
        each != null && each.startsWith(place);
        each = each.getParent()) {
      groups.add(each);
    }
  }

  /** Returns the text of a file, empty when there is none, as in the topmost group. */
  private static String text(final Path group, final String file) throws IOException {
    final Path path = group.resolve(file);
    return Files.exists(path) ? Files.readString(path).strip() : "";
  }

  /** Returns the number; -1 for none, and for {@code max}. */
  private static long number(final String text) {
    return text.matches("\\d{1,19}") ? Long.parseLong(text) : -1;
  }
}

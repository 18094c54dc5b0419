package org.sluice.profile.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** Texts of other tools, their lines as the tools print them. */
class TextTraceTest {
  @TempDir private Path directory;
  private final List<Write> writes = new ArrayList<>();

  @Test
  void readsStraceOutput() throws IOException {
    final Omissions omissions =
        read(
            "strace output",
            """
            100   1700000000.000001 openat(AT_FDCWD</d>, "/d/a", O_WRONLY|O_CREAT, 0777) = 3</d/a> <0.000093>
            100   1700000000.000100 write(3</d/a>, "a) = 7 <b\\"c, "..., 50) = 50 <0.000086>
            100   1700000000.000200 pwrite64(3</d/a>, "cc"..., 100, 8192) = 100 <0.000012>
            100   1700000000.000300 writev(3</d/a>, [{iov_base="xx", iov_len=2}, {iov_base="yyy", iov_len=3}], 2) = 5 <0.000009>
            100   1700000000.000400 lseek(3</d/a>, 7, SEEK_SET) = 7 <0.000007>
            100   1700000000.000500 write(3</d/a>, "qq", 2) = 2 <0.000008>
            100   1700000000.000600 write(3</d/a>, "no", 2) = -1 ENOSPC (No space left on device) <0.000008>
            100   1700000000.000700 write(1<pipe:[1634287]>, "hi", 2) = 2 <0.000008>
            100   1700000000.000800 write(5</dev/pts/3<char 136:3>>, "hi", 2) = 2 <0.000008>
            100   1700000000.000900 +++ exited with 0 +++
            """);
    assertThat(writes).extracting(Write::offset).containsExactly(0L, 8192L, 50L, 7L);
    assertThat(writes).extracting(Write::size).containsExactly(50L, 100L, 5L, 2L);
    assertThat(writes)
        .extracting(Write::call)
        .containsExactly(Call.WRITE, Call.PWRITE, Call.WRITEV, Call.WRITE);
    assertThat(writes).extracting(Write::file).containsOnly("/d/a");
    assertThat(writes.getFirst().time().begin()).isEqualTo(1_700_000_000_000_100_000L);
    assertThat(writes.getFirst().time().duration()).isEqualTo(86_000);
    assertThat(omissions.skipped()).isZero();
  }

  @Test
  void readsNamesOfAnyBytes() throws IOException {
    read(
        "strace output",
        """
        100   1700000000.000100 write(3</d/\\303\\251\\377\\t\\\\x\\3>, "hi", 2) = 2 <0.000001>
        100   1700000000.000200 write(4</d/\u00e9>, "hi", 2) = 2 <0.000001>
        100   1700000000.000300 openat(AT_FDCWD, "/d/\\xe9\\"", O_WRONLY) = 5 <0.000001>
        100   1700000000.000400 write(5, "hi", 2) = 2 <0.000001>
        """);
    assertThat(writes)
        .extracting(Write::file)
        .containsExactly("/d/\u00e9\udcff\t\\x\u0003", "/d/\u00e9", "/d/\udce9\"");
  }

  @Test
  void joinsCallsThatAreInterrupted() throws IOException {
    read(
        "strace output",
        """
        100   1700000000.000100 write(3</d/a>, "hi", 2 <unfinished ...>
        101   1700000000.000150 write(4</d/b>, "hello", 5) = 5 <0.000001>
        100   1700000000.000200 <... write resumed>) = 2 <0.000100>
        100   1700000000.000300 write(3</d/a>, "hi", 2) = 2 <0.000100>
        """);
    assertThat(writes).extracting(Write::file).containsExactly("/d/b", "/d/a", "/d/a");
    assertThat(writes).extracting(Write::offset).containsExactly(0L, 0L, 2L);
    assertThat(writes.get(1).time().begin()).isEqualTo(1_700_000_000_000_100_000L);
  }

  @Test
  void numbersRanksByPidAndCountsThreadsToTheirProcess() throws IOException {
    read(
        "strace output",
        """
        90    1700000000.000000 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 201 <0.0002>
        90    1700000000.000001 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 200 <0.0002>
        201   1700000000.000100 write(3</d/b>, "hi", 2) = 2 <0.000001>
        200   1700000000.000200 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7f} => {parent_tid=[300]}, 88) = 300 <0.00006>
        300   1700000000.000300 write(3</d/a>, "hi", 2) = 2 <0.000001>
        """);
    assertThat(writes)
        .extracting(Write::origin)
        .containsExactly(new TracedProcess("node", 201, 1), new TracedProcess("node", 200, 0));
  }

  @Test
  void knowsFilesByTheirOpeningWherePathsAreMissing() throws IOException {
    read(
        "strace output",
        """
        100   1700000000.000001 openat(AT_FDCWD, "/d/a", O_WRONLY|O_CREAT|O_APPEND, 0777) = 3 <0.000093>
        100   1700000000.000002 dup2(3, 7) = 7 <0.000003>
        100   1700000000.000003 fork() = 101 <0.000003>
        100   1700000000.000100 write(3, "hi", 2) = 2
        101   1700000000.000200 write(7, "hi", 2) = 2
        100   1700000000.000300 close(3) = 0
        100   1700000000.000400 write(3, "hi", 2) = 2
        100   1700000000.000500 write(1, "hi", 2) = 2
        """);
    assertThat(writes)
        .extracting(Write::file)
        .containsExactly("/d/a", "/d/a", "/descriptor 3 of process 100");
    assertThat(writes).extracting(Write::offset).containsExactly(0L, 2L, 0L);
  }

  @Test
  void countsWrongAndCutLinesAndShowsTheFirst() throws IOException {
    final Omissions omissions =
        read(
            "strace output",
            """
            strace: Process 101 attached
            [pid   101] 1700000000.000100 write(3</d/a>, "hi", 2) = 2 <0.000001>
            output of the program itself
            [pid   101] 1700000000.000200 write(3</d/a>, "h
            [pid   101] 1700000000.000300 write(3</d/a>, "hi", 2) = 99999999999999999999 <0.000001>
            [pid   101] 1700000000.000400 <... write resumed>) = 2 <0.000001>
            [pid   101] 1700000000.000500 write(3</d/a>, "hi", 2 <unfinished ...>
            """);
    assertThat(writes).hasSize(1);
    assertThat(omissions.skipped()).isEqualTo(5);
    assertThat(omissions.first()).hasSize(3).startsWith("line 3: output of the program itself");
  }

  private static final String DARSHAN_HEADER =
      """
      # darshan log version: 3.41
      # compression method: ZLIB
      # exe: ./app
      # start_time: 1700000000
      # nprocs: 2
      # run time: 1.0000
      # DXT_POSIX module: 120 bytes (compressed), ver=1
      """;

  @Test
  void readsDxtText() throws IOException {
    final Omissions omissions =
        read(
            "Darshan DXT text",
            DARSHAN_HEADER
                + """

                # ***************************************************
                # DXT_POSIX module data
                # ***************************************************

                # DXT, file_id: 9457796068806373448, file_name: /scratch/ckpt 0
                # DXT, rank: 0, hostname: nid0001
                # DXT, write_count: 2, read_count: 1
                # DXT, mnt_pt: /scratch, fs_type: lustre
                # Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   [OST]  Pthread-ID
                 X_POSIX       0  write        0               0         1048576      0.0105      0.0121   [2] [3]   4711
                 X_POSIX       0  write        1         1048576              40      0.0121      0.0121   N/A
                 X_POSIX       0   read        0               0         1048576      0.5105      0.5121   N/A

                # DXT, file_id: 9457796068806373449, file_name: /scratch/ckpt 1
                # DXT, rank: 1, hostname: nid0002
                 X_POSIX       1  write        0            4096
                 X_MPIIO       1  write        0               0         1048576      0.0105      0.0121   N/A
                """);
    assertThat(writes).hasSize(2);
    assertThat(writes.getFirst().origin()).isEqualTo(new TracedProcess("nid0001", 0, 0));
    assertThat(writes.getFirst().file()).isEqualTo("/scratch/ckpt 0");
    assertThat(writes.getFirst().time().begin()).isEqualTo(1_700_000_000_010_500_000L);
    assertThat(writes.getFirst().time().duration()).isEqualTo(1_600_000);
    assertThat(writes.getLast().offset()).isEqualTo(1 << 20);
    assertThat(writes.getLast().size()).isEqualTo(40);
    assertThat(omissions.skipped()).isOne();
    assertThat(omissions.notes()).hasSize(2).last().asString().startsWith("1 writes of MPI-IO");
  }

  @Test
  void doesNotOpenDarshanCounters() throws IOException {
    final Path file =
        Files.writeString(
            directory.resolve("text"), DARSHAN_HEADER + "#<module>\t<rank>\nPOSIX\t0\t1\n");
    assertThat(TextTrace.open(file)).isEmpty();
  }

  private Omissions read(final String kind, final String text) throws IOException {
    final Path file = Files.writeString(directory.resolve("text"), text);
    final Trace trace = TextTrace.open(file).orElseThrow();
    assertThat(trace.kind()).isEqualTo(kind);
    return trace.read(writes::add);
  }
}

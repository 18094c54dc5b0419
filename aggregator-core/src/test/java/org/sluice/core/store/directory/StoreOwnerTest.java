package org.sluice.core.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;

class StoreOwnerTest {
  private static final NodeIdentity B17 = new NodeIdentity("b17", "m17", "boot1");
  private static final NodeIdentity B18 = new NodeIdentity("b18", "m18", "boot2");

  @TempDir private Path directory;

  /** A file system without hard links. */
  private static final class Unlinking extends Disk {
    @Override
    public void link(final NativeFile file, final Path name) throws PosixException {
      throw new PosixException("link " + name, Errno.EPERM);
    }
  }

  private StoreOwner on(final NodeIdentity node) throws IOException {
    return on(node, true, Disk.REAL);
  }

  private StoreOwner on(final NodeIdentity node, final boolean shared, final Disk disk)
      throws IOException {
    return new StoreOwner(StoreDirectory.create(directory.resolve("store"), disk), node, shared);
  }

  @Test
  void belongsToTheNodeThatClaimedIt() throws Exception {
    on(B17).check();
    assertThat(on(B17).find()).isEmpty();
    on(B17).claim();
    on(B17).claim();
    assertThatThrownBy(() -> on(B18).check())
        .isInstanceOf(OtherNodeException.class)
        .hasMessageContainingAll(
            "is written by node b17;", "store-b18", "or delete ", "store/node once");
    assertThatThrownBy(() -> on(B18).claim()).isInstanceOf(OtherNodeException.class);
    assertThat(on(B18).find()).contains(B17);
  }

  @Test
  void belongsToAnotherNodeOnceItsMarkIsDeleted() throws Exception {
    on(B17).claim();
    Files.delete(directory.resolve("store/node"));
    on(B18).claim();
    assertThatThrownBy(() -> on(B17).check()).hasMessageContaining("is written by node b18;");
  }

  @Test
  void staysTheNodesOwnWhenThatIsBootedOrRenamed() throws Exception {
    on(B17).claim();
    final NodeIdentity booted = new NodeIdentity("b17", "m17", "boot3");
    on(booted).claim();
    assertThat(on(B17).find()).contains(booted);
    final NodeIdentity container = new NodeIdentity("f00", "", "boot3");
    on(container).check();
    on(container).claim();
    on(booted).claim();
  }

  /** A cloned node has the machine id of the other, and many a node is called localhost. */
  @Test
  void isNotAnotherNodesThatHasOnlyTheNameOrTheMachine() throws Exception {
    on(B17).claim();
    final NodeIdentity clone = new NodeIdentity("b18", "m17", "boot2");
    assertThatThrownBy(() -> on(clone).claim()).hasMessageContaining("node b17");
    final NodeIdentity namesake = new NodeIdentity("b17", "m18", "boot2");
    assertThatThrownBy(() -> on(namesake).claim())
        .hasMessageContaining("another node that is called b17, too");
  }

  @Test
  void comesAlongOnStorageThatOneNodeAloneCanMount() throws Exception {
    on(B17).claim();
    on(B18, false, Disk.REAL).check();
    on(B18, false, Disk.REAL).claim();
    assertThat(on(B18).find()).contains(B18);
  }

  @Test
  void isClaimedByOneOfNodesThatClaimItAtOnce() throws Exception {
    try (ExecutorService nodes = Executors.newFixedThreadPool(4)) {
      for (int round = 0; round < 50; round++) {
        on(B17);
        final List<Callable<Boolean>> claims =
            IntStream.range(0, 4).<Callable<Boolean>>mapToObj(n -> () -> claims("n" + n)).toList();
        int winners = 0;
        for (final Future<Boolean> claim : nodes.invokeAll(claims)) {
          winners += claim.get() ? 1 : 0;
        }
        assertThat(winners).isEqualTo(1);
        Files.delete(directory.resolve("store/node"));
        assertThat(directory.resolve("store").toFile().list()).hasSize(4);
      }
    }
  }

  private boolean claims(final String node) throws IOException {
    try {
      on(new NodeIdentity(node, node, node)).claim();
      return true;
    } catch (final OtherNodeException lost) {
      return false;
    }
  }

  @Test
  void isClaimedOnAFileSystemWithoutLinks() throws Exception {
    on(B17, true, new Unlinking()).claim();
    assertThatThrownBy(() -> on(B18, true, new Unlinking()).claim())
        .isInstanceOf(OtherNodeException.class);
  }

  @Test
  void aMarkThatMakesNoSenseIsDamage() throws Exception {
    on(B17);
    final Path mark = directory.resolve("store/node");
    for (final String text : List.of("", "nonsense", "{}", "{\"node\":1,\"machine\":\"\"}")) {
      Files.writeString(mark, text);
      assertThatThrownBy(() -> on(B17).claim()).isInstanceOf(DamagedException.class);
    }
  }
}

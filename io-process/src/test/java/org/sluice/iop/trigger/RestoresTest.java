package org.sluice.iop.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

class RestoresTest {
  private final Restores restores = new Restores(null, (paths, then) -> {});
  private final List<Restores.Restore> started = new ArrayList<>();
  private final List<String> answered = new ArrayList<>();

  private void ask(final long checkpoint, final String directory, final String who) {
    restores.ask(
        new Request.Restore(checkpoint, directory), reply -> answered.add(who), started::add);
  }

  @Test
  void allWhoAskedBeforeItBeganAreAnsweredByOneRestore() {
    ask(7, "/a", "first");
    ask(7, "/a", "second");
    ask(7, "/b", "elsewhere");
    ask(8, "/a", "another");
    assertThat(started).hasSize(3);

    started.getFirst().answer(new Reply.Done());
    assertThat(answered).containsExactly("first", "second");
  }

  @Test
  void whoAsksBehindAnAnswerGetsOneOfHisOwn() {
    ask(7, "/a", "first");
    started.getFirst().answer(new Reply.Failed(Errno.EIO, "it is poison"));
    ask(7, "/a", "second");
    assertThat(started).hasSize(2);

    started.getLast().answer(new Reply.Done());
    assertThat(answered).containsExactly("first", "second");
  }
}

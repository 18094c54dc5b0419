package org.sluice.core.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoomCostsTest {
  @Test
  void favoursTheWayThatTheCClientFavours() throws IOException {
    final RoomCosts costs = new RoomCosts();
    final List<String> rows =
        Files.readAllLines(Path.of("src/test/resources/golden/room-costs.csv"));
    for (final String row : rows.subList(1, rows.size())) {
      final String[] fields = row.split(",");
      final long nanos = Long.parseLong(fields[1]);
      final long bytes = Long.parseLong(fields[2]);
      if (fields[0].equals("wait")) {
        costs.addWait(nanos, bytes);
      } else {
        costs.addDirect(nanos, bytes);
      }
      assertThat(costs.favourWait()).as(row).isEqualTo(Boolean.parseBoolean(fields[3]));
    }
  }
}

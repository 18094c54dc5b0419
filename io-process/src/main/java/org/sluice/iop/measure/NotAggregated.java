package org.sluice.iop.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.core.segment.Reason;

/**
 * What did not go through the buffer for one reason.
 *
 * @param reason why
 * @param bytes what processes counted as they wrote it
 * @param estimatedBytes what is in files besides, at most: blocks that nobody counted
 * @param files files that are no images; 0 for a reason that is about images
 */
record NotAggregated(Reason reason, long bytes, long estimatedBytes, long files) {
  boolean isNothing() {
    return bytes == 0 && estimatedBytes == 0 && files == 0;
  }

  long most() {
    return bytes + estimatedBytes;
  }

  Map<String, Object> map() {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("reason", reason.key());
    map.put("text", reason.text());
    map.put("bytes", bytes);
    map.put("estimated_bytes", estimatedBytes);
    map.put("files", files);
    return map;
  }
}

package org.sluice.iop.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.core.segment.Reason;

/**
 * The bytes that did not go through the buffer for one reason.
 *
 * @param bytes bytes that processes counted as they wrote them
 * @param estimatedBytes upper bound of further bytes in files: blocks that no process counted
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

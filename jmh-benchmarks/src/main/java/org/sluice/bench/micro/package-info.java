/** JMH benchmarks of the parts that a checkpoint's bytes pass through, one part per class. */
package org.sluice.bench.micro;

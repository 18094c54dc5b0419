/** Charts of what was measured. */
package org.sluice.bench.plot;

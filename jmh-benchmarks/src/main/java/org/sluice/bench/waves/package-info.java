/** What programs of MPI take under waves, drawn. */
package org.sluice.bench.waves;

/** Chunks and the records in them: what processes write and what lies in containers. */
package org.sluice.core.chunk;

/** The pipeline that takes chunks and requests, in order, from shared memory to storage. */
package org.sluice.iop.drain;

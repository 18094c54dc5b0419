/**
 * The pipeline that takes chunks and requests, in order, from shared memory to storage. The service
 * thread feeds it; its stages are validate, write and commit. A field belongs to one stage, and
 * hands its value to the next stage with the work in the ring.
 */
package org.sluice.iop.drain;

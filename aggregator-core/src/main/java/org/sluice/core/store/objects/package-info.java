/**
 * Storage that all nodes of a job see and that outlives each of them: immutable objects under keys.
 * The project needs no more of such storage than {@link org.sluice.core.store.objects.Engine}.
 */
package org.sluice.core.store.objects;

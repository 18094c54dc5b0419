/**
 * Storage that all nodes of a job see and that outlives each of them: immutable objects under keys.
 * What the project needs of such storage is {@link org.sluice.core.store.objects.Engine}, and no
 * more.
 */
package org.sluice.core.store.objects;

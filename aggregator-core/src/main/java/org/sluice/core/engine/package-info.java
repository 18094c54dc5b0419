/**
 * Storage that all nodes of a job see and that outlives each of them: immutable objects under keys.
 * What the project needs of such storage is {@link org.sluice.core.engine.Engine}, and no more.
 */
package org.sluice.core.engine;

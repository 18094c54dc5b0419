/** The Java side of the native client: where its libraries are. */
package org.sluice.bridge;

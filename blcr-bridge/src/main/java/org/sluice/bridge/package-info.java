/** The Java side of the native client: where its files are, and the help of {@code sluice exec}. */
package org.sluice.bridge;

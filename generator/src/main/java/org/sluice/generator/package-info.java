/**
 * Writes what C and the documentation say after Java: the layout of the formats and the options of
 * the commands. No command needs it; {@code scripts/generate} runs it, and a test holds what is
 * there against it.
 */
package org.sluice.generator;

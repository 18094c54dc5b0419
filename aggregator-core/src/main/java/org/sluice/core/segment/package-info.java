/** The shared-memory segment: one final descriptor class per structure, and what maps them. */
package org.sluice.core.segment;

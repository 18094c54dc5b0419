/** The places of a series' parts, in directories or in objects, and their readers. */
package org.sluice.core.store.parts;

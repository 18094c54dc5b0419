/** Where the parts of a series lie, in directories or in objects, and how they are read there. */
package org.sluice.core.store.parts;

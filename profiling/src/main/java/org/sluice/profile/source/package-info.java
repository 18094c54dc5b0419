/** The sources of the writes that a command looks at. Used by one thread. */
package org.sluice.profile.source;

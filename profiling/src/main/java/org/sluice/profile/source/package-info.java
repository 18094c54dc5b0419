/** Where the writes that a command looks at come from. Used by one thread. */
package org.sluice.profile.source;

/** The choice of a threshold and a buffer for a pattern of writes on this node. */
package org.sluice.profile.tune;

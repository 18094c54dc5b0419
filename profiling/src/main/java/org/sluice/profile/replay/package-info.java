/** The writes of a trace made once more, on any path and setting. */
package org.sluice.profile.replay;

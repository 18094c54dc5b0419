/** The replay of a trace's writes, by any way and with any settings. */
package org.sluice.profile.replay;

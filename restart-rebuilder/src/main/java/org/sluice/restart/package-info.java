/** Restart: lists, verifies and restores what is committed. */
package org.sluice.restart;

/** The contract every process shares. */
package org.sluice.core;

/** The published write patterns, generated. */
package org.sluice.profile.workload;

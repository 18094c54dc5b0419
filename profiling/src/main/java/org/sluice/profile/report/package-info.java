/** The reports on a program's writes in a trace: the figures, and their pictures. */
package org.sluice.profile.report;

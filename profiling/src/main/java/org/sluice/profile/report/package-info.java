/** What a trace says about a program: the figures, and their pictures. */
package org.sluice.profile.report;

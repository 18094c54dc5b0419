/** What other tools print about a program's writes, read as traces. */
package org.sluice.profile.text;

/** Readers of other tools' output about a program's writes. */
package org.sluice.profile.text;

/** System calls Java has no words for, through the Foreign Function and Memory API. */
package org.sluice.core.posix;

/** The functions of the C library, and the errors that they give. */
package org.sluice.core.libc;

/** The coordinator's part of C3. Nothing here does any I/O. */
package org.sluice.iop.wave.protocol.c3;

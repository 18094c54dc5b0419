/** The coordinator's part of Pcl. Nothing here does any I/O. */
package org.sluice.iop.wave.protocol.pcl;

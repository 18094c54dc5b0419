/** Files and directories that several nodes write. */
package org.sluice.iop.shared;

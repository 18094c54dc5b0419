/** The checks of a node, a store's place and a capture directory, made by trying. */
package org.sluice.iop.check;

/** What a node, a store's place and a capture directory offer to Sluice, found by trying. */
package org.sluice.iop.check;

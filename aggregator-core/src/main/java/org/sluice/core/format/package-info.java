/** What binary formats are described with; the descriptors stand beside the code they are for. */
package org.sluice.core.format;

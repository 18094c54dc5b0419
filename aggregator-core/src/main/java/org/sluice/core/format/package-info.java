/** The description of binary formats; the descriptors stand beside the code they are for. */
package org.sluice.core.format;

/**
 * How files become groups: the patterns of their paths, which files a rank writes, and when a group
 * is looked at again.
 */
package org.sluice.iop.group;

/**
 * The places where a commit counts: on one node, in a series of many, or in a bucket to which it is
 * copied.
 */
package org.sluice.iop.publish;

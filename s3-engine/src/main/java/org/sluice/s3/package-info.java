/** Buckets of S3 and of what speaks its protocol as storage that nodes share. */
package org.sluice.s3;

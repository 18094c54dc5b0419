/** Storage that nodes share: buckets of S3, and of servers with its protocol. */
package org.sluice.s3;

/**
 * The writes that a program makes: recorded, imported, reported, compared, replayed and tuned for.
 * The commands run on the main thread, and change nothing of an I/O process.
 */
package org.sluice.profile;

/** Which writes a program makes: recorded, imported, reported, compared, replayed and tuned for. */
package org.sluice.profile;

/** The one thread that serves sockets and rings and feeds the drain. */
package org.sluice.iop.service;

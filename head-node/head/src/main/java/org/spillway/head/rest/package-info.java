/** The REST API on a UNIX socket. */
@NullMarked
package org.spillway.head.rest;

import org.jspecify.annotations.NullMarked;

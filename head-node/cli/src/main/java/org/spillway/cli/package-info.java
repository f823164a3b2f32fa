/** The command line; it speaks the REST API. */
@NullMarked
package org.spillway.cli;

import org.jspecify.annotations.NullMarked;

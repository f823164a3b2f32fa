/** Records, states and readers that head and client speak over the REST API. */
@NullMarked
package org.spillway.api;

import org.jspecify.annotations.NullMarked;

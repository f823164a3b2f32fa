/** The head as one running thing: what REST asks of it, and how its parts are put together. */
@NullMarked
package org.spillway.head.service;

import org.jspecify.annotations.NullMarked;

/** Fair shares in what the head can serve at once: connections, requests and their bytes, by whose they are. */
@NullMarked
package org.spillway.head.serving;

import org.jspecify.annotations.NullMarked;

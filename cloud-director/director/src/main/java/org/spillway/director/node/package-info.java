/** The program of a compute node: POSIX shell, carried by user data. */
@NullMarked
package org.spillway.director.node;

import org.jspecify.annotations.NullMarked;

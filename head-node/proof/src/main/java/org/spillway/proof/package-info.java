/** Commands that show what Spillway does, and are not needed to serve. */
@NullMarked
package org.spillway.proof;

import org.jspecify.annotations.NullMarked;

@NullMarked
package org.spillway.director.directory;

import org.jspecify.annotations.NullMarked;

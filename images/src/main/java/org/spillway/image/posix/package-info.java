/** Files as the kernel has them: names of bytes, devices, and all extended attributes, which the JDK's own files lack. */
@NullMarked
package org.spillway.image.posix;

import org.jspecify.annotations.NullMarked;

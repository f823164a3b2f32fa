/** Whether sites can be used: the drivers' own checks and the head's, in parallel and bounded. Changes nothing. */
@NullMarked
package org.spillway.head.doctor;

import org.jspecify.annotations.NullMarked;

/** What a driver and its provider said to each other, without secrets, for those who cannot ask that provider. */
@NullMarked
package org.spillway.cloud.transcript;

import org.jspecify.annotations.NullMarked;

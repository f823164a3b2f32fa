/** Transcripts: the words of a driver and its provider, without secrets, for those who cannot ask that provider. */
@NullMarked
package org.spillway.cloud.transcript;

import org.jspecify.annotations.NullMarked;

/** Objects of buckets that speak S3, and what their owners' own files say of them. JDK classes only. */
@NullMarked
package org.spillway.stage.bucket;

import org.jspecify.annotations.NullMarked;

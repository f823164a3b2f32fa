/** The driver {@code aws}: EC2 through the AWS SDK. No type of the SDK leaves this package, and no client is loaded before a call. */
@NullMarked
package org.spillway.cloud.aws;

import org.jspecify.annotations.NullMarked;

/**
 * The local cloud as EC2: the Query protocol of 2016-11-15 for the calls that the driver {@code aws} makes, with
 * GetCallerIdentity of STS and GetProducts of the price list. No provider's SDK is needed to speak it.
 */
@NullMarked
package org.spillway.localcloud.ec2;

import org.jspecify.annotations.NullMarked;

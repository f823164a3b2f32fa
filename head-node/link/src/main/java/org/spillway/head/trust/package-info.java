/**
 * The keys of the cluster: certificate authority, tokens, SSH keys, and the user data that carries the first of them.
 * Everything secret lives in one folder of the state directory, in files that only the head's user can read.
 */
@NullMarked
package org.spillway.head.trust;

import org.jspecify.annotations.NullMarked;

/** Users and groups: an LDAP store that serves nodes, and content synchronisation (RFC 4533) into and out of it. */
@NullMarked
package org.spillway.director.directory;

import org.jspecify.annotations.NullMarked;

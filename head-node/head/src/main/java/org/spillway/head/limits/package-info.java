/** What queues, users, accounts, sites and licences may have, what they have, and what they have had. Pure. */
@NullMarked
package org.spillway.head.limits;

import org.jspecify.annotations.NullMarked;

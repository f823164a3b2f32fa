/** Limits of queues, users, accounts, sites and licences, their use now, and their use before. Pure. */
@NullMarked
package org.spillway.head.limits;

import org.jspecify.annotations.NullMarked;

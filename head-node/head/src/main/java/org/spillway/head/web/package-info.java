/**
 * The web page: read only, on a loopback address, for who holds the token. Everything that it shows comes from
 * {@link org.spillway.head.rest.HeadApi}; every text of a user is escaped by the template engine.
 */
@NullMarked
package org.spillway.head.web;

import org.jspecify.annotations.NullMarked;

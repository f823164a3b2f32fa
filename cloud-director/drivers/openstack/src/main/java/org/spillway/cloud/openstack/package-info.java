/**
 * OpenStack: Keystone v3, Nova, Neutron, Glance and Cinder, through OpenStack4j's requests, token and catalogue.
 *
 * <p>Its typed clients are not used: they read an answer that is missing as an empty list, and a listing that failed
 * must never look like "no servers".
 */
@NullMarked
package org.spillway.cloud.openstack;

import org.jspecify.annotations.NullMarked;

/**
 * The local cloud as an OpenStack: Keystone v3 with a catalogue that points back here, and the parts of Nova, Neutron,
 * Glance and Cinder that the driver asks, in their wire formats.
 */
@NullMarked
package org.spillway.localcloud.nova;

import org.jspecify.annotations.NullMarked;

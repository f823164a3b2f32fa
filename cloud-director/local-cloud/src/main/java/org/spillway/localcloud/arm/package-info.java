/**
 * Azure Resource Manager as far as our driver calls it, over TLS: its JSON, its operations, its errors, on the machines of
 * a local-cloud. What only it knows (interfaces, disks, networks, groups) is in its own folder.
 */
@NullMarked
package org.spillway.localcloud.arm;

import org.jspecify.annotations.NullMarked;

package org.spillway.head.planted;

import org.spillway.cloud.local.LocalDriver;

/** A planted violation. */
public interface Provider {
    LocalDriver known();
}

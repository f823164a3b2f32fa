package org.spillway.cloud.planted;

import org.spillway.director.planted.CloudyDirector;

/** Planted: the cloud side of the wall. */
public final class DirectedCloud {
    public Class<?> sees() {
        return CloudyDirector.class;
    }
}

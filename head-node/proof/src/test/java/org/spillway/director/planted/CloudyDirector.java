package org.spillway.director.planted;

import org.spillway.cloud.planted.DirectedCloud;

/** Planted: the director's side of the wall. */
public final class CloudyDirector {
    public DirectedCloud sees() {
        return new DirectedCloud();
    }
}

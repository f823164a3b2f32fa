package org.spillway.localcloud.planted;

import org.spillway.director.WireJson;

/** A planted violation. */
public interface DrivenCloud {
    WireJson known();
}

package org.spillway.api.planted;

import org.spillway.cli.Table;

/** A planted violation. */
public interface ServingApi {
    Table known();
}

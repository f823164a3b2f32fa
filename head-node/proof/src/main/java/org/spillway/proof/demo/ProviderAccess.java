package org.spillway.proof.demo;

import java.io.IOException;
import java.util.List;

/** A way to what a site's provider has, other than through the head. */
interface ProviderAccess {
    String site();

    /** All that it has, and for a while what has ended. */
    List<LocalCloudAccess.Machine> machines() throws IOException;
}

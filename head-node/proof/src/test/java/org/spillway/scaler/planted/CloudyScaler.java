package org.spillway.scaler.planted;

import org.spillway.cloud.planted.DirectedCloud;
import org.spillway.head.service.HeadProcess;

/** Planted: a scaler that sees the cloud and the head. */
public final class CloudyScaler {
    private CloudyScaler() {}

    public static Object sees() {
        return new Object[] {new DirectedCloud(), HeadProcess.class};
    }
}

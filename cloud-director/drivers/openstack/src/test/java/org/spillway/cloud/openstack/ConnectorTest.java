package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openstack4j.core.transport.internal.HttpExecutor;

final class ConnectorTest {
    /** With another connector on the class path, OpenStack4j takes whichever it finds first. */
    @Test
    void openStack4jSendsByItAndNothingElse() {
        assertThat(HttpExecutor.create().getExecutorName()).isEqualTo("Spillway");
    }
}

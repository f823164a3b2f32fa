package org.spillway.head.ondemand.broker;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudDriverSample;

/** Duties in which a broker may lose something; all of the contract through it is in {@link DelegatedDriverContractTest}. */
final class DelegatedDriverTest extends CloudDriverSample {
    DelegatedDriverTest() {
        super(new DelegatedDriverContractTest());
    }

    @BeforeAll
    static void start(@TempDir Path place) throws Exception {
        DelegatedDriverContractTest.start(place);
    }

    @AfterAll
    static void end() throws Exception {
        DelegatedDriverContractTest.end();
    }
}

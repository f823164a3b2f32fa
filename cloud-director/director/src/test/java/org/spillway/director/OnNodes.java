package org.spillway.director;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A director and instances of its own for each test; all of them end with it. */
abstract class OnNodes {
    @TempDir
    Path folder;

    TestNodes nodes;
    TestSite site;

    @BeforeEach
    void start() throws Exception {
        nodes = new TestNodes(folder);
        site = nodes.site;
    }

    @AfterEach
    void stop() {
        nodes.close();
    }
}

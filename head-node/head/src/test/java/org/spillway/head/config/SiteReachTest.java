package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Reach;

/** Files at home that jobs of a site may read without having named them. */
final class SiteReachTest extends ConfigScene {
    private static String with(String nodes) {
        return SMALL.replace("maxNodes: 4\n", "maxNodes: 4\n    nodes: " + nodes + "\n");
    }

    private Optional<Reach> reach(String nodes) throws Exception {
        return read(with(nodes)).sites().get("east").reach();
    }

    @Test
    void homesAreWithinReachOfRentedMachinesUnlessTheSiteSaysOtherwise() throws Exception {
        assertThat(reach("{ home: copy }")).isEmpty();
        assertThat(reach("{ image: x }")).contains(new Reach(List.of()));
        assertThat(reach("{ image: x }\n    home: true")).isEmpty();
        assertThat(reach("{ reach: [/proj] }")).contains(new Reach(List.of("/proj")));
        assertThat(reach("{ home: reach }")).contains(new Reach(List.of()));
        assertThat(reach("{ home: reach, reach: [/proj/data, /scratch] }"))
                .contains(new Reach(List.of("/proj/data", "/scratch")));
    }

    @Test
    void whatCannotBeIsRefusedWithItsLine() throws Exception {
        for (String path : List.of("/usr/share", "/", "/tmp", "proj", "/proj/../etc", "'/a b'", "/home")) {
            assertThat(mistakes(with("{ home: reach, reach: [" + path + "] }")))
                    .as(path)
                    .singleElement()
                    .asString()
                    .contains("spillway.yaml:10", "reach", "no folder of the system");
        }
        assertThat(mistakes(with("{ home: copy, reach: [/proj] }")))
                .singleElement()
                .asString()
                .contains("found beside home: copy; allowed: with home: reach");
        assertThat(mistakes(with("{ home: shared }")))
                .singleElement()
                .asString()
                .contains("copy", "reach");
    }
}

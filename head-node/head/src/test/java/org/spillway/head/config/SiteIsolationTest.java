package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.director.wire.Isolation;

/** A trial on this very machine runs in a container, too, that lets nobody mount: for root as well. */
final class SiteIsolationTest extends ConfigScene {
    private static final class OfThisMachine implements CloudDriver {
        @Override
        public String name() {
            return "local";
        }

        @Override
        public Site open(SiteSettings settings) {
            return new FakeDriver().open(settings);
        }

        @Override
        public boolean isOfThisMachine() {
            return true;
        }
    }

    @Test
    void nodesMadeOfThisMachineAreKeptApartAsFarAsItCan() throws Exception {
        Installed here = new Installed(Map.of("local", new OfThisMachine()), INSTALLED.policies(), Map.of());
        HeadConfig config =
                ConfigReader.read(Files.writeString(directory.resolve("spillway.yaml"), ConfigReaderTest.SMALL), here);
        assertThat(config.sites().get("east").isolation()).isEqualTo(Isolation.PREFERRED);
        assertThat(config.sites().get("east").reach()).isEmpty();
    }
}

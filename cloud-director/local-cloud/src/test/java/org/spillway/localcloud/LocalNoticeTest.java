package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.localcloud.LocalCloudProcess.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spot instances are told before they are taken, on their own disk; others never are. */
final class LocalNoticeTest {
    @TempDir
    private Path directory;

    private LocalCloudProcess cloud;

    @BeforeEach
    void start() throws Exception {
        cloud = LocalCloudProcess.start(directory, "types:\n  - {name: small, bootSeconds: 0}\n");
    }

    @AfterEach
    void end() throws Exception {
        cloud.close();
    }

    @Test
    void aSpotInstanceIsToldBeforeItIsTaken() throws Exception {
        Map<String, Object> body = LocalCloudProcess.launchBody("token-of-a-spot", "#!/bin/sh\necho up\n");
        String steady = launched(body);
        body = LocalCloudProcess.launchBody("token-of-another-spot", "#!/bin/sh\necho up\n");
        body.put("market", "SPOT");
        String spot = launched(body);
        for (String id : List.of(steady, spot)) {
            await(() -> cloud.instance(id), each -> each.path("state").asText().equals("RUNNING"));
        }
        Path disk = cloud.state().resolve("instances").resolve(spot);
        assertThat(disk.resolve("spot")).exists();
        assertThat(disk.resolveSibling(steady).resolve("spot")).doesNotExist();
        cloud.fault(Map.of("kind", "spot-notice", "form", "rebalance", "seconds", 0));
        await(() -> notice(disk), said -> said.matches("rebalance [0-9]+\n"));
        assertThat(cloud.call("POST", "/admin/notice", Map.of("id", steady, "seconds", 1))
                        .statusCode())
                .isEqualTo(404);
        cloud.fault(Map.of("kind", "spot-notice", "seconds", 3));
        String told = await(() -> notice(disk), said -> said.startsWith("reclaim "));
        assertThat(cloud.instance(spot).path("state").asText()).isEqualTo("RUNNING");
        await(() -> cloud.instance(spot), each -> each.path("state").asText().equals("TERMINATED"));
        assertThat(System.currentTimeMillis() / 1000)
                .isGreaterThanOrEqualTo(Long.parseLong(told.strip().split(" ", 2)[1]));
        assertThat(cloud.instance(steady).path("state").asText()).isEqualTo("RUNNING");
    }

    private String launched(Map<String, Object> body) throws Exception {
        return cloud.json("POST", "/v1/launch", body)
                .path("instances")
                .path(0)
                .path("id")
                .asText();
    }

    private static String notice(Path disk) throws IOException {
        Path file = disk.resolve("notice");
        return Files.exists(file) ? Files.readString(file) : "";
    }
}

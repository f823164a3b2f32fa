package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.bucket.AwsKeys;
import org.spillway.stage.bucket.SignedUrl;
import org.spillway.stage.pull.Gate;
import org.spillway.stage.pull.Networks;
import org.spillway.stage.pull.Pauses;
import org.spillway.stage.pull.PullBook;
import org.spillway.stage.pull.PullFault;
import org.spillway.stage.pull.PullItem;
import org.spillway.stage.pull.Pulled;
import org.spillway.stage.pull.Puller;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Reach;
import org.spillway.stage.worker.UserFiles.Ticket;

/** Buckets of a server that nobody here wrote: s3proxy, whose jars lie in the folder that the variable names. */
@EnabledIfEnvironmentVariable(named = "SPILLWAY_LAB_S3", matches = "/.+")
@Timeout(300)
final class BucketTest {
    private static final Reach REACH = new Reach(List.of("127.0.0.0/8"), "", true, 5000);
    private static final byte[] LARGE = noise(20_000_000);

    @TempDir
    static Path folder;

    private static int port;
    private static Process server;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static byte[] noise(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(bytes).nextBytes(noise);
        return noise;
    }

    private static AwsKeys keys() {
        return new AwsKeys("AKIDLAB", "SECRETLAB", "", "us-east-1", "http://127.0.0.1:" + port);
    }

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path settings = folder.resolve("s3proxy.conf");
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.writeString(settings, """
                s3proxy.authorization=aws-v4
                s3proxy.endpoint=http://127.0.0.1:%d
                s3proxy.identity=AKIDLAB
                s3proxy.credential=SECRETLAB
                jclouds.provider=filesystem-nio2
                jclouds.filesystem.basedir=%s
                jclouds.identity=none
                jclouds.credential=none
                """.formatted(port, data));
        server = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        System.getenv("SPILLWAY_LAB_S3") + "/*",
                        "org.gaul.s3proxy.Main",
                        "--properties",
                        settings.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("s3proxy.log").toFile())
                .start();
        put("data", "", new byte[0]);
        put("data", "set/a b+ü.bin", noise(1000));
        put("data", "set/deep/large.bin", LARGE);
        put("data", "set/empty", new byte[0]);
        put("data", "settings", noise(7));
        for (int i = 0; i < 1100; i++) {
            put("data", "many/" + i, noise(1 + i % 5));
        }
    }

    @AfterAll
    static void end() throws InterruptedException {
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    private static void put(String bucket, String key, byte[] bytes) throws IOException, InterruptedException {
        URI uri = SignedUrl.of(keys(), "PUT", bucket, key, Map.of(), Instant.now(), Duration.ofHours(1));
        HttpRequest request = HttpRequest.newBuilder(uri)
                .PUT(BodyPublishers.ofByteArray(bytes))
                .build();
        while (true) {
            try {
                assertThat(HTTP.send(request, BodyHandlers.ofString()).statusCode())
                        .as(key)
                        .isEqualTo(200);
                return;
            } catch (ConnectException notYet) {
                assertThat(server.isAlive()).isTrue();
                Thread.sleep(100);
            }
        }
    }

    /** @param secret of the user's profile */
    private static DistantFiles user(String secret) throws IOException {
        Path home = Files.createTempDirectory(folder, "home");
        Path aws = Files.createDirectories(home.resolve(".aws"));
        Files.writeString(
                aws.resolve("credentials"),
                "[lab]\naws_access_key_id = AKIDLAB\naws_secret_access_key = " + secret + "\n");
        Files.setPosixFilePermissions(aws.resolve("credentials"), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(aws.resolve("config"), "[profile lab]\nendpoint_url = http://127.0.0.1:" + port + "\n");
        return new DistantFiles(home, Identity.ownUid(), new WorkerFiles.Sink() {
            @Override
            public void data(byte[] bytes, int length) {}

            @Override
            public void working() {}
        });
    }

    private static Pulled pull(Path root, Ticket ticket) throws IOException, InterruptedException {
        Files.createDirectories(root.resolve("users/7"));
        PieceIntake intake = new PieceIntake(root, new PieceStore(root, InstantSource.system()), 7);
        Gate gate = new Gate(Networks.of(REACH.networks()), address -> false, "");
        var ways = new Puller.Ways(gate, new Pauses(), InstantSource.system());
        var bounds = new Puller.Bounds(() -> Long.MAX_VALUE, () -> Long.MAX_VALUE, moved -> {});
        try (Puller puller = new Puller(ways, intake, PullBook.open(root.resolve("users/7/pulled")), bounds)) {
            return puller.pull(new PullItem(ticket.url(), ticket.authorization(), ticket.key(), ""));
        }
    }

    @Test
    void aPrefixIsListedAndPulled() throws IOException, InterruptedException {
        DistantFiles user = user("SECRETLAB");
        List<Distant> found = user.find("s3://lab@data/set/", REACH);
        assertThat(found)
                .extracting(Distant::name, Distant::bytes)
                .containsExactlyInAnyOrder(
                        tuple("set/a b+ü.bin", 1000L),
                        tuple("set/deep/large.bin", 20_000_000L),
                        tuple("set/empty", 0L));
        List<Ticket> tickets = user.tickets(found);
        Path root = folder.resolve("store");
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < tickets.size(); i++) {
            Pulled.Came came = (Pulled.Came) pull(root, tickets.get(i));
            bytes.add(came.bytes());
            if (found.get(i).name().endsWith(".bin") && came.bytes() == 1000) {
                assertThat(came.pieces())
                        .containsExactly(Digest.of(Sha256.digest().digest(noise(1000))));
            }
            assertThat(came.kept()).isFalse();
            // Another signature, the same place.
            Ticket later = user("SECRETLAB").tickets(List.of(found.get(i))).getFirst();
            assertThat(((Pulled.Came) pull(root, later)).kept())
                    .as(found.get(i).name())
                    .isTrue();
        }
        assertThat(bytes).containsExactlyInAnyOrder(1000L, 20_000_000L, 0L);
    }

    @Test
    void aListingHasPages() throws IOException {
        assertThat(user("SECRETLAB").find("s3://lab@data/many/", REACH)).hasSize(1100);
        assertThat(user("SECRETLAB").find("s3://lab@data", REACH)).hasSize(1104);
    }

    @Test
    void anObjectHasASize() throws IOException {
        assertThat(user("SECRETLAB").find("s3://lab@data/settings", REACH))
                .containsExactly(new Distant("s3://lab@data/settings", "settings", 7, ""));
    }

    @Test
    void whatCannotBeHadIsSaid() throws IOException, InterruptedException {
        DistantFiles user = user("SECRETLAB");
        assertThatThrownBy(() -> user.find("s3://lab@data/absent", REACH)).hasMessageContaining("no such file (404)");
        assertThatThrownBy(() -> user.find("s3://lab@data/none/", REACH)).hasMessageContaining("there is nothing");
        DistantFiles stranger = user("ANOTHER");
        assertThatThrownBy(() -> stranger.find("s3://lab@data/set/", REACH))
                .hasMessageContaining("refuses it (403)")
                .hasMessageNotContaining("ANOTHER");
        Distant one = new Distant("s3://lab@data/settings", "settings", 7, "");
        assertThat(pull(
                        folder.resolve("refused"),
                        stranger.tickets(List.of(one)).getFirst()))
                .isEqualTo(new Pulled.Failed(PullFault.REFUSED, "403"));
    }
}

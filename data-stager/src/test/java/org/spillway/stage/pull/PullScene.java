package org.spillway.stage.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.Pieces;

/** A region's store, and odd servers that it pulls from. */
abstract class PullScene {
    static final int UID = 1000;

    @TempDir
    Path temporary;

    static OddServer.Identity identity;
    Path root;
    final List<Duration> slept = new ArrayList<>();
    final AtomicLong moved = new AtomicLong();
    long mostBytes = 1L << 40;
    long freeBytes = 1L << 40;
    List<String> networks = List.of("127.0.0.0/8");
    Predicate<InetSocketAddress> own = address -> false;
    Gate.Names names = InetAddress::getAllByName;
    boolean trusts = true;
    Pauses pauses = new Pauses();
    /** Moves on when somebody sleeps. */
    Instant now = Instant.parse("2026-03-01T12:00:00Z");

    @BeforeAll
    static void certify(@TempDir Path folder) throws IOException {
        identity = OddServer.Identity.make(folder);
    }

    @BeforeEach
    void make() throws IOException {
        root = Files.createDirectories(temporary.resolve("store"));
        Files.createDirectories(root.resolve("users/" + UID));
    }

    static byte[] noise(int bytes, long seed) {
        byte[] noise = new byte[bytes];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }

    static String key(String url) {
        return sha256(url.getBytes(StandardCharsets.UTF_8));
    }

    /** With a memory of its own, as after a kill; what is on disk is what an earlier one has left there. */
    Pulled pull(String url, String authorization, String sha256) throws IOException, InterruptedException {
        PieceIntake intake = new PieceIntake(root, new PieceStore(root, InstantSource.system()), UID);
        PullBook book = PullBook.open(root.resolve("users/" + UID + "/pulled"));
        Gate gate =
                new Gate(Networks.of(networks), own, trusts ? identity.pem() : "", names, HttpLine.Patience.OF_A_COPY);
        var ways = new Puller.Ways(gate, pauses, () -> now, pause -> {
            slept.add(pause);
            now = now.plus(pause);
        });
        var bounds = new Puller.Bounds(() -> mostBytes, () -> freeBytes, moved::addAndGet);
        try (Puller puller = new Puller(ways, intake, book, bounds)) {
            return puller.pull(new PullItem(url, authorization, key(url), sha256));
        }
    }

    Pulled pull(String url) throws IOException, InterruptedException {
        return pull(url, "", "");
    }

    Pulled.Failed fails(String url) throws IOException, InterruptedException {
        Pulled end = pull(url);
        assertThat(end).isInstanceOf(Pulled.Failed.class);
        return (Pulled.Failed) end;
    }

    /** The file is whole and right, by the bytes that lie in the packs. */
    Pulled.Came comes(Pulled end, byte[] file) throws IOException {
        assertThat(end).isInstanceOf(Pulled.Came.class);
        Pulled.Came came = (Pulled.Came) end;
        assertThat(came.bytes()).isEqualTo(file.length);
        PieceIntake intake = new PieceIntake(root, new PieceStore(root, InstantSource.system()), UID);
        assertThat(intake.has(came.bytes(), came.pieces())).isTrue();
        List<Digest> wanted = new ArrayList<>();
        for (int i = 0; i < Pieces.count(file.length); i++) {
            MessageDigest digest = Sha256.digest();
            digest.update(file, i * Pieces.BYTES, Pieces.length(file.length, i));
            wanted.add(Digest.of(digest.digest()));
        }
        assertThat(came.pieces()).isEqualTo(wanted);
        return came;
    }
}

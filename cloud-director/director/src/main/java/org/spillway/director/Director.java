package org.spillway.director;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Predicate;
import org.spillway.director.reach.HomeQuestions;
import org.spillway.director.reach.KeptBlocks;
import org.spillway.director.reach.LargeFiles;

/** A running director. Closing it loses nothing that the next one does not learn again. */
public final class Director implements AutoCloseable {
    /** Bytes of large files of homes: those that are read just now. */
    private static final long MOST_RECENT = 32L << 20;

    private final HttpFront front;
    private final IdentitySource identities;

    private Director(HttpFront front, IdentitySource identities) {
        this.front = front;
        this.identities = identities;
    }

    /** Starts to listen. Takes {@code identities} over and closes it at its own end. */
    public static Director start(DirectorConfig config, IdentitySource identities) throws IOException {
        InstantSource steady = steady();
        var staging = new StagingSpace(config.stateDirectory());
        var logs = new LogShelf();
        var said = new NodeLogShelf();
        var state = new SiteState(logs);
        var joins = new JoinDesk(state);
        var questions = new HomeQuestions(steady, HomeQuestions.PATIENCE);
        var blocks = new KeptBlocks(config.stateDirectory().resolve("reach"), staging::reachBytes);
        staging.onEviction(blocks::shrink);
        long inMemory = Math.min(MOST_RECENT, Runtime.getRuntime().maxMemory() / 8);
        var large = new LargeFiles(blocks, inMemory, Thread::startVirtualThread);
        var front = new HttpFront(
                new InetSocketAddress(config.listenAddress(), config.httpsPort()),
                SiteTls.context(config.serverKey(), config.serverCertificate(), config.siteCertificate()),
                config.headSubject(),
                new HeadSide(
                        config.site(),
                        state,
                        joins,
                        staging,
                        logs,
                        said,
                        identities,
                        new SignOfHead(config.stateDirectory()),
                        new PullDesk(staging, own(config), steady),
                        questions,
                        steady),
                new NodeSide(state, staging, logs, said, identities, questions, large, steady),
                joins,
                staging,
                steady);
        front.start();
        return new Director(front, identities);
    }

    /** The ports of this process: a privilege of whoever has its address and speaks TLS to it is nobody's to lend. */
    private static Predicate<InetSocketAddress> own(DirectorConfig config) {
        return asked -> {
            boolean port = asked.getPort() == config.httpsPort() || asked.getPort() == config.ldapsPort();
            return port
                    && (asked.getAddress().isLoopbackAddress()
                            || asked.getAddress().getHostAddress().equals(config.listenAddress()));
        };
    }

    public int httpsPort() {
        return front.port();
    }

    @Override
    public void close() {
        front.close();
        identities.close();
    }

    /** A clock that nobody sets: a lease must not grow longer because an administrator corrected the time. */
    private static InstantSource steady() {
        Instant origin = InstantSource.system().instant();
        long originNanos = System.nanoTime();
        return () -> origin.plus(Duration.ofNanos(System.nanoTime() - originNanos));
    }
}

package org.spillway.director;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** {@code DirectorMain --config FILE}: the process. It prints one line once it listens, and ends on SIGTERM. */
public final class DirectorMain {
    private DirectorMain() {}

    /** Ends with 2 when the configuration cannot be used, with 1 when an address is taken or the disk refuses. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 2 || !arguments[0].equals("--config")) {
            System.err.println("usage: spillway-director --config director.json");
            System.exit(2);
        }
        DirectorConfig config;
        try {
            config = DirectorConfig.load(Path.of(arguments[1]));
        } catch (IOException e) {
            System.err.println("spillway-director: " + e.getMessage());
            System.exit(2);
            return;
        }
        try {
            Director director = Director.start(config, SiteIdentities.start(config));
            Runtime.getRuntime().addShutdownHook(new Thread(director::close));
            System.out.println("listening on " + config.listenAddress() + ":" + director.httpsPort());
        } catch (IOException e) {
            System.err.println("spillway-director: " + e.getMessage());
            System.exit(1);
        }
        new CountDownLatch(1).await();
    }
}

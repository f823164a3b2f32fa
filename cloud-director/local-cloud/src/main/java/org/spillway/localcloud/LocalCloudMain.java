package org.spillway.localcloud;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;

/** {@code spillway local-cloud}: the provider that is this machine. */
public final class LocalCloudMain {
    private static final String USAGE = """
            Usage: spillway local-cloud --state DIR [--port P] [--config FILE] [--api API]
            A small cloud on this machine. It outlives the head; its instances outlive it.
              --state DIR    what it owns: instances, tokens, endpoint, token (made when missing)
              --port P       port on 127.0.0.1, or what the configuration's 'listen' says; 0, the default, takes any (see DIR/endpoint)
              --config FILE  zones, types, faults; without it a built-in catalogue
              --api API      wears another provider's API, ec2, arm or nova, in its wire format on --port; its own API
                             is then on any port. See DIR/api-endpoint, and DIR/requests.log for every request
              --strict-as-published
                             its front refuses all that the provider's documents call invalid
              --broken KIND[,KIND...]
                             its front's account is broken so, for a look with 'doctor': a wrong KIND is answered with those
                             that there are
            """;

    private LocalCloudMain() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /**
     * Serves until SIGTERM.
     *
     * @return 0 when ended, 1 if the machine does not let it, 2 if an argument, the configuration or the state is at
     *     fault; the reason stands on standard error
     */
    public static int run(String[] args) {
        return run(args, System.out, System.err);
    }

    private static int run(String[] args, PrintStream out, PrintStream err) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "org/spillway/localcloud/logback.xml");
        }
        // Else every answer on a kept connection waits 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        String state = "";
        String config = "";
        String api = "";
        boolean strict = false;
        Set<String> broken = Set.of();
        int port = 0;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--help")) {
                out.print(USAGE);
                return 0;
            }
            if (args[i].equals("--strict-as-published")) {
                strict = true;
                continue;
            }
            if (i + 1 == args.length) {
                return wrong(err, args[i] + ": unknown, or its value is missing");
            }
            String value = args[i + 1];
            switch (args[i++]) {
                case "--state" -> state = value;
                case "--config" -> config = value;
                case "--api" -> api = value;
                case "--broken" -> broken = new TreeSet<>(List.of(value.split(",", -1)));
                case "--port" -> {
                    if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > 65_535) {
                        return wrong(err, "--port: found '" + value + "'; allowed: 0 to 65535");
                    }
                    port = Integer.parseInt(value);
                }
                default -> {
                    return wrong(err, "unknown argument '" + args[i - 1] + "'");
                }
            }
        }
        if (state.isEmpty()) {
            return wrong(err, "--state is missing");
        }
        try {
            LocalCloudConfig catalogue =
                    config.isEmpty() ? LocalCloudConfig.builtIn() : ConfigFile.load(Path.of(config));
            Optional<ApiFront> front = front(api);
            if (!api.isEmpty() && front.isEmpty()) {
                return wrong(err, "--api: found '" + api + "'; allowed: ec2, arm, nova");
            }
            Manner manner;
            try {
                manner = new Manner(strict, front.map(ApiFront::brokenKinds).orElse(Set.of()), broken);
            } catch (IllegalArgumentException unknown) {
                return wrong(err, "--broken: " + unknown.getMessage());
            }
            return serve(Path.of(state), catalogue.with(manner), front, port, out, err);
        } catch (ConfigFile.Mistake mistake) {
            err.println(mistake.getMessage());
            return 2;
        }
    }

    private static Optional<ApiFront> front(String api) {
        for (ApiFront front : ServiceLoader.load(ApiFront.class)) {
            if (front.api().equals(api)) {
                return Optional.of(front);
            }
        }
        return Optional.empty();
    }

    private static int wrong(PrintStream err, String message) {
        err.println("local-cloud: " + message);
        err.print(USAGE);
        return 2;
    }

    private static int serve(
            Path given, LocalCloudConfig config, Optional<ApiFront> front, int port, PrintStream out, PrintStream err) {
        StateDirectory state;
        try {
            state = StateDirectory.open(given);
        } catch (IOException owned) {
            err.println("local-cloud: " + owned.getMessage());
            return 2;
        }
        try (state;
                Addresses addresses = Addresses.claim(config.network(), state.root())) {
            LocalCloud cloud = new LocalCloud(state, config, addresses, InstantSource.system());
            Path remembered = state.root().resolve("metadata-endpoint");
            try (MetadataServer metadata = MetadataServer.of(cloud, front.flatMap(ApiFront::metadata), remembered)) {
                if (metadata != null) {
                    cloud.metadata = metadata.endpoint();
                }
                cloud.adopt();
                listen(cloud, state, config, front, port, out);
            }
            return 0;
        } catch (IOException failed) {
            err.println("local-cloud: " + failed.getMessage());
            return 1;
        }
    }

    private static void listen(
            LocalCloud cloud,
            StateDirectory state,
            LocalCloudConfig config,
            Optional<ApiFront> front,
            int port,
            PrintStream out)
            throws IOException {
        RequestLog log = new RequestLog(state.root().resolve("requests.log"));
        try (HttpApi api = new HttpApi(cloud, state.token(), log, config.listen(), front.isPresent() ? 0 : port);
                FrontServer worn = front.isPresent() ? FrontServer.start(cloud, front.get(), log, port) : null) {
            Thread clock = Thread.ofVirtual().start(new CloudClock(cloud, state.root()));
            CountDownLatch closed = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                asked.countDown();
                awaitQuietly(closed);
            }));
            int listening = api.start();
            if (worn != null) {
                StateDirectory.write(state.root().resolve("api-endpoint"), worn.endpoint() + "\n");
                out.println("local-cloud: " + front.get().api() + " at " + worn.endpoint());
            }
            state.writeEndpoint(config.listen(), listening);
            out.println("local-cloud: " + config.listen() + ":" + listening + ", state " + state.root());
            awaitQuietly(asked);
            clock.interrupt();
            cloud.close();
            closed.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}

package org.spillway.proof.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A provider whose instances are the virtual machines of {@code labs/vm}. Options: {@code lab} (its scripts) and
 * {@code machines} (a directory, one below it for each machine).
 */
final class VmDriver implements CloudDriver {
    private static final Resources SMALL = new Resources(1, 768L << 20, 0, "", 1L << 30);

    @Override
    public String name() {
        return "vm-lab";
    }

    @Override
    public Site open(SiteSettings settings) {
        Machines machines = new Machines(settings);
        return new Site() {
            @Override
            public Compute compute() {
                return machines;
            }

            @Override
            public Diagnostics diagnostics() {
                return needs -> List.of();
            }

            @Override
            public void close() {}
        };
    }

    private static final class Machines implements Compute {
        private final SiteSettings settings;
        private final Path lab;
        private final Path folder;

        Machines(SiteSettings settings) {
            this.settings = settings;
            this.lab = Path.of(settings.options().getOrDefault("lab", ""));
            this.folder = Path.of(settings.options().getOrDefault("machines", ""));
        }

        @Override
        public List<Offering> offerings() {
            var id = new OfferingId(settings.site(), "here", "small", Market.ON_DEMAND);
            return List.of(Offering.of(id, SMALL, Money.parse("0.20")));
        }

        @Override
        public synchronized LaunchAnswer launch(LaunchRequest request) {
            List<Instance> made = new ArrayList<>();
            try {
                for (int i = 0; i < request.count(); i++) {
                    made.add(machine(request, "vm-" + request.token().substring(0, 12) + "-" + i));
                }
            } catch (IOException e) {
                return new LaunchAnswer(new LaunchOutcome.Unknown(String.valueOf(e.getMessage())), List.of());
            }
            return new LaunchAnswer(new LaunchOutcome.Launched(made.size()), made);
        }

        private Instance machine(LaunchRequest request, String id) throws IOException {
            Path home = folder.resolve(id);
            if (!Files.exists(home.resolve("record"))) {
                Files.createDirectories(
                        home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                Properties record = new Properties();
                request.tags().forEach((key, value) -> record.setProperty("tag." + key, value));
                record.setProperty("tag." + Instance.TAG_CLUSTER, settings.cluster());
                record.setProperty("tag." + Instance.TAG_SITE, settings.site());
                record.setProperty("tag." + Instance.TAG_INTENT, request.intent());
                record.setProperty("tag." + Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
                record.setProperty("address", freeAddress());
                record.setProperty("at", Instant.now().toString());
                Path data = Files.writeString(home.resolve("user-data"), request.userData());
                lab("start", home.toString(), id, id, record.getProperty("address"), data.toString());
                try (var out = Files.newOutputStream(home.resolve("record"))) {
                    record.store(out, null);
                }
            }
            return instance(home);
        }

        private String freeAddress() throws IOException {
            Set<String> taken = new HashSet<>();
            for (Path home : homes()) {
                taken.add(read(home).getProperty("address"));
            }
            for (int last = 10; last < 250; last++) {
                if (!taken.contains("10.77.7." + last)) {
                    return "10.77.7." + last;
                }
            }
            throw new IOException("no address is left");
        }

        @Override
        public synchronized void terminate(Collection<String> instanceIds) throws CloudException {
            try {
                for (String id : instanceIds) {
                    lab("wipe", folder.resolve(id).toString());
                }
            } catch (IOException e) {
                throw new CloudException(LaunchOutcome.Reason.THROTTLED, String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public synchronized List<Instance> list() throws CloudException {
            try {
                List<Instance> all = new ArrayList<>();
                for (Path home : homes()) {
                    all.add(instance(home));
                }
                return all;
            } catch (IOException e) {
                throw new CloudException(LaunchOutcome.Reason.THROTTLED, String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.empty();
        }

        @Override
        public Duration consistencyWindow() {
            return Duration.ofSeconds(2);
        }

        private List<Path> homes() throws IOException {
            Files.createDirectories(folder);
            try (Stream<Path> all = Files.list(folder)) {
                return all.filter(home -> Files.exists(home.resolve("record"))).toList();
            }
        }

        private Instance instance(Path home) throws IOException {
            Properties record = read(home);
            Map<String, String> tags = new HashMap<>();
            for (String key : record.stringPropertyNames()) {
                if (key.startsWith("tag.")) {
                    tags.put(key.substring(4), record.getProperty(key));
                }
            }
            return Instance.of(
                            home.getFileName().toString(),
                            new OfferingId(settings.site(), "here", "small", Market.ON_DEMAND),
                            isAlive(home) ? Instance.State.RUNNING : Instance.State.STOPPED,
                            Instant.parse(record.getProperty("at")),
                            tags)
                    .at(record.getProperty("address"), 22);
        }

        private static Properties read(Path home) throws IOException {
            Properties record = new Properties();
            try (var in = Files.newInputStream(home.resolve("record"))) {
                record.load(in);
            }
            return record;
        }

        private static boolean isAlive(Path home) throws IOException {
            Path pid = home.resolve("qemu.pid");
            return Files.exists(pid)
                    && Processes.commandLine(
                                    Long.parseLong(Files.readString(pid).split(" ", 2)[0]))
                            .contains(home.toString());
        }

        private void lab(String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(lab.resolve("vm.sh").toString()));
            command.addAll(List.of(arguments));
            VirtualMachinesTest.run(folder.resolveSibling("lab.log"), command);
        }
    }
}

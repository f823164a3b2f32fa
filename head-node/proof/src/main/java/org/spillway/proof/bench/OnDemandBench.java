package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Site;
import org.spillway.policy.Money;

/**
 * Clusters on demand: on the local cloud with instances that boot in 2 s, from the order to the first job's end and from
 * the deletion to nothing left; four at once; and how many calls to an emulated EC2 change something, for 4 nodes with a
 * job and for 1,000 without processes.
 */
final class OnDemandBench {
    private static final int NODES = 4;
    private static final int AT_ONCE = 4;
    private static final int LARGE = 1000;
    private static final double BOOT_SECONDS = 2;
    private static final int MOST_CALLS = 20;
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final double NANOS = 1e9;
    private static final String CATALOGUE = """
            zones: [a]
            types:
              - {name: small, cpus: 1, memoryGiB: 1, pricePerHour: 0.01, bootSeconds: 2, capacity: 100}
            """;
    private static final String HEAD = """
            cluster: bench
            state: ./state
            budget: { limit: 1000.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            breakers: { unproven: 0 }
            """;
    private static final String LOCAL = HEAD + """
            queues: { here: { sites: [here], default: true } }
            sites:
              here:
                driver: local
                maxNodes: 100
                director: { type: small }
                options: { state: ./cloud, config: ./cloud.yaml, consistencySeconds: '1' }
            """;

    private final Path launcher;

    OnDemandBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        HeadUnderTest.Preparation catalogue = state -> Files.writeString(state.resolveSibling("cloud.yaml"), CATALOGUE);
        try (var head = HeadUnderTest.start(launcher, LOCAL, catalogue)) {
            one(new Clusters(head.client(), "here"), figures);
            together(new Clusters(head.client(), "here"), figures);
        }
        try (EmulatedEc2 cloud = EmulatedEc2.start(launcher);
                var head = HeadUnderTest.start(launcher, onEc2(cloud), state -> {})) {
            Clusters clusters = new Clusters(head.client(), "ec2");
            calls(cloud, clusters, figures);
            large(cloud, clusters, figures);
        } catch (CloudException failed) {
            throw new IOException(failed.reason() + ": " + failed.getMessage(), failed);
        }
        return figures;
    }

    private static String onEc2(EmulatedEc2 cloud) throws IOException {
        var text = new StringBuilder(HEAD).append("""
                queues: { ec2: { sites: [ec2], default: true } }
                sites:
                  ec2:
                    driver: aws
                    maxNodes: 1100
                    director: { type: t3.micro }
                    prices: { t3.micro: 0.01, t3.nano: 0.001 }
                    options:
                """);
        new TreeMap<>(cloud.options())
                .forEach((key, value) -> text.append("      ")
                        .append(key)
                        .append(": '")
                        .append(value)
                        .append("'\n"));
        return text.toString();
    }

    private static void one(Clusters clusters, List<Figure> figures) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        clusters.create("one", NODES, "");
        ClusterView made = clusters.await("one", "RUNNING");
        double ready = since(begin);
        clusters.job("one");
        double job = since(begin);
        String how = "1 head and " + NODES + " nodes on the local cloud, booting in 2 s";
        figures.add(Figure.below(20, "onDemand.job", job, "s", how + ": from the order to the first job's end"));
        // Nodes are bought as soon as their head has an address, and boot while it is installed.
        figures.add(Figure.below(
                15, "onDemand.share", job - BOOT_SECONDS, "s", "the same without the boot of the head's machine"));
        figures.add(Figure.plain("onDemand.ready", ready, "s", "of which until it took jobs"));
        for (ClusterView.StageView stage : made.stages()) {
            figures.add(Figure.plain(
                    "onDemand.stage." + stage.stage(),
                    Duration.between(
                                            stage.begunAt(),
                                            Optional.ofNullable(stage.endedAt()).orElse(stage.begunAt()))
                                    .toNanos()
                            / NANOS,
                    "s",
                    "of which in this stage"));
        }
        begin = System.nanoTime();
        clusters.delete("one");
        figures.add(Figure.below(5, "onDemand.delete", since(begin), "s", "from its deletion to nothing left"));
    }

    private static void together(Clusters clusters, List<Figure> figures) throws IOException, InterruptedException {
        List<String> names =
                IntStream.rangeClosed(1, AT_ONCE).mapToObj(i -> "four" + i).toList();
        long begin = System.nanoTime();
        for (String name : names) {
            clusters.create(name, 1, "");
        }
        for (String name : names) {
            clusters.await(name, "RUNNING");
        }
        for (String name : names) {
            clusters.job(name);
        }
        double jobs = since(begin);
        begin = System.nanoTime();
        for (String name : names) {
            clusters.order(name);
        }
        for (String name : names) {
            clusters.await(name, "DELETED");
        }
        figures.add(Figure.plain(
                "onDemand.four", jobs, "s", AT_ONCE + " clusters of 1 head and 1 node at once, to a job of each"));
        figures.add(Figure.plain("onDemand.four.delete", since(begin), "s", "all of them deleted at once"));
    }

    private static void calls(EmulatedEc2 cloud, Clusters clusters, List<Figure> figures)
            throws IOException, InterruptedException {
        int before = cloud.changingCalls();
        clusters.create("calls", NODES, "t3.micro");
        clusters.await("calls", "RUNNING");
        clusters.job("calls");
        clusters.delete("calls");
        figures.add(Figure.below(
                MOST_CALLS + 1.0,
                "onDemand.calls",
                cloud.changingCalls() - before,
                "calls",
                "to an emulated EC2 that change something: 1 head and " + NODES + " nodes, a job, deleted"));
    }

    /** Instances without a process never join: what is counted is buying and removing them. */
    private static void large(EmulatedEc2 cloud, Clusters clusters, List<Figure> figures)
            throws IOException, InterruptedException, CloudException {
        int before = cloud.changingCalls();
        long begin = System.nanoTime();
        clusters.create("large", LARGE, EmulatedEc2.PAPER);
        try (Site guest = cloud.asGuest(clusters.get("large").id())) {
            EmulatedEc2.await(
                    "head and nodes are bought",
                    LIMIT,
                    () -> guest.compute().list().stream()
                                    .filter(instance -> instance.state().isLive())
                                    .count()
                            > LARGE);
            double bought = since(begin);
            begin = System.nanoTime();
            clusters.delete("large");
            double deleted = since(begin);
            String how = "the same for 1 head and " + LARGE + " nodes without processes, bought and deleted";
            figures.add(Figure.below(
                    MOST_CALLS + 1.0, "onDemand.calls.large", cloud.changingCalls() - before, "calls", how));
            figures.add(Figure.plain("onDemand.large", bought, "s", "of which until all were bought"));
            figures.add(Figure.plain("onDemand.large.delete", deleted, "s", "from the deletion to nothing left"));
        }
    }

    private static double since(long begin) {
        return (System.nanoTime() - begin) / NANOS;
    }

    /** A head's clusters in one site. */
    private record Clusters(HeadClient client, String site) {
        void create(String name, int nodes, String type) throws IOException, InterruptedException {
            var order = new ClusterOrder(name, site, nodes, 0, type, 3600, Money.parse("50"), List.of(), "", "", "");
            HeadUnderTest.await("what the site offers is known", LIMIT, () -> {
                try {
                    client.post("/clusters", order);
                    return true;
                } catch (CliFailure refused) {
                    if (String.valueOf(refused.getMessage()).contains("not known")) {
                        return false;
                    }
                    throw refused;
                }
            });
        }

        ClusterView get(String name) {
            return client.get("/clusters/" + name, ClusterView.class);
        }

        ClusterView await(String name, String state) throws IOException, InterruptedException {
            HeadUnderTest.await("cluster " + name + " is " + state, LIMIT, () -> {
                ClusterView now = get(name);
                return now.isOver() || now.state().equals(state);
            });
            ClusterView end = get(name);
            if (!end.state().equals(state)) {
                throw new IOException("cluster " + name + " is " + end.state() + ": " + end.failure() + end.reason()
                        + "\n" + end.log());
            }
            return end;
        }

        void job(String name) throws IOException, InterruptedException {
            var job = HeadUnderTest.job("#!/bin/sh\ntrue\n");
            String id = HeadClient.read(
                            client.post(
                                    "/clusters/" + name + "/head/jobs",
                                    UUID.randomUUID().toString(),
                                    job),
                            Submitted.class)
                    .id();
            String path = "/clusters/" + name + "/head/jobs/" + id;
            HeadUnderTest.await(
                    "a job of cluster " + name + " ends",
                    LIMIT,
                    () -> client.get(path, JobDetail.class).job().state().isTerminal());
            JobDetail end = client.get(path, JobDetail.class);
            if (end.job().state() != JobState.DONE) {
                throw new IOException(
                        "a job of cluster " + name + " ended as " + end.job().state());
            }
        }

        void order(String name) {
            client.post("/clusters/" + name + "/delete");
        }

        void delete(String name) throws IOException, InterruptedException {
            order(name);
            await(name, "DELETED");
        }
    }
}

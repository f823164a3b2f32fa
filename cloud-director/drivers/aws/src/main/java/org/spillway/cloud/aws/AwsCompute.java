package org.spillway.cloud.aws;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Offering;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.GetConsoleOutputRequest;
import software.amazon.awssdk.services.ec2.model.StartInstancesRequest;
import software.amazon.awssdk.services.ec2.model.StopInstancesRequest;
import software.amazon.awssdk.services.ec2.model.TerminateInstancesRequest;

/** The calls of an AWS site, each narrowed to its own instances. */
final class AwsCompute implements Compute, Power, Console {
    private static final int BATCH = 1000;
    private static final int MAX_CONSOLE = 64 * 1024;
    static final Pattern ID = Pattern.compile("i-[0-9a-f]{8,17}");
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsOfferings offerings;
    private final AwsLaunch launch;
    private final AwsListing listing;
    private final AwsLeftovers leftovers;
    private final InstantSource clock;
    /** Instances that this process has launched and a listing may not show yet, and when. */
    private final Map<String, Instant> recent = new ConcurrentHashMap<>();

    AwsCompute(
            AwsSettings settings,
            AwsClients clients,
            AwsOfferings offerings,
            AwsLaunch launch,
            AwsListing listing,
            AwsLeftovers leftovers,
            InstantSource clock) {
        this.settings = settings;
        this.clients = clients;
        this.offerings = offerings;
        this.launch = launch;
        this.listing = listing;
        this.leftovers = leftovers;
        this.clock = clock;
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        try {
            return offerings.ask(clock.instant()).offerings();
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("offerings", failed);
        } catch (IllegalArgumentException unreadable) {
            throw new CloudException(Reason.THROTTLED, "the answer cannot be read: " + unreadable.getMessage());
        }
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        LaunchAnswer answer = launch.launch(request);
        Instant now = clock.instant();
        recent.values().removeIf(at -> at.plus(settings.consistencyWindow()).isBefore(now));
        answer.instances().forEach(instance -> recent.put(instance.id(), now));
        return answer;
    }

    @Override
    public List<Instance> list() throws CloudException {
        try {
            var all = listing.all();
            List<Instance> instances = all.stream().map(listing::instance).toList();
            leftovers.tidy(all);
            return instances;
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("DescribeInstances", failed);
        } catch (IllegalArgumentException unreadable) {
            throw new CloudException(Reason.THROTTLED, "the listing cannot be read: " + unreadable.getMessage());
        }
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(new AwsLookup(listing));
    }

    @Override
    public Duration consistencyWindow() {
        return settings.consistencyWindow();
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        for (List<String> batch : batches("TerminateInstances", instanceIds)) {
            end(batch);
        }
    }

    /** Whatever its tags are: whose it is, the caller has looked up. Gone is success. */
    void end(String instanceId) throws CloudException {
        if (!ID.matcher(instanceId).matches()) {
            throw new CloudException(Reason.INVALID, "'" + AwsErrors.printable(instanceId) + "' is no instance");
        }
        end(List.of(instanceId));
    }

    private void end(List<String> batch) throws CloudException {
        call(
                "TerminateInstances",
                batch,
                ids -> clients.ec2()
                        .terminateInstances(TerminateInstancesRequest.builder()
                                .instanceIds(ids)
                                .build()));
    }

    @Override
    public void stop(Collection<String> instanceIds) throws CloudException {
        for (List<String> batch : batches("StopInstances", instanceIds)) {
            call(
                    "StopInstances",
                    batch,
                    ids -> clients.ec2()
                            .stopInstances(StopInstancesRequest.builder()
                                    .instanceIds(ids)
                                    .build()));
        }
    }

    @Override
    public void start(Collection<String> instanceIds) throws CloudException {
        for (List<String> batch : batches("StartInstances", instanceIds)) {
            call(
                    "StartInstances",
                    batch,
                    ids -> clients.ec2()
                            .startInstances(StartInstancesRequest.builder()
                                    .instanceIds(ids)
                                    .build()));
        }
    }

    /** Batches of the ids that bear this site's tags, or were launched by it just now. */
    private List<List<String>> batches(String call, Collection<String> instanceIds) throws CloudException {
        List<String> wanted = instanceIds.stream()
                .filter(id -> ID.matcher(id).matches())
                .distinct()
                .toList();
        if (instanceIds.isEmpty()) {
            return List.of();
        }
        Set<String> own;
        try {
            // Also for ids that cannot be EC2's: a provider that is away is never "gone".
            own = AwsListing.ids(listing.own(instanceIds));
        } catch (SdkException failed) {
            throw AwsErrors.ofCall(call, failed);
        }
        Instant now = clock.instant();
        List<String> ours = wanted.stream()
                .filter(id -> own.contains(id) || isRecent(id, now))
                .toList();
        List<List<String>> batches = new ArrayList<>();
        for (int from = 0; from < ours.size(); from += BATCH) {
            batches.add(ours.subList(from, Math.min(ours.size(), from + BATCH)));
        }
        return batches;
    }

    private boolean isRecent(String id, Instant now) {
        Instant at = recent.get(id);
        return at != null && at.plus(settings.consistencyWindow()).isAfter(now);
    }

    private interface Batch {
        void send(Collection<String> ids);
    }

    /** An id that is not there fails them all: it is taken out, and the others are asked for again. */
    private void call(String name, List<String> batch, Batch call) throws CloudException {
        Set<String> left = new LinkedHashSet<>(batch);
        Set<String> missing = new LinkedHashSet<>();
        for (int tries = 0; tries <= batch.size() && !left.isEmpty(); tries++) {
            try {
                call.send(left);
                break;
            } catch (SdkException failed) {
                Set<String> named = named(failed);
                if (!AwsErrors.code(failed).equals(AwsLookup.DENIED) || !left.removeAll(named)) {
                    throw AwsErrors.ofCall(name, failed);
                }
                missing.addAll(named);
            }
        }
        Instant now = clock.instant();
        missing.removeIf(id -> !isRecent(id, now));
        if (!missing.isEmpty()) {
            // Launched a moment ago: "not found" may mean "not yet".
            throw new CloudException(Reason.THROTTLED, name + ": EC2 does not know " + missing + " yet");
        }
    }

    /** The instances that EC2 names in its refusal. */
    static Set<String> named(SdkException failed) {
        Set<String> ids = new LinkedHashSet<>();
        Matcher matcher = ID.matcher(String.valueOf(failed.getMessage()));
        while (matcher.find()) {
            ids.add(matcher.group());
        }
        return ids;
    }

    @Override
    public String output(String instanceId) throws CloudException {
        if (!ID.matcher(instanceId).matches()) {
            throw new CloudException(Reason.INVALID, "'" + AwsErrors.printable(instanceId) + "' is no instance");
        }
        try {
            if (listing.own(List.of(instanceId)).isEmpty() && !isRecent(instanceId, clock.instant())) {
                throw new CloudException(Reason.INVALID, "this site has no instance " + instanceId);
            }
            String base64 = clients.ec2()
                    .getConsoleOutput(GetConsoleOutputRequest.builder()
                            .instanceId(instanceId)
                            .latest(true)
                            .build())
                    .output();
            byte[] text = base64 == null ? new byte[0] : Base64.getMimeDecoder().decode(base64);
            int from = Math.max(0, text.length - MAX_CONSOLE);
            return new String(Arrays.copyOfRange(text, from, text.length), StandardCharsets.UTF_8);
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("GetConsoleOutput", failed);
        } catch (IllegalArgumentException unreadable) {
            throw new CloudException(Reason.THROTTLED, "the console cannot be read: " + unreadable.getMessage());
        }
    }
}

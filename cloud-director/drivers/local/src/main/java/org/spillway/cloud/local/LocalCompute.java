package org.spillway.cloud.local;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** The calls of a local site, all of them narrowed to the tags of its cluster and site. */
final class LocalCompute implements Compute {
    private static final int MAX_PAGES = 1000;
    private final SiteSettings site;
    private final LocalApi api;
    private final Map<String, String> ownTags;

    LocalCompute(SiteSettings site, LocalApi api) {
        this.site = site;
        this.api = api;
        this.ownTags = Map.of(Instance.TAG_CLUSTER, site.cluster(), Instance.TAG_SITE, site.site());
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        JsonNode body = done(api.call("GET", "/v1/offerings", Map.of()));
        List<Offering> offerings = new ArrayList<>();
        try {
            for (JsonNode each : required(body, "offerings")) {
                Resources resources = new Resources(
                        each.path("cpus").asInt(),
                        each.path("memoryBytes").asLong(),
                        each.path("gpus").asInt(),
                        each.path("gpuModel").asText(),
                        each.path("localDiskBytes").asLong());
                Set<String> features = new HashSet<>();
                each.path("features").forEach(feature -> features.add(feature.asText()));
                offerings.add(
                        Offering.of(offeringId(each), resources, ownPrice(each).orElseGet(() -> price(each)))
                                .withFeatures(features)
                                .withGpuMemoryBytes(each.path("gpuMemoryBytes").asLong()));
            }
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
        return offerings;
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        // The provider's tokens are of the account: two clusters in it must not meet in one.
        String scope = UUID.nameUUIDFromBytes((site.cluster() + "\n" + site.site()).getBytes(StandardCharsets.UTF_8))
                .toString();
        return launch(request, request.token() + "-" + scope);
    }

    LaunchAnswer launch(LaunchRequest request, String token) {
        if (!request.offering().site().equals(site.site())) {
            return refused(Reason.INVALID, "offering " + request.offering() + " is not of site " + site.site());
        }
        if (request.offering().market() == Market.RESERVED
                || !request.placement().reservation().isEmpty()) {
            return refused(Reason.INVALID, "a local-cloud sells no reservations");
        }
        Map<String, String> tags = new HashMap<>(request.tags());
        tags.putAll(ownTags);
        tags.put(Instance.TAG_INTENT, request.intent());
        tags.put(Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
        Map<String, Object> body = Map.of(
                "token", token,
                "zone", request.offering().zone(),
                "type", request.offering().instanceType(),
                "market", request.offering().market().name(),
                "count", request.count(),
                "image", request.image(),
                "userData", request.userData(),
                "tags", tags,
                "fabricGroup", request.placement().fabricGroup(),
                "alternatives",
                        request.alternatives().stream()
                                .map(other -> Map.of("zone", other.zone(), "type", other.instanceType()))
                                .toList());
        return switch (api.call("POST", "/v1/launch", body)) {
            case LocalApi.Result.Refused no -> refused(no.reason(), no.message());
            // Nothing was sent, so nothing exists; "throttled" makes the caller come back later.
            case LocalApi.Result.Unsent unsent -> refused(Reason.THROTTLED, unsent.message());
            case LocalApi.Result.Unclear unclear -> unknown(unclear.message());
            case LocalApi.Result.Done done -> launched(request, done.body());
        };
    }

    private LaunchAnswer launched(LaunchRequest request, JsonNode answer) {
        try {
            List<Instance> instances = instances(answer);
            int count = instances.size();
            LaunchOutcome outcome = count == request.count() ? new LaunchOutcome.Launched(count) : less(count, answer);
            List<LaunchAnswer.Part> parts = new ArrayList<>();
            for (JsonNode part : answer.path("parts")) {
                OfferingId offering = new OfferingId(
                        site.site(),
                        part.path("zone").asText(),
                        part.path("type").asText(),
                        request.offering().market());
                int given = part.path("count").asInt();
                boolean all = part.path("reason").asText().isEmpty();
                parts.add(new LaunchAnswer.Part(offering, all ? new LaunchOutcome.Launched(given) : less(given, part)));
            }
            return new LaunchAnswer(outcome, instances, parts);
        } catch (IllegalArgumentException bad) {
            return unknown("the answer cannot be read: " + bad.getMessage());
        }
    }

    private static LaunchOutcome less(int count, JsonNode told) {
        Reason reason = Reason.valueOf(told.path("reason").asText());
        String message = told.path("message").asText();
        return count == 0
                ? new LaunchOutcome.Refused(reason, message)
                : new LaunchOutcome.Partial(count, reason, message);
    }

    private static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    private static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        forAll("/v1/terminate", instanceIds);
    }

    private void forAll(String path, Collection<String> instanceIds) throws CloudException {
        if (!instanceIds.isEmpty()) {
            JsonNode answer = done(api.call("POST", path, Map.of("ids", List.copyOf(instanceIds), "tags", ownTags)));
            if (!answer.isObject()) {
                throw new CloudException(Reason.THROTTLED, "the answer is no object");
            }
        }
    }

    @Override
    public List<Instance> list() throws CloudException {
        // A page may come twice.
        Map<String, Instance> all = new LinkedHashMap<>();
        for (JsonNode page : pages()) {
            try {
                instances(page).forEach(instance -> all.put(instance.id(), instance));
            } catch (IllegalArgumentException bad) {
                throw unreadable(bad);
            }
        }
        return List.copyOf(all.values());
    }

    private List<JsonNode> pages() throws CloudException {
        List<JsonNode> pages = new ArrayList<>();
        String after = "";
        do {
            if (pages.size() == MAX_PAGES) {
                throw new CloudException(Reason.THROTTLED, "the listing has more than " + MAX_PAGES + " pages");
            }
            JsonNode page = done(api.call("POST", "/v1/list", Map.of("tags", ownTags, "after", after)));
            if (!page.path("next").isTextual()) {
                throw new CloudException(Reason.THROTTLED, "a page does not say whether it is the last");
            }
            pages.add(page);
            after = page.path("next").asText();
        } while (!after.isEmpty());
        return pages;
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(this::look);
    }

    private Map<String, Look> look(Collection<String> instanceIds) throws CloudException {
        JsonNode body = done(api.call("POST", "/v1/find", Map.of("ids", List.copyOf(instanceIds), "tags", ownTags)));
        Map<String, Look> all = new LinkedHashMap<>();
        instanceIds.forEach(id -> all.put(id, new Look.Unsure("the local-cloud did not say")));
        try {
            instances(body).forEach(instance -> all.replace(instance.id(), new Look.Found(instance)));
            required(body, "missing").forEach(id -> all.replace(id.asText(), new Look.Denied("missing")));
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
        return all;
    }

    @Override
    public Duration consistencyWindow() {
        return api.settings().consistencyWindow();
    }

    String console(String instanceId) throws CloudException {
        return done(api.call("POST", "/v1/console", Map.of("id", instanceId, "tags", ownTags)))
                .path("output")
                .asText();
    }

    Power power() {
        return new Power() {
            @Override
            public void stop(Collection<String> instanceIds) throws CloudException {
                forAll("/v1/stop", instanceIds);
            }

            @Override
            public void start(Collection<String> instanceIds) throws CloudException {
                forAll("/v1/start", instanceIds);
            }
        };
    }

    Inventory inventory() {
        return new Inventory() {
            @Override
            public List<Billable> all() throws CloudException {
                Map<String, Billable> all = new LinkedHashMap<>();
                for (JsonNode page : pages()) {
                    try {
                        for (JsonNode each : required(page, "instances")) {
                            Instance instance = instance(each);
                            if (instance.state().isLive()) {
                                boolean off = instance.state() == Instance.State.STOPPED;
                                Money price = off ? Money.ZERO : ownPrice(each).orElseGet(() -> price(each));
                                all.put(
                                        instance.id(),
                                        Billable.tagged("instance", instance.id(), price, instance.tags()));
                            }
                        }
                    } catch (IllegalArgumentException bad) {
                        throw unreadable(bad);
                    }
                }
                return List.copyOf(all.values());
            }

            @Override
            public void delete(Billable thing) throws CloudException {
                terminate(List.of(thing.id()));
            }
        };
    }

    private List<Instance> instances(JsonNode body) {
        List<Instance> instances = new ArrayList<>();
        required(body, "instances").forEach(each -> instances.add(instance(each)));
        return instances;
    }

    private Instance instance(JsonNode each) {
        Map<String, String> tags = new HashMap<>();
        each.path("tags")
                .properties()
                .forEach(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
        String id = each.path("id").asText();
        if (id.isEmpty()) {
            throw new IllegalArgumentException("an instance has no id");
        }
        String failure = each.path("failure").asText();
        try {
            return Instance.of(
                            id,
                            offeringId(each),
                            Instance.State.valueOf(each.path("state").asText()),
                            Instant.parse(each.path("launchedAt").asText()),
                            tags)
                    .at(each.path("address").asText(), sshPort(each))
                    .on(each.path("host").asText())
                    .failing(
                            failure.isEmpty()
                                    ? null
                                    : new LaunchOutcome.Refused(
                                            Reason.valueOf(failure),
                                            each.path("reason").asText()));
        } catch (java.time.DateTimeException bad) {
            throw new IllegalArgumentException("launchedAt of " + id + " is no time", bad);
        }
    }

    private int sshPort(JsonNode each) {
        int wanted = api.settings().sshPort();
        return wanted == 0 ? each.path("sshPort").asInt() : wanted;
    }

    private OfferingId offeringId(JsonNode each) {
        return new OfferingId(
                site.site(),
                each.path("zone").asText(),
                each.path("type").asText(),
                Market.valueOf(each.path("market").asText()));
    }

    private Optional<Money> ownPrice(JsonNode each) {
        return site.price(
                each.path("type").asText(), Market.valueOf(each.path("market").asText()));
    }

    private static Money price(JsonNode each) {
        // A type that is no longer in the catalogue has no price to go by.
        return Money.parse(each.path("pricePerHour").asText("0"));
    }

    private static JsonNode required(JsonNode body, String list) {
        JsonNode found = body.path(list);
        if (!found.isArray()) {
            throw new IllegalArgumentException("'" + list + "' is no list");
        }
        return found;
    }

    private static CloudException unreadable(IllegalArgumentException bad) {
        return new CloudException(Reason.THROTTLED, "the answer cannot be read: " + bad.getMessage(), bad);
    }

    private static JsonNode done(LocalApi.Result result) throws CloudException {
        return switch (result) {
            case LocalApi.Result.Done done -> done.body();
            case LocalApi.Result.Refused no -> throw new CloudException(no.reason(), no.message());
            case LocalApi.Result.Unsent unsent -> throw new CloudException(Reason.THROTTLED, unsent.message());
            case LocalApi.Result.Unclear unclear -> throw new CloudException(Reason.THROTTLED, unclear.message());
        };
    }
}

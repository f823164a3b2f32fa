package org.spillway.cloud.delegated;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.spillway.policy.Offering;

/** The calls of a site that is bought through the parent. What is whose the parent decides, by the token. */
final class DelegatedCompute implements Compute, Inventory, Power {
    /** Before the parent has said its own; and no longer one is believed. */
    private static final Duration LONGEST_WINDOW = Duration.ofHours(1);
    /** A call may leave the parent so long after the child gave up: it waits as long as the child, from when it heard. */
    private static final Duration ROUND_TRIP = Duration.ofSeconds(2);

    private final SiteSettings site;
    private final ParentApi api;
    private volatile Duration window = LONGEST_WINDOW;

    DelegatedCompute(SiteSettings site, ParentApi api) {
        this.site = site;
        this.api = api;
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        Wire.Offerings answer =
                ParentApi.done(api.call(Wire.OFFERINGS, new Wire.Plain(Wire.SCHEMA), Wire.Offerings.class));
        heard(answer.windowMillis());
        List<Offering> offerings = new ArrayList<>();
        try {
            for (Wire.Sold sold : answer.offerings()) {
                Offering parents = WireForms.offering(site.site(), sold);
                offerings.add(site.price(sold.place().type(), parents.id().market())
                        .map(price -> new Offering(
                                parents.id(),
                                parents.resources(),
                                price,
                                parents.features(),
                                parents.gpuMemoryBytes(),
                                parents.quotaFamily()))
                        .orElse(parents));
            }
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
        return offerings;
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        if (!request.offering().site().equals(site.site())) {
            return refused(Reason.INVALID, "offering " + request.offering() + " is not of site " + site.site());
        }
        return switch (api.call(
                Wire.LAUNCH, WireForms.launch(request, api.settings().timeout()), Wire.Launched.class)) {
            case ParentApi.Result.Refused<Wire.Launched>(Reason reason, String message) -> refused(reason, message);
            // Nothing was sent, so nothing exists; "throttled" makes the caller come back later.
            case ParentApi.Result.Unsent<Wire.Launched>(String message) -> refused(Reason.THROTTLED, message);
            case ParentApi.Result.Unclear<Wire.Launched>(String message) -> unknown(message);
            case ParentApi.Result.Done<Wire.Launched>(Wire.Launched launched) -> launched(launched);
        };
    }

    private LaunchAnswer launched(Wire.Launched launched) {
        heard(launched.windowMillis());
        try {
            return WireForms.answer(site.site(), launched);
        } catch (IllegalArgumentException bad) {
            return unknown("the parent's answer cannot be read: " + bad.getMessage());
        }
    }

    private static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    private static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        forAll(Wire.TERMINATE, instanceIds);
    }

    @Override
    public void stop(Collection<String> instanceIds) throws CloudException {
        forAll(Wire.STOP, instanceIds);
    }

    @Override
    public void start(Collection<String> instanceIds) throws CloudException {
        forAll(Wire.START, instanceIds);
    }

    private void forAll(String path, Collection<String> instanceIds) throws CloudException {
        if (!instanceIds.isEmpty()) {
            ParentApi.done(api.call(path, new Wire.Ids(Wire.SCHEMA, List.copyOf(instanceIds)), Wire.Plain.class));
        }
    }

    @Override
    public List<Instance> list() throws CloudException {
        Wire.Machines answer = ParentApi.done(api.call(Wire.LIST, new Wire.Plain(Wire.SCHEMA), Wire.Machines.class));
        heard(answer.windowMillis());
        Map<String, Instance> all = new LinkedHashMap<>();
        try {
            for (Wire.Machine machine : answer.machines()) {
                all.put(machine.id(), WireForms.instance(site.site(), machine));
            }
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
        return List.copyOf(all.values());
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(this::look);
    }

    private Map<String, Look> look(Collection<String> instanceIds) throws CloudException {
        Map<String, Look> all = new LinkedHashMap<>();
        if (instanceIds.isEmpty()) {
            return all;
        }
        instanceIds.forEach(id -> all.put(id, new Look.Unsure("the parent did not say")));
        ParentApi.Result<Wire.Looks> result =
                api.call(Wire.LOOK, new Wire.Ids(Wire.SCHEMA, List.copyOf(instanceIds)), Wire.Looks.class);
        if (result instanceof ParentApi.Result.Refused<Wire.Looks> no && no.reason() == Reason.INVALID) {
            // A parent of an earlier release knows no such call.
            all.replaceAll((id, none) -> new Look.Unsure("the parent cannot be asked by id: " + no.message()));
            return all;
        }
        try {
            for (Wire.Looked looked : ParentApi.done(result).looks()) {
                all.replace(looked.id(), WireForms.look(site.site(), looked));
            }
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
        return all;
    }

    /** The parent's and a round trip, from its first answer on: so whoever has a listing has the right one. */
    @Override
    public Duration consistencyWindow() {
        return window;
    }

    private void heard(long windowMillis) {
        window = Duration.ofMillis(Math.clamp(windowMillis, 0, LONGEST_WINDOW.toMillis()))
                .plus(ROUND_TRIP);
    }

    @Override
    public List<Billable> all() throws CloudException {
        Wire.Things answer = ParentApi.done(api.call(Wire.INVENTORY, new Wire.Plain(Wire.SCHEMA), Wire.Things.class));
        try {
            return answer.things().stream()
                    .map(thing -> WireForms.billable(site.site(), thing))
                    .toList();
        } catch (IllegalArgumentException bad) {
            throw unreadable(bad);
        }
    }

    @Override
    public void delete(Billable thing) throws CloudException {
        ParentApi.done(api.call(Wire.DELETE, new Wire.Doomed(Wire.SCHEMA, thing.kind(), thing.id()), Wire.Plain.class));
    }

    private static CloudException unreadable(IllegalArgumentException bad) {
        return new CloudException(Reason.THROTTLED, "the parent's answer cannot be read: " + bad.getMessage(), bad);
    }
}

package org.spillway.cloud.delegated;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** From the wire and to it. What is read throws {@link IllegalArgumentException} when it makes no sense. */
public final class WireForms {
    /** Set by each end's driver itself: they are not the child's to choose. */
    private static final Set<String> OWN_TAGS =
            Set.of(Instance.TAG_CLUSTER, Instance.TAG_SITE, Instance.TAG_INTENT, Instance.TAG_ATTEMPT);

    private WireForms() {}

    static Wire.Place place(OfferingId id) {
        return new Wire.Place(id.zone(), id.instanceType(), id.market().name());
    }

    private static OfferingId offering(String site, Wire.Place place) {
        return new OfferingId(site, place.zone(), place.type(), Market.valueOf(place.market()));
    }

    public static Wire.Sold sold(Offering offering) {
        Resources has = offering.resources();
        return new Wire.Sold(
                place(offering.id()),
                has.cpus(),
                has.memoryBytes(),
                has.gpus(),
                has.gpuModel(),
                has.localDiskBytes(),
                offering.pricePerHour().toString(),
                List.copyOf(offering.features()),
                offering.gpuMemoryBytes(),
                offering.quotaFamily());
    }

    static Offering offering(String site, Wire.Sold sold) {
        return new Offering(
                offering(site, sold.place()),
                new Resources(sold.cpus(), sold.memoryBytes(), sold.gpus(), sold.gpuModel(), sold.localDiskBytes()),
                Money.parse(sold.pricePerHour()),
                Set.copyOf(sold.features()),
                sold.gpuMemoryBytes(),
                sold.quotaFamily());
    }

    static Wire.Launch launch(LaunchRequest request, Duration patience) {
        return new Wire.Launch(
                Wire.SCHEMA,
                request.intent(),
                request.attempt(),
                request.offerings().stream().map(WireForms::place).toList(),
                request.count(),
                request.image(),
                request.userData(),
                request.tags(),
                request.placement().fabricGroup(),
                request.placement().reservation(),
                patience.toMillis());
    }

    /** The child's request as one of the parent's own, in its site. */
    public static LaunchRequest request(String site, Wire.Launch launch) {
        List<OfferingId> offerings =
                launch.places().stream().map(place -> offering(site, place)).toList();
        if (offerings.isEmpty()) {
            throw new IllegalArgumentException("a launch names no offering");
        }
        Map<String, String> tags = new HashMap<>(launch.tags());
        tags.keySet().removeAll(OWN_TAGS);
        return new LaunchRequest(
                launch.intent(),
                launch.attempt(),
                offerings.getFirst(),
                launch.count(),
                launch.image(),
                launch.userData(),
                tags,
                offerings.subList(1, offerings.size()),
                new LaunchRequest.Placement(launch.fabricGroup(), launch.reservation()));
    }

    public static Wire.Launched launched(LaunchAnswer answer, Duration window) {
        return new Wire.Launched(
                Wire.SCHEMA,
                outcome(answer.outcome()),
                answer.instances().stream().map(WireForms::machine).toList(),
                answer.parts().stream()
                        .map(part -> new Wire.Part(place(part.offering()), outcome(part.outcome())))
                        .toList(),
                window.toMillis());
    }

    static LaunchAnswer answer(String site, Wire.Launched launched) {
        return new LaunchAnswer(
                outcome(launched.outcome()),
                launched.machines().stream().map(each -> instance(site, each)).toList(),
                launched.parts().stream()
                        .map(part -> new LaunchAnswer.Part(offering(site, part.place()), outcome(part.outcome())))
                        .toList());
    }

    private static Wire.Outcome outcome(LaunchOutcome outcome) {
        return switch (outcome) {
            case LaunchOutcome.Launched(int count) -> new Wire.Outcome("launched", count, "", "");
            case LaunchOutcome.Partial(int count, Reason reason, String message) ->
                new Wire.Outcome("partial", count, reason.name(), message);
            case LaunchOutcome.Refused(Reason reason, String message) ->
                new Wire.Outcome("refused", 0, reason.name(), message);
            case LaunchOutcome.Unknown(String message) -> new Wire.Outcome("unknown", 0, "", message);
        };
    }

    private static LaunchOutcome outcome(Wire.Outcome outcome) {
        return switch (outcome.kind()) {
            case "launched" -> new LaunchOutcome.Launched(outcome.count());
            case "partial" ->
                new LaunchOutcome.Partial(outcome.count(), Reason.valueOf(outcome.reason()), outcome.message());
            case "refused" -> new LaunchOutcome.Refused(Reason.valueOf(outcome.reason()), outcome.message());
            case "unknown" -> new LaunchOutcome.Unknown(outcome.message());
            default -> throw new IllegalArgumentException("no outcome: '" + outcome.kind() + "'");
        };
    }

    public static Wire.Machine machine(Instance instance) {
        LaunchOutcome.Refused failure = instance.failure();
        return new Wire.Machine(
                instance.id(),
                place(instance.offering()),
                instance.state().name(),
                instance.address(),
                instance.sshPort(),
                instance.launchedAt().toString(),
                instance.tags(),
                failure == null ? "" : failure.reason().name(),
                failure == null ? "" : failure.message(),
                instance.inside());
    }

    static Instance instance(String site, Wire.Machine machine) {
        if (machine.id().isEmpty()) {
            throw new IllegalArgumentException("an instance has no id");
        }
        try {
            return new Instance(
                    machine.id(),
                    offering(site, machine.place()),
                    Instance.State.valueOf(machine.state()),
                    machine.address(),
                    machine.sshPort(),
                    Instant.parse(machine.launchedAt()),
                    inSite(site, machine.tags()),
                    machine.failure().isEmpty()
                            ? null
                            : new LaunchOutcome.Refused(Reason.valueOf(machine.failure()), machine.failureMessage()),
                    machine.inside(),
                    "");
        } catch (DateTimeException bad) {
            throw new IllegalArgumentException("launchedAt of " + machine.id() + " is no time", bad);
        }
    }

    public static Wire.Looked looked(String id, Look look) {
        return switch (look) {
            case Look.Found(Instance instance) -> new Wire.Looked(id, "found", "", List.of(machine(instance)));
            case Look.Denied(String code) -> new Wire.Looked(id, "denied", code, List.of());
            case Look.Unsure(String why) -> new Wire.Looked(id, "unsure", why, List.of());
        };
    }

    static Look look(String site, Wire.Looked looked) {
        return switch (looked.verdict()) {
            case "found" -> {
                if (looked.machine().size() != 1) {
                    throw new IllegalArgumentException("what was found of " + looked.id() + " is not one machine");
                }
                yield new Look.Found(instance(site, looked.machine().getFirst()));
            }
            case "denied" -> new Look.Denied(looked.detail());
            // Also a word of next year: nothing follows from it.
            default -> new Look.Unsure(looked.detail());
        };
    }

    /** Tags with the site's name in them: the parent's may differ from the child's. */
    private static Map<String, String> inSite(String site, Map<String, String> tags) {
        Map<String, String> own = new HashMap<>(tags);
        own.computeIfPresent(Instance.TAG_SITE, (tag, parents) -> site);
        return own;
    }

    public static Wire.Thing thing(Billable thing) {
        return new Wire.Thing(
                thing.kind(),
                thing.id(),
                thing.pricePerHour().toString(),
                thing.tags(),
                thing.instance(),
                thing.evidence().name());
    }

    static Billable billable(String site, Wire.Thing thing) {
        return new Billable(
                thing.kind(),
                thing.id(),
                Money.parse(thing.pricePerHour()),
                inSite(site, thing.tags()),
                thing.instance(),
                Billable.Evidence.valueOf(thing.evidence()));
    }

    public static Diagnostics.Needs needs(Wire.Needs needs) {
        return new Diagnostics.Needs(new HashSet<>(needs.types()), needs.image());
    }

    public static Wire.Finding finding(Diagnostics.Finding finding) {
        return new Wire.Finding(finding.check(), finding.verdict().name(), finding.detail(), finding.repair());
    }

    static Diagnostics.Finding finding(Wire.Finding finding) {
        return new Diagnostics.Finding(
                finding.check(), Diagnostics.Verdict.valueOf(finding.verdict()), finding.detail(), finding.repair());
    }
}

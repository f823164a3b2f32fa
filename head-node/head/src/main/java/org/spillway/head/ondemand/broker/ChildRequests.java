package org.spillway.head.ondemand.broker;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.cloud.delegated.Wire;
import org.spillway.cloud.delegated.WireForms;
import org.spillway.cloud.delegated.WireText;
import org.spillway.head.ondemand.Allowance;
import org.spillway.policy.LaunchOutcome.Reason;

/** Requests of a child that was let in, and their answers. */
final class ChildRequests {
    private static final Duration LONGEST_PATIENCE = Duration.ofHours(1);
    /** Checks of the parent's account that a child may know; the rest may name the account. */
    private static final Set<String> SHOWN = Set.of("clock", "type", "quota", "image");

    private final Delegations delegations;
    private final InstantSource clock;

    ChildRequests(Delegations delegations, InstantSource clock) {
        this.delegations = delegations;
        this.clock = clock;
    }

    /**
     * @param allowed asks for the allowance once more
     * @return the answer; empty for a path that there is not
     * @throws CloudException what the provider, or the allowance, refuses
     */
    Optional<Wire.Body> answer(
            String path, byte[] body, Allowance allowance, Supplier<Optional<Allowance>> allowed, Instant receivedAt)
            throws CloudException, WireText.Malformed {
        return Optional.ofNullable(
                switch (path) {
                    case Wire.OFFERINGS -> {
                        WireText.read(body, Wire.Plain.class);
                        yield new Wire.Offerings(
                                Wire.SCHEMA,
                                delegations.offerings(allowance).stream()
                                        .map(WireForms::sold)
                                        .toList(),
                                window(allowance).toMillis());
                    }
                    case Wire.LAUNCH -> launch(WireText.read(body, Wire.Launch.class), allowance, allowed, receivedAt);
                    case Wire.LIST -> {
                        WireText.read(body, Wire.Plain.class);
                        yield new Wire.Machines(
                                Wire.SCHEMA,
                                delegations.list(allowance).stream()
                                        .map(WireForms::machine)
                                        .toList(),
                                window(allowance).toMillis());
                    }
                    case Wire.LOOK -> look(WireText.read(body, Wire.Ids.class).ids(), allowance);
                    case Wire.TERMINATE -> {
                        List<String> own = own(body, allowance);
                        if (!own.isEmpty()) {
                            delegations.site(allowance).compute().terminate(own);
                        }
                        yield new Wire.Plain(Wire.SCHEMA);
                    }
                    case Wire.STOP -> {
                        power(allowance).stop(own(body, allowance));
                        yield new Wire.Plain(Wire.SCHEMA);
                    }
                    case Wire.START -> start(body, allowance);
                    case Wire.INVENTORY -> inventory(body, allowance);
                    case Wire.DELETE -> delete(WireText.read(body, Wire.Doomed.class), allowance);
                    case Wire.CHECK -> check(WireText.read(body, Wire.Needs.class), allowance);
                    default -> null;
                });
    }

    private Duration window(Allowance allowance) {
        return delegations.site(allowance).compute().consistencyWindow();
    }

    private Wire.Body launch(
            Wire.Launch asked, Allowance allowance, Supplier<Optional<Allowance>> allowed, Instant receivedAt) {
        Duration patience = Duration.ofMillis(Math.clamp(asked.patienceMillis(), 0, LONGEST_PATIENCE.toMillis()));
        return WireForms.launched(
                delegations.launch(
                        allowance, allowed, WireForms.request(allowance.site(), asked), receivedAt.plus(patience)),
                window(allowance));
    }

    private List<String> own(byte[] body, Allowance allowance) throws WireText.Malformed {
        return delegations.own(allowance, WireText.read(body, Wire.Ids.class).ids());
    }

    /** Of what the child has not bought nothing is said, not even that it is not there. */
    private Wire.Body look(List<String> ids, Allowance allowance) throws CloudException {
        if (ids.size() > Lookup.MOST_IDS) {
            throw new CloudException(Reason.INVALID, "more than " + Lookup.MOST_IDS + " ids in one call");
        }
        List<String> own = delegations.own(allowance, ids);
        Optional<Lookup> lookup = delegations.site(allowance).compute().lookup();
        Map<String, Look> looks =
                lookup.isPresent() && !own.isEmpty() ? lookup.get().look(own) : Map.of();
        return new Wire.Looks(
                Wire.SCHEMA,
                ids.stream()
                        .distinct()
                        .map(id -> WireForms.looked(id, looks.getOrDefault(id, new Look.Unsure("not known here"))))
                        .toList());
    }

    private Power power(Allowance allowance) throws CloudException {
        return delegations
                .site(allowance)
                .power()
                .orElseThrow(
                        () -> new CloudException(Reason.INVALID, "the parent's site cannot stop and start instances"));
    }

    private Wire.Body start(byte[] body, Allowance allowance) throws CloudException, WireText.Malformed {
        Optional<String> no = delegations.mayNotGoOn(allowance);
        if (no.isPresent()) {
            throw new CloudException(Reason.QUOTA, no.get());
        }
        power(allowance).start(own(body, allowance));
        return new Wire.Plain(Wire.SCHEMA);
    }

    private Wire.Body inventory(byte[] body, Allowance allowance) throws CloudException, WireText.Malformed {
        WireText.read(body, Wire.Plain.class);
        Site site = delegations.site(allowance);
        if (site.inventory().isEmpty()) {
            throw new CloudException(Reason.INVALID, "the parent's driver cannot tell its bill");
        }
        return new Wire.Things(
                Wire.SCHEMA,
                ChildBill.of(site.inventory().get()).stream()
                        .map(WireForms::thing)
                        .toList());
    }

    private Wire.Body delete(Wire.Doomed doomed, Allowance allowance) throws CloudException {
        Site site = delegations.site(allowance);
        if (site.inventory().isPresent()) {
            ChildBill.delete(site.inventory().get(), doomed.kind(), doomed.id());
        }
        return new Wire.Plain(Wire.SCHEMA);
    }

    private Wire.Body check(Wire.Needs needs, Allowance allowance) {
        List<Finding> findings = new ArrayList<>();
        boolean hidden = false;
        for (Finding each : delegations.site(allowance).diagnostics().check(WireForms.needs(needs))) {
            if (SHOWN.contains(each.check().split(" ", 2)[0])) {
                findings.add(each);
            } else {
                hidden |= each.verdict() == Verdict.BROKEN;
            }
        }
        if (hidden) {
            findings.add(new Diagnostics.Finding(
                    "parent's site",
                    Verdict.BROKEN,
                    "the parent cannot use its provider now",
                    "ask its administrator: `spillway doctor " + allowance.site() + "` there says why"));
        }
        return new Wire.Findings(
                Wire.SCHEMA, findings.stream().map(WireForms::finding).toList(), clock.millis());
    }
}

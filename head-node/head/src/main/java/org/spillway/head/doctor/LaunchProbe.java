package org.spillway.head.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.cloud.pacing.Pause;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * The smallest machine of a site, launched as a director is, looked at from here and from within, and ended again: what no
 * dry run can tell. It is written down before the provider is called, and bears its intent's mark, so that after a crash the
 * next look, or the next head, ends it.
 */
public final class LaunchProbe {
    /** The most that one may cost, in the currency of the site's prices. */
    static final Money MOST = Money.parse("0.01");

    /** From its launch; then it is told to end, whatever is not known yet. */
    private static final Duration LOOKED_AT = Duration.ofMinutes(4);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(3);
    private static final Duration LISTED = Duration.ofMinutes(1);
    /** From asking for its end to its being proven. */
    private static final Duration END = Duration.ofMinutes(3);

    private static final Duration ASKED_AGAIN = Duration.ofSeconds(30);

    /** The longest that a look and a proof of the end take: the price is reckoned for so long. */
    static final Duration LIFE = LOOKED_AT.plus(END);

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int GREETING_BYTES = 8;
    /** A host that is everybody's to ask for: RFC 2606 keeps its name, and it answers. */
    private static final String TARGET = "example.org";

    private static final Pattern SAID = Pattern.compile("spillway-probe: route=(\\w+) dns=(\\w+) out=(\\w+)");

    private final Site site;
    private final ProbeLedger ledger;
    private final Means means;

    /**
     * Means that are others in tests.
     *
     * @param path how this machine reaches another
     * @param owner who answers for what is bought
     * @param target host that the machine asks for from within
     */
    public record Means(InstantSource clock, Pause pause, Path path, String owner, String target) {
        Means by(String other) {
            return new Means(clock, pause, path, other, target);
        }
    }

    /** The real ones. */
    public static Means real() {
        return new Means(InstantSource.system(), Pause.REAL, LaunchProbe::greeting, "", TARGET);
    }

    private static String greeting(String address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            return new String(socket.getInputStream().readNBytes(GREETING_BYTES), StandardCharsets.US_ASCII);
        }
    }

    /** A way to a machine's SSH port. */
    @FunctionalInterface
    public interface Path {
        /** @return the first bytes of the server's first line */
        String banner(String address, int port) throws IOException;
    }

    public LaunchProbe(Site site, ProbeLedger ledger, Means means) {
        this.site = site;
        this.ledger = ledger;
        this.means = means;
    }

    /**
     * Nothing of it is left afterwards, or a finding says what is. An interrupted look ends its machine before it throws.
     *
     * @param usable whether the site is known to be; nothing is bought where it is not
     */
    public List<Finding> run(boolean usable) throws InterruptedException {
        List<Finding> found = new ArrayList<>();
        try {
            leftovers(found);
            Optional<Offering> chosen = usable ? choose(found) : Optional.empty();
            if (chosen.isPresent()) {
                launch(chosen.get(), found);
            } else if (!usable) {
                found.add(warning("launch", "not launched", "mend what is BROKEN first"));
            }
        } catch (CloudException failed) {
            found.add(broken("launch", failed.reason() + ": " + failed.getMessage(), "see the checks above"));
        } catch (IOException unwritable) {
            found.add(broken(
                    "launch",
                    "not launched, as it cannot be written down: " + unwritable.getMessage(),
                    "make the state directory writable"));
        }
        return found;
    }

    /** Machines of looks that were broken off, and their lines in the ledger. */
    private void leftovers(List<Finding> found) throws CloudException, IOException, InterruptedException {
        List<Instance> all = await(
                        means.clock.instant().plus(LISTED),
                        () -> Optional.of(site.compute().list()))
                .orElseThrow(() -> new CloudException(Reason.THROTTLED, "its machines could not be listed"));
        Set<String> open = ledger.open();
        for (Instance instance : all) {
            if (instance.state().isLive() && instance.intent().startsWith(Instance.PROBE_INTENT)) {
                boolean ended = end(instance.id(), means.clock.instant());
                found.add(
                        ended
                                ? warning("leftover", instance.id() + " of an earlier look was ended", "")
                                : broken(
                                        "leftover",
                                        instance.id() + " of an earlier look is not proven to have ended",
                                        "spillway audit --delete"));
                if (ended) {
                    ledger.ended(instance.intent(), instance.id(), "ended by a later look", means.clock.instant());
                }
                open.remove(instance.intent());
            }
        }
        for (String intent : open) {
            ledger.ended(intent, "", "nothing was found by a later look", means.clock.instant());
        }
    }

    /** Looks that were broken off, for whoever does not launch. */
    public static List<Finding> open(ProbeLedger ledger) {
        try {
            return ledger.open().stream()
                    .map(intent -> warning(
                            "launch",
                            "the end of " + intent + " is not written down: its machine may be there still",
                            "spillway doctor SITE --launch, or spillway audit"))
                    .toList();
        } catch (IOException unreadable) {
            return List.of(warning("launch", "earlier launches: " + unreadable.getMessage(), ""));
        }
    }

    private Optional<Offering> choose(List<Finding> found) throws CloudException {
        Optional<Offering> cheapest = site.compute().offerings().stream()
                .filter(offering -> offering.id().market() == Market.ON_DEMAND)
                .min(Comparator.comparing(Offering::pricePerHour)
                        .thenComparing(offering -> offering.id().toString()));
        if (cheapest.isEmpty()) {
            found.add(broken(
                    "launch",
                    "nothing whose price is known is offered on demand",
                    "give prices to the types (prices)"));
            return cheapest;
        }
        Money cost = cheapest.get().pricePerHour().perHourFor(LIFE);
        if (cost.isMoreThan(MOST)) {
            found.add(warning(
                    "launch",
                    "not launched: the cheapest machine, " + cheapest.get().id().instanceType() + ", may cost " + cost
                            + ", more than " + MOST,
                    "add a small type to those that the site offers"));
            return Optional.empty();
        }
        return cheapest;
    }

    private void launch(Offering offering, List<Finding> found)
            throws CloudException, IOException, InterruptedException {
        Instant begun = means.clock.instant();
        String intent = Instance.PROBE_INTENT + Long.toString(begun.toEpochMilli(), Character.MAX_RADIX);
        ledger.begun(intent, offering, begun);
        LaunchAnswer answer = asked(intent, offering);
        if (answer.outcome() instanceof LaunchOutcome.Refused refused) {
            ledger.ended(intent, "", "refused: " + refused.reason(), means.clock.instant());
            found.add(broken("launch", refused.reason() + ": " + refused.message(), "see the checks above"));
            return;
        }
        Set<String> ids = new TreeSet<>();
        answer.instances().forEach(made -> ids.add(made.id()));
        try {
            if (!ids.isEmpty()
                    || await(begun.plus(LOOKED_AT), () -> mine(intent)).isPresent()) {
                look(intent, begun.plus(LOOKED_AT), found);
            }
        } finally {
            finish(intent, ids, offering, begun, found);
        }
    }

    /** A driver that fails in the middle may have bought all the same. */
    private LaunchAnswer asked(String intent, Offering offering) {
        try {
            return site.compute()
                    .launch(LaunchRequest.of(intent, 1, offering.id(), 1)
                            .withUserData(script())
                            .withTags(Map.of(Instance.TAG_ROLE, "DIRECTOR", Instance.TAG_OWNER, means.owner)));
        } catch (RuntimeException fault) {
            return new LaunchAnswer(new LaunchOutcome.Unknown(String.valueOf(fault)), List.of());
        }
    }

    private void look(String intent, Instant last, List<Finding> found) throws InterruptedException {
        Optional<Instance> up = await(
                last,
                () -> mine(intent)
                        .filter(one -> one.state() == Instance.State.RUNNING
                                && !one.address().isEmpty()));
        if (up.isEmpty()) {
            found.add(broken(
                    "boot",
                    "no running machine with an address within " + LOOKED_AT.toSeconds() + " s",
                    "look at its kind of image, and at the network's addresses"));
            return;
        }
        Instance instance = up.get();
        found.add(good("boot", instance.offering().instanceType() + " runs at " + instance.address()));
        Optional<String> banner = await(last, () -> {
            try {
                return Optional.of(means.path.banner(instance.address(), instance.sshPort()))
                        .filter(line -> line.startsWith("SSH-"));
            } catch (IOException notYet) {
                return Optional.empty();
            }
        });
        String place = instance.address() + ":" + instance.sshPort();
        found.add(
                banner.isPresent()
                        ? good("path to it", place + " answers with SSH")
                        : broken(
                                "path to it",
                                place + " does not answer with SSH",
                                "see whether this machine's address is in adminCidr, and sshPort is the image's"));
        if (site.console().isPresent()) {
            found.add(within(instance.id(), last));
        } else {
            found.add(warning("path from it", "this provider shows no console", ""));
        }
    }

    private Finding within(String id, Instant last) throws InterruptedException {
        Optional<Matcher> said = await(last, () -> {
            Matcher words = SAID.matcher(site.console().orElseThrow().output(id));
            return words.find() ? Optional.of(words) : Optional.empty();
        });
        if (said.isEmpty()) {
            return warning(
                    "path from it",
                    "its console says nothing of its user data",
                    "see whether the image has cloud-init, and shows its output on the console");
        }
        List<String> missing = new ArrayList<>();
        List<String> names = List.of("a default route", "name resolution", "a way to " + means.target);
        for (int i = 0; i < names.size(); i++) {
            if (!said.get().group(i + 1).equals("yes")) {
                missing.add(names.get(i));
            }
        }
        return missing.isEmpty()
                ? good("path from it", String.join(", ", names))
                : warning(
                        "path from it",
                        "it has not: " + String.join(", ", missing),
                        "jobs that fetch something need a NAT gateway or a proxy");
    }

    /** @param ids known from the answer; others that bear the mark end with them */
    private void finish(String intent, Set<String> ids, Offering offering, Instant begun, List<Finding> found)
            throws IOException, InterruptedException {
        await(means.clock.instant().plus(LISTED), () -> {
            live(intent).forEach(one -> ids.add(one.id()));
            return ids.isEmpty() ? Optional.empty() : Optional.of(true);
        });
        if (ids.isEmpty()) {
            ledger.ended(intent, "", "its answer was lost, and nothing was found", means.clock.instant());
            found.add(broken(
                    "launch",
                    "the answer was lost, and no machine bears the mark " + intent,
                    "ask again later: the next look ends what appears until then"));
            return;
        }
        Instant visible = begun.plus(site.compute().consistencyWindow());
        List<String> unproven = new ArrayList<>();
        for (String id : ids) {
            boolean ended = end(id, visible);
            Instant now = means.clock.instant();
            Duration lived = Duration.between(begun, now);
            Money cost = offering.pricePerHour().perHourFor(lived);
            if (ended) {
                ledger.ended(intent, id, "ended, " + cost + " at most", now);
            } else {
                unproven.add(id);
            }
            found.add(
                    ended
                            ? good("end", id + " has ended after " + lived.toSeconds() + " s, for " + cost + " at most")
                            : broken("end", id + " is not proven to have ended", "spillway audit --delete"));
        }
        // The last word about the intent, whatever else of it has ended.
        for (String id : unproven) {
            ledger.unproven(intent, id, means.clock.instant());
        }
    }

    private Optional<Instance> mine(String intent) throws CloudException {
        return live(intent).findFirst();
    }

    private Stream<Instance> live(String intent) throws CloudException {
        return site.compute().list().stream()
                .filter(one -> one.state().isLive() && one.intent().equals(intent));
    }

    /**
     * Whether the provider says, after it was told to end it, that it has ended or is not known.
     *
     * @param visible until then a new machine may not be known yet
     */
    private boolean end(String id, Instant visible) throws InterruptedException {
        Instant last = means.clock.instant().plus(END);
        Instant[] again = {Instant.MIN};
        return await(last, () -> {
                    Instant now = means.clock.instant();
                    if (!now.isBefore(again[0])) {
                        site.compute().terminate(List.of(id));
                        again[0] = now.plus(ASKED_AGAIN);
                    }
                    return isGone(id, !now.isBefore(visible)) ? Optional.of(true) : Optional.empty();
                })
                .isPresent();
    }

    private boolean isGone(String id, boolean isAbsenceProof) throws CloudException {
        Optional<Lookup> lookup = site.compute().lookup();
        if (lookup.isPresent()) {
            Look look = lookup.get().look(List.of(id)).getOrDefault(id, new Look.Unsure("no answer"));
            return switch (look) {
                case Look.Found found -> found.instance().state() == Instance.State.TERMINATED;
                case Look.Denied denied -> isAbsenceProof;
                case Look.Unsure unsure -> false;
            };
        }
        return isAbsenceProof
                && site.compute().list().stream()
                        .noneMatch(one -> one.id().equals(id) && one.state() != Instance.State.TERMINATED);
    }

    /** Something that comes after a while. */
    private interface Wanted<T> {
        Optional<T> look() throws CloudException;
    }

    /** A look that fails now may succeed later. */
    private <T> Optional<T> await(Instant last, Wanted<T> wanted) throws InterruptedException {
        while (true) {
            try {
                Optional<T> found = wanted.look();
                if (found.isPresent()) {
                    return found;
                }
            } catch (CloudException | RuntimeException notNow) {
                // The bound tells: a driver that fails once may end the machine the next time.
            }
            if (!means.clock.instant().isBefore(last)) {
                return Optional.empty();
            }
            means.pause.sleep(BETWEEN_LOOKS);
        }
    }

    /** The user data: a line on the console. */
    private String script() {
        return """
                #!/bin/sh
                route=no dns=no out=no
                awk '$2 == "00000000" { found = 1 } END { exit !found }' /proc/net/route && route=yes
                getent hosts %1$s >/dev/null 2>&1 && dns=yes
                curl -s -m 20 -o /dev/null https://%1$s/ && out=yes
                echo "spillway-probe: route=$route dns=$dns out=$out"
                """.formatted(means.target);
    }

    private static Finding good(String check, String detail) {
        return new Finding(check, Verdict.GOOD, detail, "");
    }

    private static Finding warning(String check, String detail, String repair) {
        return new Finding(check, Verdict.WARNING, detail, repair);
    }

    private static Finding broken(String check, String detail, String repair) {
        return new Finding(check, Verdict.BROKEN, detail, repair);
    }
}

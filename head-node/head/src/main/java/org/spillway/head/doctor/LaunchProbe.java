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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** Its price is reckoned for so long. */
    static final Duration LIFE = Duration.ofMinutes(5);

    /** From its launch; then it is told to end, whatever is not known yet. */
    private static final Duration LOOKED_AT = Duration.ofMinutes(4);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(3);
    private static final Duration LISTED = Duration.ofMinutes(1);
    /** From asking for its end to its being proven. */
    private static final Duration END = Duration.ofMinutes(3);

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int GREETING_BYTES = 8;
    /** A host that stock images fetch packages from. */
    private static final String TARGET = "deb.debian.org";

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

    /** Nothing of it is left afterwards, or a finding says what is. */
    public List<Finding> run() throws InterruptedException {
        List<Finding> found = new ArrayList<>();
        try {
            leftovers(found);
            Optional<Offering> chosen = choose(found);
            if (chosen.isPresent()) {
                launch(chosen.get(), found);
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

    /** Machines of looks that were broken off. */
    private void leftovers(List<Finding> found) throws CloudException, InterruptedException {
        List<Instance> all = await(
                        means.clock.instant().plus(LISTED), () -> Optional.of(site.compute().list()))
                .orElseThrow(() -> new CloudException(Reason.THROTTLED, "its machines could not be listed"));
        for (Instance instance : all) {
            if (instance.state().isLive() && instance.intent().startsWith(Instance.PROBE_INTENT)) {
                found.add(
                        end(instance.id())
                                ? warning("leftover", instance.id() + " of an earlier look was ended", "")
                                : broken(
                                        "leftover",
                                        instance.id() + " of an earlier look is not proven to have ended",
                                        "spillway audit --delete"));
            }
        }
    }

    private Optional<Offering> choose(List<Finding> found) throws CloudException {
        Optional<Offering> cheapest = site.compute().offerings().stream()
                .filter(offering -> offering.id().market() == Market.ON_DEMAND)
                .min(Comparator.comparing(Offering::pricePerHour)
                        .thenComparing(offering -> offering.id().toString()));
        if (cheapest.isEmpty()) {
            found.add(broken(
                    "launch", "nothing whose price is known is offered on demand", "give prices to the types (prices)"));
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
        LaunchAnswer answer = site.compute()
                .launch(LaunchRequest.of(intent, 1, offering.id(), 1)
                        .withUserData(script())
                        .withTags(Map.of(Instance.TAG_ROLE, "DIRECTOR", Instance.TAG_OWNER, means.owner)));
        if (answer.outcome() instanceof LaunchOutcome.Refused refused) {
            ledger.ended(intent, "", "refused: " + refused.reason(), means.clock.instant());
            found.add(broken("launch", refused.reason() + ": " + refused.message(), "see the checks above"));
            return;
        }
        Optional<String> id = answer.instances().stream().map(Instance::id).findFirst();
        if (id.isEmpty()) {
            id = await(begun.plus(LOOKED_AT), () -> mine(intent).map(Instance::id));
        }
        if (id.isEmpty()) {
            ledger.ended(intent, "", "its answer was lost, and nothing was found", means.clock.instant());
            found.add(broken(
                    "launch",
                    "the answer was lost, and no machine bears the mark " + intent,
                    "ask again later: the next look ends what appears until then"));
            return;
        }
        try {
            look(intent, begun.plus(LOOKED_AT), found);
        } finally {
            finish(intent, id.get(), offering, begun, found);
        }
    }

    private void look(String intent, Instant last, List<Finding> found) throws InterruptedException {
        Optional<Instance> up = await(last, () -> mine(intent)
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

    private void finish(String intent, String id, Offering offering, Instant begun, List<Finding> found)
            throws IOException, InterruptedException {
        boolean ended = end(id);
        Instant now = means.clock.instant();
        Duration lived = Duration.between(begun, now);
        Money cost = offering.pricePerHour().perHourFor(lived);
        ledger.ended(intent, id, ended ? "ended, " + cost + " at most" : "not proven to have ended", now);
        found.add(
                ended
                        ? good("end", id + " has ended after " + lived.toSeconds() + " s, for " + cost + " at most")
                        : broken("end", id + " is not proven to have ended", "spillway audit --delete"));
    }

    private Optional<Instance> mine(String intent) throws CloudException {
        return site.compute().list().stream()
                .filter(one -> one.state().isLive() && one.intent().equals(intent))
                .findFirst();
    }

    /** @return whether the provider says that it has ended, or that it knows none of that id */
    private boolean end(String id) throws InterruptedException {
        Optional<Boolean> gone = await(means.clock.instant().plus(END), () -> {
            if (isGone(id)) {
                return Optional.of(true);
            }
            site.compute().terminate(List.of(id));
            return isGone(id) ? Optional.of(true) : Optional.empty();
        });
        return gone.isPresent();
    }

    private boolean isGone(String id) throws CloudException {
        Optional<Lookup> lookup = site.compute().lookup();
        if (lookup.isPresent()) {
            Look look = lookup.get().look(List.of(id)).getOrDefault(id, new Look.Unsure("no answer"));
            return switch (look) {
                case Look.Found found -> found.instance().state() == Instance.State.TERMINATED;
                case Look.Denied denied -> true;
                case Look.Unsure unsure -> false;
            };
        }
        return site.compute().list().stream()
                .noneMatch(one -> one.id().equals(id) && one.state() != Instance.State.TERMINATED);
    }

    /** Something that comes after a while. */
    private interface Wanted<T> {
        Optional<T> look() throws CloudException;
    }

    /** What fails now may be had later. */
    private <T> Optional<T> await(Instant last, Wanted<T> wanted) throws InterruptedException {
        while (true) {
            try {
                Optional<T> found = wanted.look();
                if (found.isPresent()) {
                    return found;
                }
            } catch (CloudException notNow) {
                // The bound tells.
            }
            if (!means.clock.instant().isBefore(last)) {
                return Optional.empty();
            }
            means.pause.sleep(BETWEEN_LOOKS);
        }
    }

    /** One line on the console. */
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

package org.spillway.head.loop.settings;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Power;
import org.spillway.cloud.RateLimits;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Reach;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * A site's configuration, with the provider behind it.
 *
 * @param home whether it is at home
 * @param owner who answers for what is bought here and for no user's job
 * @param priority of several sites that can take a job those with the largest are asked first; 0 unless given
 * @param egressPerGigabyte what the site takes for 10^9 bytes that leave it; zero where it takes nothing
 */
public record SitePlan(
        String name,
        Provider provider,
        Director director,
        Nodes nodes,
        boolean home,
        String owner,
        int priority,
        Money egressPerGigabyte) {

    /**
     * @param power stopping and starting instances, where the driver can
     * @param check looks whether the site can be used at all; empty where nobody looks
     * @param console what an instance says while it boots, where the provider shows it
     * @param calls what may be asked of it, and what was
     */
    public record Provider(
            Compute compute,
            Optional<Power> power,
            Optional<SiteCheck> check,
            Optional<Console> console,
            Calls calls) {}

    /**
     * An account's calls.
     *
     * @param limits as published
     * @param meter what was sent; empty where nobody counts
     */
    public record Calls(RateLimits limits, Optional<CallMeter> meter) {
        public static final Calls UNCOUNTED = new Calls(RateLimits.NONE, Optional.empty());

        /** Reads so far. */
        public long reads() {
            return meter.map(counted -> counted.total(CallMeter.Kind.READ)).orElse(0L);
        }
    }

    /**
     * @param zone empty for any
     * @param image the provider's image id for directors; empty for that of the nodes
     * @param idle how long one is kept without anything to do
     * @param given where it is, when its machine is there already
     * @param trialBudget the most that directors which never served may cost in 24 hours; null for some hours of the price
     */
    public record Director(
            String type,
            Market market,
            String zone,
            String image,
            Duration idle,
            Optional<Given> given,
            @Nullable Money trialBudget) {}

    /**
     * A machine that becomes the director and is neither launched nor ended.
     *
     * @param hostKey of its SSH server, one public line
     */
    public record Given(String address, int sshPort, String hostKey) {}

    /**
     * @param image the provider's image id; empty for the driver's usual one
     * @param registration how long after the launch call a node may take to be ready
     * @param standing nodes that are always there, each type once
     * @param idle what becomes of nodes that nothing needs
     * @param isolation what becomes of nodes that cannot keep jobs apart
     * @param mounts storage that they have besides their own disk
     * @param reach what jobs may read at home without having named it; empty for nothing
     * @param forwards services of home that they may reach
     */
    public record Nodes(
            int most,
            String image,
            Duration registration,
            List<StandingCapacity> standing,
            IdleNodes idle,
            Isolation isolation,
            Mounts mounts,
            Optional<Reach> reach,
            Forwards forwards) {
        public Nodes {
            standing = List.copyOf(standing);
        }
    }

    /** With so many nodes at most, and as many standing ones of each type of which some are. */
    public SitePlan withNodes(int count) {
        Nodes others = new Nodes(
                count,
                nodes.image,
                nodes.registration,
                nodes.standing.stream()
                        .map(one -> new StandingCapacity(one.type(), count, one.powered()))
                        .toList(),
                nodes.idle,
                nodes.isolation,
                nodes.mounts,
                nodes.reach,
                nodes.forwards);
        return new SitePlan(name, provider, director, others, home, owner, priority, egressPerGigabyte);
    }

    /** The image of instances in that role. */
    public String imageFor(boolean forDirector) {
        return forDirector && !director.image.isEmpty() ? director.image : nodes.image;
    }
}

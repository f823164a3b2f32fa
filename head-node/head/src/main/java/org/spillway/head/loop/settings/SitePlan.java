package org.spillway.head.loop.settings;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Power;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * A site's configuration, with the provider behind it.
 *
 * @param directorZone empty for any
 * @param registration how long after the launch call a node may take to be ready
 * @param directorIdle how long a director is kept without anything to do
 * @param home whether it is at home
 * @param standing nodes that are always there, each type once
 * @param power stopping and starting instances, where the driver can
 * @param directorImage the provider's image id for directors; empty for that of the nodes
 * @param owner who answers for what is bought here and for no user's job
 * @param given where the director is, when its machine is there already
 * @param check looks whether the site can be used at all; empty where nobody looks
 * @param idle what becomes of nodes that nothing needs
 * @param priority of several sites that can take a job those with the largest are asked first; 0 unless given
 * @param egressPerGigabyte what the site takes for 10^9 bytes that leave it; zero where it takes nothing
 */
public record SitePlan(
        String name,
        Compute compute,
        int maxNodes,
        String directorType,
        Market directorMarket,
        String directorZone,
        String image,
        Duration registration,
        Duration directorIdle,
        boolean home,
        List<StandingCapacity> standing,
        Optional<Power> power,
        String directorImage,
        String owner,
        Optional<SiteCheck> check,
        Optional<Given> given,
        IdleNodes idle,
        int priority,
        Money egressPerGigabyte) {
    public SitePlan {
        standing = List.copyOf(standing);
    }

    /** Of which nothing that leaves it is paid for. */
    public SitePlan(
            String name,
            Compute compute,
            int maxNodes,
            String directorType,
            Market directorMarket,
            String directorZone,
            String image,
            Duration registration,
            Duration directorIdle,
            boolean home,
            List<StandingCapacity> standing,
            Optional<Power> power,
            String directorImage,
            String owner,
            Optional<SiteCheck> check,
            Optional<Given> given,
            IdleNodes idle,
            int priority) {
        this(
                name,
                compute,
                maxNodes,
                directorType,
                directorMarket,
                directorZone,
                image,
                registration,
                directorIdle,
                home,
                standing,
                power,
                directorImage,
                owner,
                check,
                given,
                idle,
                priority,
                Money.ZERO);
    }

    /**
     * A machine that becomes the director and is neither launched nor ended.
     *
     * @param hostKey of its SSH server, one public line
     */
    public record Given(String address, int sshPort, String hostKey) {}

    /** With a director that is bought, and nodes that are ended when nothing needs them. @param keepType empty for none */
    public SitePlan(
            String name,
            Compute compute,
            int maxNodes,
            String directorType,
            Market directorMarket,
            String directorZone,
            String image,
            Duration registration,
            Duration directorIdle,
            boolean home,
            String keepType,
            int keepCount,
            Optional<Power> power,
            String directorImage,
            String owner,
            Optional<SiteCheck> check) {
        this(
                name,
                compute,
                maxNodes,
                directorType,
                directorMarket,
                directorZone,
                image,
                registration,
                directorIdle,
                home,
                keepCount == 0 ? List.of() : List.of(new StandingCapacity(keepType, keepCount, true)),
                power,
                directorImage,
                owner,
                check,
                Optional.empty(),
                IdleNodes.ENDED,
                0);
    }

    /** With the nodes' image for all, and nobody who looks. */
    public SitePlan(
            String name,
            Compute compute,
            int maxNodes,
            String directorType,
            Market directorMarket,
            String directorZone,
            String image,
            Duration registration,
            Duration directorIdle,
            boolean home,
            String keepType,
            int keepCount,
            Optional<Power> power) {
        this(
                name,
                compute,
                maxNodes,
                directorType,
                directorMarket,
                directorZone,
                image,
                registration,
                directorIdle,
                home,
                keepType,
                keepCount,
                power,
                "",
                "spillway",
                Optional.empty());
    }

    /** With so many nodes at most, and as many kept of each type of which some are. */
    public SitePlan withNodes(int count) {
        return new SitePlan(
                name,
                compute,
                count,
                directorType,
                directorMarket,
                directorZone,
                image,
                registration,
                directorIdle,
                home,
                standing.stream()
                        .map(one -> new StandingCapacity(one.type(), count, one.powered()))
                        .toList(),
                power,
                directorImage,
                owner,
                check,
                given,
                idle,
                priority,
                egressPerGigabyte);
    }

    /** The image of instances in that role. */
    public String imageFor(boolean director) {
        return director && !directorImage.isEmpty() ? directorImage : image;
    }
}

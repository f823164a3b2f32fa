package org.spillway.head.loop;

import java.time.Duration;
import java.util.Optional;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Power;
import org.spillway.policy.Market;

/**
 * What the configuration says about a site, with the provider behind it.
 *
 * @param directorZone empty for any
 * @param registration how long after the launch call a node may take to be ready
 * @param directorIdle how long a director is kept without anything to do
 * @param home whether it is at home
 * @param keepType instance type of the nodes that are always there; empty for none
 * @param keepCount how many
 * @param power stopping and starting instances, where the driver can
 * @param directorImage the provider's image id for directors; empty for that of the nodes
 * @param owner who answers for what is bought here and for no user's job
 * @param given where the director is, when its machine is there already
 * @param check looks whether the site can be used at all; empty where nobody looks
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
        String keepType,
        int keepCount,
        Optional<Power> power,
        String directorImage,
        String owner,
        Optional<SiteCheck> check,
        Optional<Given> given) {

    /**
     * A machine that becomes the director and is neither launched nor ended.
     *
     * @param hostKey of its SSH server, one public line
     */
    public record Given(String address, int sshPort, String hostKey) {}

    /** With a director that is bought. */
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
                keepType,
                keepCount,
                power,
                directorImage,
                owner,
                check,
                Optional.empty());
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

    /** The image of instances in that role. */
    String imageFor(boolean director) {
        return director && !directorImage.isEmpty() ? directorImage : image;
    }
}

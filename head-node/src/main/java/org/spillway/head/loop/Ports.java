package org.spillway.head.loop;

import java.util.function.ToIntFunction;
import org.spillway.head.bootstrap.DirectorInstaller;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.staging.Stager;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.ScalingPolicy;

/**
 * The world as the loop sees it, but for the providers, which come with their sites.
 *
 * @param directoryPort port on the director's loopback at which the head's directory is found; 0 when there is none
 */
public record Ports(
        Effects effects,
        DirectorLink link,
        DirectorInstaller installer,
        Stager stager,
        SiteImages images,
        Credentials credentials,
        WorkloadManager workload,
        ToIntFunction<DirectorTarget> directoryPort,
        PolicyChoice<?> policy) {

    /** A policy with its settings. */
    public record PolicyChoice<S extends Record>(ScalingPolicy<S> policy, S settings) {}
}

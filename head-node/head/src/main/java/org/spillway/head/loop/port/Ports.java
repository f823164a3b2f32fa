package org.spillway.head.loop.port;

import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.head.bootstrap.DirectorInstaller;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.scaler.Decider;

/**
 * The world as the loop sees it, but for the providers, which come with their sites.
 *
 */
public record Ports(
        Effects effects,
        DirectorLink link,
        DirectorInstaller installer,
        Stager stager,
        SiteImages images,
        Credentials credentials,
        WorkloadManager workload,
        DirectoryAccess directory,
        Decider policy) {

    /** The same with these. */
    public Ports with(SiteImages others) {
        return new Ports(effects, link, installer, stager, others, credentials, workload, directory, policy);
    }

    /** How a director finds the head's directory. */
    @FunctionalInterface
    public interface DirectoryAccess {
        /** Opens the way if it is not open; blocks like the link. */
        DirectoryGrant open(DirectorTarget director) throws LinkDownException;
    }
}

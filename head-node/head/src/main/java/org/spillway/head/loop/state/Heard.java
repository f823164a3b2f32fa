package org.spillway.head.loop.state;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Report;
import org.spillway.head.rollout.DriftWord;

/** The last word of a site's director. @param report null when it was not heard in this head's life */
public record Heard(@Nullable Report report) {
    /** Digests of the images that it has; empty when it was not heard. */
    public List<String> images() {
        return report == null ? List.of() : report.images();
    }

    /** Digest of the image that a node has verified; empty when it was not heard. */
    public String imageOf(String node) {
        return report == null
                ? ""
                : report.nodes().stream()
                        .filter(one -> one.node().equals(node))
                        .map(Report.NodeReport::imageSha256)
                        .findFirst()
                        .orElse("");
    }

    /** Checks of a node's gate as it told them last, in their order; empty when it was not heard. */
    public List<Report.GateCheck> gateOf(String node) {
        return report == null
                ? List.of()
                : report.nodes().stream()
                        .filter(one -> one.node().equals(node))
                        .findFirst()
                        .map(Report.NodeReport::gate)
                        .orElse(List.of());
    }

    /** The root of a node's jobs; {@link Attested#MACHINE} when it was not heard. */
    public Attested rootOf(String node) {
        return Attested.of(gateOf(node));
    }

    /** The node's word on whether that root is still its version. */
    public DriftWord driftOf(String node) {
        return Drifted.of(gateOf(node));
    }

    /** How far its replica of the directory is. */
    public Report.DirectoryReport replica() {
        return report == null ? Report.DirectoryReport.NONE : report.directory();
    }
}

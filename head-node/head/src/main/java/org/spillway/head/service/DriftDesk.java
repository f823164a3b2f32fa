package org.spillway.head.service;

import java.io.IOException;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.DriftView;
import org.spillway.api.DriftView.DriftedFile;
import org.spillway.director.wire.SiteDrift;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.Loop;
import org.spillway.image.ImageRefused;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.tree.DifferenceText;
import org.spillway.image.tree.Findings;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.PackageLists;

/** Looks at roots of nodes. The node compares, by the version's manifest; what it found is read beside the store's own. */
record DriftDesk(Journal journal, Loop loop, DirectorLink link, RolloutDesk.Store versions) {
    DriftView of(String id, String look, boolean whole) {
        NodeRecord node = journal.node(id)
                .filter(one -> one.isLive() && !one.isDirector())
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND,
                        "there is no node '" + id + "'",
                        "'spillway nodes' shows those that are there"));
        if (loop.heard(node.site()).rootOf(id).version().isEmpty()) {
            throw new ApiException(
                    Code.CONFLICT,
                    "jobs of " + id + " live in no version, or it has not passed its gate with one",
                    "'spillway nodes' shows each node's version");
        }
        DirectorTarget director = loop.director(node.site())
                .orElseThrow(() -> new ApiException(
                        Code.UNAVAILABLE,
                        "no director of site " + node.site() + " is up",
                        "'spillway sites' says why"));
        try {
            SiteDrift said = link.drift(director, id, look, whole)
                    .orElseThrow(() -> new ApiException(
                            Code.UNAVAILABLE, "the director of site " + node.site() + " is of an earlier release", ""));
            return view(node, said);
        } catch (LinkDownException down) {
            throw new ApiException(Code.UNAVAILABLE, String.valueOf(down.getMessage()), "try again");
        }
    }

    private DriftView view(NodeRecord node, SiteDrift said) {
        return switch (said.word()) {
            case BUSY, ASKED -> at(node, "WAITING", said, "");
            case RUNNING -> at(node, "RUNNING", said, "");
            case UNKNOWN -> at(node, "UNKNOWN", said, said.text());
            case SILENT -> at(node, "UNKNOWN", said, "the node has said nothing for a minute");
            case DONE -> {
                try {
                    yield found(node, said);
                } catch (IOException unreadable) {
                    yield at(node, "UNKNOWN", said, String.valueOf(unreadable.getMessage()));
                }
            }
        };
    }

    private static DriftView at(NodeRecord node, String state, SiteDrift said, String why) {
        return new DriftView(
                node.id(), node.site(), "", state, said.done(), said.all(), said.bytes(), why, 0, List.of());
    }

    private DriftView found(NodeRecord node, SiteDrift said) throws IOException {
        try (VersionStore store = VersionStore.open(versions.folder(), versions.seal())) {
            VersionRecord version = store.versions().stream()
                    .filter(one -> one.digest().equals(said.version()))
                    .findFirst()
                    .orElseThrow(() -> new ImageRefused("the store has no version " + said.version() + " any more"));
            Manifest manifest = store.manifest(version);
            Findings found = Findings.parse(manifest, said.text());
            PackageLists owners = PackageLists.of(manifest, store::text);
            return new DriftView(
                    node.id(),
                    node.site(),
                    version.name() + "@" + version.digest(),
                    found.same() ? "SAME" : "DIFFERS",
                    found.names(),
                    found.names(),
                    found.bytes(),
                    "",
                    found.more(),
                    found.differences().stream()
                            .map(one -> new DriftedFile(
                                    DifferenceText.path(one),
                                    DifferenceText.words(one),
                                    owners.owner(one.path()),
                                    DifferenceText.how(one)))
                            .toList());
        }
    }
}

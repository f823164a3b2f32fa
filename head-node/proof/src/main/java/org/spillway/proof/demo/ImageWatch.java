package org.spillway.proof.demo;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.api.NodeView;
import org.spillway.api.SiteView;

/** Which image each machine had, as far as the scenes showed it. */
final class ImageWatch {
    private final Set<String> atHome = new LinkedHashSet<>();
    private final Map<String, String> onNodes = new TreeMap<>();
    private final Map<String, List<String>> atDirectors = new TreeMap<>();
    private final List<String> sites;
    private String now = "";

    /** @param sites that must all have it */
    ImageWatch(List<String> sites) {
        this.sites = List.copyOf(sites);
    }

    void look(Scene scene) {
        for (SiteView site : scene.sites()) {
            if (!site.image().isEmpty()) {
                now = site.image();
                atHome.add(now);
            }
            if (!site.images().isEmpty()) {
                atDirectors.put(site.name(), site.images());
            }
        }
        for (NodeView node : scene.nodes()) {
            if (!node.image().isEmpty() && !node.image().equals("-")) {
                onNodes.put(node.id(), node.image());
            }
        }
    }

    /** Whether the image at home has been another one before. */
    boolean hasChanged() {
        return atHome.size() > 1;
    }

    /** Each site's director has what is the image at home now. */
    boolean isEverywhere() {
        return sites.stream()
                .allMatch(site -> atDirectors.getOrDefault(site, List.of()).contains(now));
    }

    /** Nodes keep the image that was current when they joined. */
    DemoReport.ImagesPart report() {
        boolean nodesEqual = !onNodes.isEmpty() && atHome.containsAll(onNodes.values());
        return new DemoReport.ImagesPart(nodesEqual && isEverywhere(), now, Map.copyOf(atDirectors), onNodes.size());
    }
}

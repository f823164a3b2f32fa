package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.audit.Books;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalGlance;
import org.spillway.head.journal.NodeRecord;

/** A site's books, from the journal of a head or from its file. */
public final class Bookkeeping {
    /** Disks and interfaces that go with an instance may be on the bill for this long after it. */
    private static final Duration JUST_ENDED = Duration.ofMinutes(2);

    /** For so long the bill is searched for what a removed child may have left; it was empty when that was removed. */
    static final Duration CHILD_REMEMBERED = Duration.ofDays(7);

    private Bookkeeping() {}

    static Books of(Journal journal, String site, Instant now) {
        Set<Books.Holder> nodes = new HashSet<>();
        for (NodeRecord node : journal.nodes()) {
            if (node.site().equals(site)
                    && (node.isLive() || now.isBefore(node.since().plus(JUST_ENDED)))) {
                String user = journal.runningOn(node.id()).stream()
                        .map(job -> job.spec().user())
                        .findFirst()
                        .orElse("");
                nodes.add(holder(node, user));
            }
        }
        Set<String> open = new HashSet<>();
        journal.open(site).forEach(intent -> open.add(intent.id()));
        Set<String> groups = new HashSet<>();
        for (Intent intent : journal.intents()) {
            if (intent.site().equals(site)) {
                addGroup(groups, intent);
            }
        }
        Set<String> removed = journal.clusters().stream()
                .filter(child -> !child.isLive())
                .map(ClusterRecord::id)
                .collect(Collectors.toSet());
        return new Books(nodes, open, groups, removed);
    }

    /** Without a head: what the file says lives. */
    public static Books of(JournalGlance glance, String site) {
        Map<String, String> users = new HashMap<>();
        Set<String> open = new HashSet<>();
        Set<String> groups = new HashSet<>();
        for (Entry entry : glance.live()) {
            if (entry instanceof JobRecord job && job.jobState() == JobState.RUNNING) {
                job.run().nodes().forEach(node -> users.put(node, job.spec().user()));
            } else if (entry instanceof IntentRecord record
                    && record.intent().site().equals(site)) {
                open.add(record.id());
                addGroup(groups, record.intent());
            }
        }
        Set<Books.Holder> nodes = new HashSet<>();
        glance.nodes(site).forEach(node -> nodes.add(holder(node, users.getOrDefault(node.id(), ""))));
        return new Books(nodes, open, groups);
    }

    private static void addGroup(Set<String> groups, Intent intent) {
        String group = intent.request().placement().fabricGroup();
        if (!group.isEmpty()) {
            groups.add(group);
        }
    }

    private static Books.Holder holder(NodeRecord node, String user) {
        return new Books.Holder(node.id(), node.isDirector(), node.isLive(), node.intent(), node.instance(), user);
    }
}

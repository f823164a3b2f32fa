package org.spillway.head.service;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;

/** Whether a head with this configuration can go on with what the journal has under way. */
record JournalFit(HeadConfig config) {
    /** @throws IOException if something could neither run nor be ended; the message says what to repair */
    void check(Journal journal) throws IOException {
        refuseUnknownSites(journal);
        refuseForeignJobs(journal);
    }

    /** Nodes in a site that the configuration does not name any more could neither run on nor be ended. */
    private void refuseUnknownSites(Journal journal) throws IOException {
        Set<String> used = new TreeSet<>();
        journal.nodes().stream().filter(NodeRecord::isLive).forEach(node -> used.add(node.site()));
        journal.jobs().stream()
                .map(job -> job.run().site())
                .filter(site -> !site.isEmpty())
                .forEach(used::add);
        journal.clusters().stream()
                .filter(child -> child.isLive() && child.isMade())
                .map(child -> child.spec().site())
                .forEach(used::add);
        used.removeAll(config.sites().keySet());
        if (!used.isEmpty()) {
            throw new IOException("the journal has jobs or instances in site " + String.join(", ", used)
                    + ", which " + config.file() + " does not name: put it back, and end them first (spillway cancel,"
                    + " spillway stop --release)");
        }
    }

    /** Jobs that another manager knows could neither run nor be ended without it. */
    private void refuseForeignJobs(Journal journal) throws IOException {
        String manager = config.workload().manager();
        for (String other : new TreeSet<>(foreignKeys(journal).stream()
                .map(JobSpec::managerOf)
                .filter(name -> !name.equals(manager))
                .toList())) {
            long count = foreignKeys(journal).stream()
                    .filter(key -> JobSpec.managerOf(key).equals(other))
                    .count();
            throw new IOException("the journal has " + count + " jobs of " + other + ", and " + config.file()
                    + " says workload.manager: " + manager + ": put " + other + " back, and end them there first");
        }
    }

    static List<String> foreignKeys(Journal journal) {
        return journal.jobs().stream()
                .map(job -> job.spec().foreign())
                .filter(key -> !key.isEmpty())
                .toList();
    }
}

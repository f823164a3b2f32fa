package org.spillway.head.journal;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Queues, users and accounts of jobs for which a node is there. */
public record Holders(Set<String> queues, Set<String> users, Set<String> accounts) {
    public static final Holders NOBODY = new Holders(Set.of(), Set.of(), Set.of());

    public Holders {
        queues = Set.copyOf(queues);
        users = Set.copyOf(users);
        accounts = Set.copyOf(accounts);
    }

    /** Of those jobs; a job without an account has none. */
    public static Holders of(Collection<JobRecord> jobs) {
        Set<String> queues = new HashSet<>();
        Set<String> users = new HashSet<>();
        Set<String> accounts = new HashSet<>();
        for (JobRecord job : jobs) {
            queues.add(job.spec().queue());
            users.add(job.spec().user());
            accounts.add(job.spec().terms().account());
        }
        accounts.remove("");
        return new Holders(queues, users, accounts);
    }

    Holders and(Holders others) {
        return new Holders(both(queues, others.queues), both(users, others.users), both(accounts, others.accounts));
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }
}

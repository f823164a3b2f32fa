package org.spillway.head.doctor;

import java.util.Collection;
import java.util.List;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;

/**
 * Findings of an examination.
 *
 * @param verdict the worst of all
 * @param head of this head's own folder
 * @param sites in the order of the configuration
 */
public record Examination(Verdict verdict, List<Finding> head, List<SiteExamined> sites) {
    public Examination {
        head = List.copyOf(head);
        sites = List.copyOf(sites);
    }

    static Examination of(List<Finding> head, List<SiteExamined> sites) {
        Verdict worst = worst(head);
        for (SiteExamined site : sites) {
            worst = site.verdict().compareTo(worst) > 0 ? site.verdict() : worst;
        }
        return new Examination(worst, head, sites);
    }

    /** @param verdict the worst of its checks */
    public record SiteExamined(String site, String driver, Verdict verdict, List<Finding> checks) {
        public SiteExamined {
            checks = List.copyOf(checks);
        }
    }

    static Verdict worst(Collection<Finding> findings) {
        return findings.stream().map(Finding::verdict).max(Verdict::compareTo).orElse(Verdict.GOOD);
    }

    /** Whether anything is. */
    public boolean isBroken() {
        return verdict == Verdict.BROKEN;
    }
}

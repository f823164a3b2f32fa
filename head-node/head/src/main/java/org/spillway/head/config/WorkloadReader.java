package org.spillway.head.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.head.config.HeadConfig.Workload;
import org.spillway.settings.Section;

/** Who gives jobs to nodes. */
final class WorkloadReader {
    private WorkloadReader() {}

    /** @param kinds by name, beside the head's own queue */
    static Workload read(Section section, Path base, Set<String> sites, Map<String, WorkloadKind> kinds) {
        var names = new ArrayList<>(List.of(Workload.OWN));
        names.addAll(kinds.keySet());
        var manager = section.oneOf("manager", Workload.OWN, names);
        var chosen = Workload.EMBEDDED;
        for (var kind : kinds.values()) {
            var own = section.section(kind.name(), manager.equals(kind.name()));
            if (!section.has(kind.name())) {
                continue;
            }
            if (!manager.equals(kind.name())) {
                section.mistake(
                        kind.name(),
                        "found with workload.manager " + manager + "; allowed: with manager: " + kind.name() + " only");
            }
            var read = kind.read(own, base, sites);
            own.noMore();
            if (manager.equals(kind.name())) {
                chosen = new Workload(manager, read);
            }
        }
        section.noMore();
        return chosen;
    }
}

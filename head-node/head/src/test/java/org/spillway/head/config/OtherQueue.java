package org.spillway.head.config;

import java.nio.file.Path;
import java.util.Set;
import org.spillway.settings.Section;

/** A workload manager without settings. */
final class OtherQueue implements WorkloadKind {
    private record Settings() implements WorkloadSettings {
        @Override
        public String title() {
            return "another queue";
        }

        @Override
        public String submitThere() {
            return "queue there";
        }
    }

    @Override
    public String name() {
        return "other";
    }

    @Override
    public WorkloadSettings read(Section section, Path base, Set<String> sites) {
        return new Settings();
    }
}

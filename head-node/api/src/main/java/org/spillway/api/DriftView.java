package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** A look at whether the root of a node's jobs is still its version. */
public record DriftView(
        String node,

        String site,

        @Describes("the version as IMAGE@DIGEST; empty before the end")
        String version,

        @OneOf({"WAITING", "RUNNING", "SAME", "DIFFERS", "UNKNOWN"})
        @Describes("how far the look is, then what it found")
        String state,

        @Describes("names that were compared") long done,

        @Describes("names that are to be compared; 0 before that is known")
        long all,

        @Describes("bytes that were read") long bytes,

        @Describes("why nothing was compared; else empty") String why,

        @Describes("how many more files differ than are named")
        long more,

        List<DriftedFile> differences) {
    public DriftView {
        differences = List.copyOf(differences);
    }

    /** A file that is not as the version has it. */
    public record DriftedFile(
            String path,

            @Describes(
                    "added, removed, type, content, target, device, mode, owner, links, attributes, unreadable, covered")
            List<String> changed,

            @Describes("package that owns it by the version's own lists; empty for none")
            String owner,

            @Describes("how they differ, for people") String how) {
        public DriftedFile {
            changed = List.copyOf(changed);
        }
    }

    /** Whether asking again may say more. */
    public boolean isOver() {
        return !state.equals("WAITING") && !state.equals("RUNNING");
    }
}

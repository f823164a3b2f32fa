package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** Logs of a node, as far as they are kept at home. */
public record NodeLogsView(
        String node,

        @Describes("of which something is kept, oldest first")
        List<BootView> boots,

        @Describes("the boot whose logs these are") int boot,

        List<SourceView> logs) {
    /** The sources of logs, in the order in which they are shown. */
    public static final List<String> SOURCES = List.of("console", "kernel", "agent", "manager", "health");

    public NodeLogsView {
        boots = List.copyOf(boots);
        logs = List.copyOf(logs);
    }

    /** A boot. */
    public record BootView(
            int number,

            @Describes("random; zeroes when only its provider has told of it")
            String id,

            Instant firstHeard,

            @Describes("when anything of it came last") Instant lastHeard,

            @Describes("that are kept") long bytes) {}

    /** A log. */
    public record SourceView(
            @OneOf({"console", "kernel", "agent", "manager", "health"})
            String source,

            @Describes("how many bytes lie before the first of these")
            long from,

            @Describes("place behind the last byte") long end,

            @Describes("without what looked like a secret; bytes that are no text are marks")
            String text) {}
}

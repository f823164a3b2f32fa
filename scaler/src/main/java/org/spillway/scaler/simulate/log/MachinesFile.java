package org.spillway.scaler.simulate.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.Resources;

/** {@code .machines} beside a log: number, name, nodes, processors of each, speed, memory of each in KiB. */
final class MachinesFile {
    private static final int MOST_GROUPS = 10_000;

    private MachinesFile() {}

    static List<NodeGroup> read(String source, Lines lines) throws IOException, BrokenLog {
        List<NodeGroup> groups = new ArrayList<>();
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.isBlank()) {
                continue;
            }
            try {
                groups.add(group(line.strip().split("\\s+")));
                if (groups.size() > MOST_GROUPS) {
                    throw new Malformed("more than " + MOST_GROUPS + " kinds of machines");
                }
            } catch (Malformed malformed) {
                throw new BrokenLog(
                        "the machines cannot be read",
                        List.of(source + ":" + lines.number() + ": " + malformed.what()),
                        false);
            }
        }
        return groups;
    }

    private static NodeGroup group(String[] fields) throws Malformed {
        if (fields.length < 6) {
            throw new Malformed(fields.length + " fields instead of 6");
        }
        return new NodeGroup(
                fields[1],
                (int) Numbers.whole("nodes", fields[2], 1, 1_000_000),
                Resources.of(
                        (int) Numbers.whole("processors", fields[3], 1, 100_000),
                        Numbers.whole("memory", fields[5], 0, 1L << 50) * 1024,
                        0));
    }
}

package org.spillway.proof.endtoend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.cli.Commands;
import org.spillway.head.command.HeadCommands;
import org.spillway.head.config.Installed;
import org.spillway.policy.builtin.QueueDepthPolicy;

/** A command of the head's machine as it has ended, with every driver that is installed. */
record Ended(int code, String out, String err) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param config the file that it is given */
    static Ended of(Path config, String... words) {
        var line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--config", config.toString()));
        var out = new StringWriter();
        var err = new StringWriter();
        var policy = new QueueDepthPolicy();
        int code = new Commands()
                .with(new HeadCommands(
                        () -> Installed.withDrivers(Map.of(policy.name(), policy.defaults()), Map.of()),
                        (serving, newEpoch) -> 70,
                        Map::of))
                .commandLine(new HeadFixture.Root(), line.toArray(new String[0]))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(line.toArray(new String[0]));
        return new Ended(code, out.toString(), err.toString());
    }

    JsonNode json() throws IOException {
        return JSON.readTree(out);
    }
}

package org.spillway.slurm.manager;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Ends that {@code squeue --json} tells of jobs whose results are being fetched, and no other command does: whether
 * somebody ended them. Slurm 22.05 gives a reason to a script that ended badly and none to a job that was cancelled;
 * from 23.11 on it names all of a job's states.
 */
final class HiddenEnds {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Set<String> FINAL = Set.of(
            "COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "DEADLINE", "BOOT_FAIL");

    private HiddenEnds() {}

    /**
     * Whether each job was cancelled, by id. Those of which it is not said are missing.
     *
     * @throws IOException if that is not squeue's JSON
     */
    static Map<Long, Boolean> cancelled(String json) throws IOException {
        Map<Long, Boolean> cancelled = new HashMap<>();
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean jobs = parser.currentName().equals("jobs");
                if (parser.nextToken() == JsonToken.START_ARRAY && jobs) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        job(parser, cancelled);
                    }
                    return cancelled;
                }
                parser.skipChildren();
            }
        }
        throw new IOException("no jobs in it");
    }

    private static void job(JsonParser parser, Map<Long, Boolean> cancelled) throws IOException {
        long id = -1;
        Set<String> states = new HashSet<>();
        String reason = "";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "job_id" -> id = parser.getValueAsLong(-1);
                case "job_state" -> states(parser, states);
                case "state_reason" -> reason = parser.getValueAsString("");
                default -> parser.skipChildren();
            }
        }
        if (states.contains("CANCELLED")) {
            cancelled.put(id, true);
        } else if (states.stream().anyMatch(FINAL::contains)) {
            cancelled.put(id, false);
        } else if (!states.isEmpty() && !reason.isEmpty()) {
            cancelled.put(id, reason.equals("None"));
        }
    }

    private static void states(JsonParser parser, Set<String> states) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            states.add(parser.getValueAsString(""));
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            states.add(parser.getValueAsString(""));
        }
    }
}

package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** A backup of the journal. */
public record BackupView(
        String id,

        String file,

        @Describes("whether the configuration's schedule has begun it")
        boolean scheduled,

        @OneOf({"RUNNING", "DONE", "FAILED"}) String state,

        @Describes("how far it is, or why it failed; empty when there is nothing to say")
        String message,

        Instant begunAt,

        @Describes("of the file; 0 until it is done") long bytes,

        @Describes("that were read back from the file; 0 until it is done")
        long records) {
    @JsonIgnore
    public boolean isRunning() {
        return state.equals("RUNNING");
    }
}

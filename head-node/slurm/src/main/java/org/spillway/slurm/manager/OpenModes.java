package org.spillway.slurm.manager;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a job adds to its files of output ({@code --open-mode=append}). No command of Slurm's tells it of a job: sbatch says it in the
 * job's environment ({@code SLURM_OPEN_MODE}), which slurmctld keeps below its {@code StateSaveLocation}.
 *
 * @param state that folder; null where Slurm does not say one
 * @param byDefault {@code JobFileAppend}
 */
record OpenModes(@Nullable Path state, boolean byDefault) {
    private static final Logger LOG = LoggerFactory.getLogger(OpenModes.class);
    private static final String VARIABLE = "SLURM_OPEN_MODE=";
    private static final int MOST_BYTES = 16 << 20;

    /** By the filter's word in a job's {@code Extra}, which it says where sbatch does not; empty for none. */
    static Optional<Boolean> said(String extra) {
        return switch (extra) {
            case "spillway-open-mode:append" -> Optional.of(true);
            case "spillway-open-mode:truncate" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /** Of what {@code scontrol show config} tells. */
    static OpenModes of(String config) {
        return new OpenModes(
                SlurmText.configured("StateSaveLocation", config)
                        .filter(folder -> folder.startsWith("/"))
                        .map(Path::of)
                        .orElse(null),
                SlurmText.configured("JobFileAppend", config)
                        .filter("1"::equals)
                        .isPresent());
    }

    /**
     * Nobody loses lines that were there before where it is not known.
     *
     * @param job the array's number for a task of one
     */
    boolean adds(long job) {
        if (state == null) {
            return true;
        }
        Path kept = state.resolve("hash." + job % 10).resolve("job." + job).resolve("environment");
        byte[] bytes;
        try (InputStream in = Files.newInputStream(kept)) {
            bytes = in.readNBytes(MOST_BYTES);
        } catch (IOException unknown) {
            LOG.debug("job {}: whether it adds to its output is not known: {}", job, unknown.toString());
            return true;
        }
        // The number of variables, and each with a NUL behind it.
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = text.startsWith(VARIABLE, Integer.BYTES)
                ? Integer.BYTES
                : text.indexOf("\0" + VARIABLE, Integer.BYTES) + 1;
        return at > 0 ? text.startsWith("a", at + VARIABLE.length()) : byDefault;
    }
}

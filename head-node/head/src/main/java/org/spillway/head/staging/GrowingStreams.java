package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager.Growing;
import org.spillway.head.loop.port.Stager.Grown;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;

/**
 * Standard output and error of a job at home, which grow while it runs (ADR 63).
 *
 * @param user whose files they are
 * @param tag of the attempt
 */
record GrowingStreams(DirectorLink link, DirectorTarget director, JobRecord job, UserFiles user, String tag) {
    List<Grown> grow(List<Growing> streams) throws IOException, LinkDownException {
        List<Grown> grown = new ArrayList<>();
        for (Growing stream : streams) {
            grown.add(grow(stream));
        }
        return grown;
    }

    private Grown grow(Growing stream) throws IOException, LinkDownException {
        String node = job.run().nodes().get(stream.rank());
        JobSpec.Streams places = job.spec().streams();
        Path file = place(stream.name().equals("stdout") ? places.stdout() : places.stderr(), stream.rank());
        LogPart part = link.log(director, job.id(), job.run().attempt(), node, stream.name(), stream.after())
                .orElse(LogPart.NOTHING);
        byte[] bytes = part.bytes();
        long after = stream.after();
        for (int at = 0; at < bytes.length; ) {
            int end = Math.min(bytes.length, at + UserFiles.GROWTH_BYTES_MAX);
            try {
                boolean first = stream.first() && at == 0;
                byte[] piece = Arrays.copyOfRange(bytes, at, end);
                after = user.grow(file, places.adds() ? tag : "", part.from() + at, piece, first);
            } catch (FileRefused refused) {
                return new Grown(after, String.valueOf(refused.getMessage()));
            }
            at = end;
        }
        return new Grown(after, "");
    }

    /** Places of a job's results. Output of further ranks of a gang goes beside that of the first. @param tag of the attempt */
    static List<UserFiles.Rule> rules(JobSpec spec, int rank, String tag) {
        JobSpec.Streams streams = spec.streams();
        return spec.outputs().stream()
                .map(output -> {
                    boolean own = output.pattern().equals(Orders.STDOUT)
                            || output.pattern().equals(Orders.STDERR);
                    boolean grows = !output.tree()
                            && (output.destination().equals(streams.stdout())
                                    || output.destination().equals(streams.stderr()));
                    UserFiles.Growth growth = new UserFiles.Growth(grows, grows && streams.adds() ? tag : "");
                    return new UserFiles.Rule(
                            output.pattern(), place(output.destination(), own ? rank : 0), output.tree(), growth);
                })
                .toList();
    }

    /** Files that a run of the job may have added to. */
    static List<Path> added(JobSpec spec, int rank) {
        JobSpec.Streams streams = spec.streams();
        return streams.adds()
                ? Stream.of(streams.stdout(), streams.stderr())
                        .filter(file -> !file.isEmpty())
                        .map(file -> place(file, rank))
                        .toList()
                : List.of();
    }

    private static Path place(String destination, int rank) {
        return Path.of(rank > 0 ? destination + "." + rank : destination);
    }
}

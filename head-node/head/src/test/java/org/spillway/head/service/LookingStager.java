package org.spillway.head.service;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;

/** Looks at files that a test names, and moves nothing. @param looked patterns and destinations in the order in which they were asked for */
public record LookingStager(Map<String, Found> files, List<String> looked) implements Stager {
    @Override
    public Found look(JobSpec spec, JobSpec.Input input) throws FileRefused {
        looked.add(input.pattern());
        Found found = files.get(input.pattern());
        if (found == null) {
            throw new FileRefused(input.pattern() + ": there is no such file");
        }
        return found;
    }

    /** A destination below /locked may not be written, and one below /tight has little room. */
    @Override
    public Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes) {
        wishes.forEach(wish -> looked.add(wish.destination().toString()));
        return Optional.of(wishes.stream()
                .map(wish -> wish.destination().startsWith("/locked")
                        ? new UserFiles.Place("/locked: permission denied", "ext4 disk", Long.MAX_VALUE)
                        : new UserFiles.Place(
                                "", "ext4 disk", wish.destination().startsWith("/tight") ? 3 << 20 : Long.MAX_VALUE))
                .toList());
    }

    @Override
    public Extent measure(JobSpec spec) throws FileRefused {
        if (spec.inputs().stream().map(JobSpec.Input::target).distinct().count()
                < spec.inputs().size()) {
            throw new FileRefused("the inputs do not go into one folder");
        }
        return new Extent(1, 1);
    }

    @Override
    public JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Synced sync(DirectorTarget director, JobRecord job, Round round) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Grown> grow(DirectorTarget director, JobRecord job, List<Growing> streams) {
        throw new UnsupportedOperationException();
    }

    @Override
    public JobRun.Published publish(JobRecord job) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bringCheckpoint(DirectorTarget director, JobRecord job) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Checksum> gatherCheckpoint(JobRecord job) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendCheckpoint(DirectorTarget director, JobRecord job) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void forget(JobRecord job) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void clean(DirectorTarget director, String job) {
        throw new UnsupportedOperationException();
    }
}

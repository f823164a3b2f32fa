package org.spillway.proof.faultsim;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.UserFiles;

/** A stager that hands everything on, to be planted with one mistake. */
public class ForwardingStager implements Stager {
    private final Stager real;

    public ForwardingStager(Stager real) {
        this.real = real;
    }

    /** The same ports with the stager that is made of theirs. */
    public static Ports in(Ports ports, UnaryOperator<Stager> planted) {
        return new Ports(
                ports.effects(),
                ports.link(),
                ports.installer(),
                planted.apply(ports.stager()),
                ports.images(),
                ports.credentials(),
                ports.workload(),
                ports.directory(),
                ports.policy());
    }

    @Override
    public Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes) throws IOException {
        return real.look(spec, wishes);
    }

    @Override
    public Extent measure(JobSpec spec) throws IOException {
        return real.measure(spec);
    }

    @Override
    public Found look(JobSpec spec, JobSpec.Input input) throws IOException {
        return real.look(spec, input);
    }

    @Override
    public JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved)
            throws IOException, LinkDownException {
        return real.stageIn(director, job, store, alike, moved);
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved)
            throws IOException, LinkDownException {
        real.bringHome(director, job, moved);
    }

    @Override
    public Synced sync(DirectorTarget director, JobRecord job, Round round) throws IOException, LinkDownException {
        return real.sync(director, job, round);
    }

    @Override
    public List<Grown> grow(DirectorTarget director, JobRecord job, List<Growing> streams)
            throws IOException, LinkDownException {
        return real.grow(director, job, streams);
    }

    @Override
    public JobRun.Published publish(JobRecord job) throws IOException {
        return real.publish(job);
    }

    @Override
    public void bringCheckpoint(DirectorTarget director, JobRecord job) throws IOException, LinkDownException {
        real.bringCheckpoint(director, job);
    }

    @Override
    public List<Checksum> gatherCheckpoint(JobRecord job) throws IOException {
        return real.gatherCheckpoint(job);
    }

    @Override
    public void sendCheckpoint(DirectorTarget director, JobRecord job) throws IOException, LinkDownException {
        real.sendCheckpoint(director, job);
    }

    @Override
    public void forget(JobRecord job) throws IOException {
        real.forget(job);
    }

    @Override
    public void clean(DirectorTarget director, String job) throws IOException, LinkDownException {
        real.clean(director, job);
    }
}

package org.spillway.head.staging;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.InputsRefused;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserFiles.Packed;

/** Inputs on their way to a site: what they are is found out, and what is not there is brought. */
record InputStaging(DirectorLink link, InputFinder finder, SiteStager.Books books) {
    /** A job's input on its way. @param alike a job that may have brought the same; null for none */
    private record Copy(
            DirectorTarget director,
            UserFiles user,
            JobRecord job,
            String store,
            @Nullable JobRecord alike,
            LongConsumer moved) {}

    /** Whether a job waits for no other: what others make is there only when they have ended. */
    static boolean beginsAtOnce(JobSpec spec) {
        return spec.after().isEmpty() && spec.array() == null && spec.foreign().isEmpty();
    }

    JobRun.Staged stageIn(
            DirectorTarget director,
            InputFinder.Owned user,
            JobRecord job,
            String store,
            @Nullable JobRecord alike,
            LongConsumer moved)
            throws FileRefused, IOException, LinkDownException {
        link.prepare(director);
        Copy copy = new Copy(director, user.files(), job, store, alike, moved);
        InputFinder.Inputs inputs = finder.find(user, job.spec(), false, !beginsAtOnce(job.spec()));
        try {
            return stageIn(copy, inputs);
        } catch (FileRefused refused) {
            if (!inputs.remembered()) {
                throw refused;
            }
            // The user has gone on since it was submitted.
            return stageIn(copy, finder.find(user, job.spec(), false, true));
        }
    }

    private JobRun.Staged stageIn(Copy copy, InputFinder.Inputs inputs)
            throws FileRefused, IOException, LinkDownException {
        DirectorTarget director = copy.director;
        JobRecord job = copy.job;
        if (!inputs.pinned().isEmpty() && !finder.boundary().isHome().test(director.site())) {
            throw new FileRefused(inputs.pinned() + ": may not leave home (pinned.paths), and site " + director.site()
                    + " is not there");
        }
        List<Packed> files = inputs.all();
        if (files.isEmpty()) {
            return new JobRun.Staged(copy.store, 0, null);
        }
        String key = Orders.inputKey(job.id()) + PieceStore.RECIPE_SUFFIX;
        String listing = Listings.digest(files);
        int uid = job.spec().uid();
        try (Transfer transfer = link.staging(director)) {
            JobRecord alike = copy.alike;
            Checksum there = same(alike, copy.store, listing);
            if (alike != null
                    && there != null
                    && transfer.share(Orders.inputKey(alike.id()) + PieceStore.RECIPE_SUFFIX, key)) {
                copy.moved.accept(there.bytes());
                return new JobRun.Staged(copy.store, files.size(), there, listing, 0, inputs.image());
            }
            var place = new PackedInput.Place(director.site(), transfer, link.pieces(director), uid, job.id());
            DigestBook book = DigestBook.read(books.folder().resolve(Integer.toString(uid)));
            DistantInputs distant = pulled(copy, inputs.distant());
            LongConsumer further = distant == null ? copy.moved : bytes -> copy.moved.accept(distant.bytes() + bytes);
            var input = new PackedInput(place, copy.user, book, inputs.sources(), distant, inputs.begun(), further);
            Checksum checksum = input.bring();
            return new JobRun.Staged(copy.store, files.size(), checksum, listing, input.sentBytes(), inputs.image());
        }
    }

    /** Inputs from other ends, which have come; null for none. */
    private @Nullable DistantInputs pulled(Copy copy, List<DistantFile> files) throws IOException, LinkDownException {
        if (files.isEmpty()) {
            return null;
        }
        JobRecord job = copy.job;
        SiteStager.Elsewhere elsewhere = finder.elsewhere();
        var place = new DistantInputs.Place(
                link.pulls(copy.director),
                job.spec().uid(),
                job.id(),
                elsewhere.mostBytes(),
                elsewhere.reach(false, files.size()));
        DistantInputs distant = new DistantInputs(place, copy.user::tickets, files, books.clock(), copy.moved);
        boolean listed =
                job.spec().inputs().stream().anyMatch(input -> input.pattern().startsWith("urls:"));
        try {
            distant.bring();
        } catch (InputsRefused e) {
            if (listed && e.isLasting()) {
                PullTable.write(copy.user, job.spec().data().folder(), job.id(), distant);
            }
            throw e;
        }
        if (listed) {
            PullTable.write(copy.user, job.spec().data().folder(), job.id(), distant);
        }
        return distant;
    }

    /** The other job's bundle if it was made of these files; null if not. */
    private static @Nullable Checksum same(@Nullable JobRecord alike, String store, String listing) {
        JobRun.Staged its = alike == null ? null : alike.run().staged();
        return its != null && its.store().equals(store) && listing.equals(its.listing()) ? its.bundle() : null;
    }
}

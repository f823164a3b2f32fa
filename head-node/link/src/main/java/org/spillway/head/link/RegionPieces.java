package org.spillway.head.link;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PieceStore;

/** The store of inputs of one region. Calls block, and may be repeated. */
public interface RegionPieces {
    /** For each digest whether it seems that the user has sent such a piece: by its first bytes alone. */
    List<Boolean> have(int uid, List<Digest> digests) throws LinkDownException;

    /** For each length whether the user has sent any piece of it: one of which that is not so need not be asked for. */
    default List<Boolean> haveOfLength(int uid, List<Integer> lengths) throws LinkDownException {
        return Collections.nCopies(lengths.size(), false);
    }

    /**
     * Keeps what the results of a rank are made of, which lie there, so that they need not be sent as an input.
     *
     * @return whether that is over; while it is not, it is to be asked again
     */
    default boolean keepResults(int uid, String job, int attempt, int rank) throws LinkDownException {
        return true;
    }

    /**
     * Says what is about to come of a job's input, so that nodes may fetch it as it comes.
     *
     * @return false when nobody there listens to that: it comes all the same
     */
    default boolean expect(int uid, String job, InputPlan plan) throws LinkDownException {
        return false;
    }

    /**
     * Has a job's input put together of what is there.
     *
     * @param recipe SHA-256 of the recipe
     * @return empty while that lasts: it is to be asked again
     */
    Optional<PieceStore.Assembled> assemble(int uid, String recipe, String job) throws LinkDownException;
}

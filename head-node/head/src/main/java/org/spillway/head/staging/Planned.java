package org.spillway.head.staging;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.InputPlan.Where;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.Pieces;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Slice;

/** The plan of an input of which packs are about to go. Pure. */
final class Planned {
    private Planned() {}

    /**
     * @param digests of all pieces of {@code sources} in their order; null for those that come in a pack and were not read yet
     * @param packs the pieces that each has, by their place in {@code digests}
     * @param names of the packs
     * @param distant what has come from other ends
     */
    static InputPlan of(
            List<Source> sources,
            @Nullable Digest[] digests,
            List<List<Integer>> packs,
            List<String> names,
            List<Recipe.Part> distant) {
        @Nullable Where[] coming = new @Nullable Where[digests.length];
        for (int pack = 0; pack < packs.size(); pack++) {
            List<Integer> pieces = packs.get(pack);
            for (int i = 0; i < pieces.size(); i++) {
                coming[pieces.get(i)] = new Where.InPack(pack, i);
            }
        }
        List<InputPlan.Part> parts = new ArrayList<>();
        int next = 0;
        for (Source source : sources) {
            List<Where> pieces = new ArrayList<>();
            for (int left = Pieces.count(source.file().bytes()); left > 0; left--) {
                Digest known = digests[next];
                pieces.add(known == null ? Objects.requireNonNull(coming[next]) : new Where.Known(known));
                next++;
            }
            parts.add(new InputPlan.Part(Bundles.member(source.file()), pieces));
        }
        for (Recipe.Part part : distant) {
            List<Where> pieces = new ArrayList<>();
            part.pieces().forEach(piece -> pieces.add(new Where.Known(piece)));
            parts.add(new InputPlan.Part(part.member(), pieces));
        }
        return new InputPlan(names, parts);
    }

    /** Pieces in the packs that they travel in. */
    static List<List<Integer>> packs(List<Integer> wanted, List<Slice> slices) {
        List<List<Integer>> packs = new ArrayList<>();
        List<Integer> pack = new ArrayList<>();
        long bytes = 0;
        for (int i : wanted) {
            int length = slices.get(i).length();
            if (!pack.isEmpty() && (bytes + length > PackEnd.BYTES_MAX || pack.size() == PackEnd.PIECES_MAX)) {
                packs.add(pack);
                pack = new ArrayList<>();
                bytes = 0;
            }
            pack.add(i);
            bytes += length;
        }
        if (!pack.isEmpty()) {
            packs.add(pack);
        }
        return packs;
    }

    /** Of what a pack holds: another time or size of a file is another pack. */
    static String name(List<Slice> slices) {
        MessageDigest digest = Sha256.digest();
        for (Slice slice : slices) {
            Packed file = slice.file();
            String line = file.path() + "\0" + file.bytes() + "\0" + file.modifiedNanos() + "\0" + slice.from() + "\0"
                    + slice.length() + "\0";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return Digest.of(digest.digest()).hex();
    }
}

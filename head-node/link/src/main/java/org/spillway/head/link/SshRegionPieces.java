package org.spillway.head.link;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.PieceStore.Assembled;

/** Over the director's HTTPS. */
record SshRegionPieces(SiteLine line) implements RegionPieces {
    private static final int OK = 200;
    private static final int NOT_YET = 202;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    @Override
    public List<Boolean> have(int uid, List<Digest> digests) throws LinkDownException {
        List<Boolean> all = new ArrayList<>(digests.size());
        for (int from = 0; from < digests.size(); from += PieceStore.ASKED_MOST) {
            List<Digest> some = digests.subList(from, Math.min(digests.size(), from + PieceStore.ASKED_MOST));
            ByteBuffer asked = ByteBuffer.allocate(some.size() * Long.BYTES);
            some.forEach(digest -> asked.putLong(digest.prefix()));
            var answer = line.call("POST", "/v1/pieces/" + uid, asked.array());
            if (answer.status() != OK || answer.body().length != some.size()) {
                throw malformed(answer);
            }
            for (byte one : answer.body()) {
                all.add(one == 1);
            }
        }
        return all;
    }

    @Override
    public boolean expect(int uid, String job, InputPlan plan) throws LinkDownException {
        try {
            byte[] encoded = plan.encoded();
            return encoded.length <= InputPlan.BYTES_MAX
                    && line.call("POST", "/v1/plans/" + job + "/" + uid, encoded)
                                    .status()
                            == OK;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public List<Boolean> haveOfLength(int uid, List<Integer> lengths) throws LinkDownException {
        List<Boolean> all = new ArrayList<>(lengths.size());
        for (int from = 0; from < lengths.size(); from += PieceStore.ASKED_MOST) {
            List<Integer> some = lengths.subList(from, Math.min(lengths.size(), from + PieceStore.ASKED_MOST));
            ByteBuffer asked = ByteBuffer.allocate(some.size() * Integer.BYTES);
            some.forEach(asked::putInt);
            var answer = line.call("POST", "/v1/pieces/" + uid + "/lengths", asked.array());
            if (answer.status() == NOT_FOUND) {
                return RegionPieces.super.haveOfLength(uid, lengths); // a director of an earlier release
            }
            if (answer.status() != OK || answer.body().length != some.size()) {
                throw malformed(answer);
            }
            for (byte one : answer.body()) {
                all.add(one == 1);
            }
        }
        return all;
    }

    @Override
    public boolean keepResults(int uid, String job, int attempt, int rank) throws LinkDownException {
        String path = "/v1/pieces/" + uid + "/of/" + job + "/" + attempt + "/" + rank;
        // Any other answer than that it lasts is the last one: what is not kept is sent again, and that is all.
        return line.call("POST", path, new byte[0]).status() != NOT_YET;
    }

    @Override
    public Optional<Assembled> assemble(int uid, String recipe, String job) throws LinkDownException {
        var answer = line.call("POST", "/v1/inputs/" + job + "/" + uid + "/" + recipe, new byte[0]);
        try {
            return switch (answer.status()) {
                case OK -> {
                    String[] words = new String(answer.body(), StandardCharsets.US_ASCII)
                            .strip()
                            .split(" ", 2);
                    yield Optional.of(new Assembled.Whole(new Checksum(Long.parseLong(words[0]), words[1])));
                }
                case NOT_YET -> Optional.empty();
                case CONFLICT ->
                    Optional.of(new Assembled.Missing(
                            answer.text().lines().map(Digest::ofHex).toList()));
                case NOT_FOUND -> Optional.of(new Assembled.NoRecipe());
                default -> throw malformed(answer);
            };
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw malformed(answer);
        }
    }

    private LinkDownException malformed(SiteLine.Answer answer) {
        return new LinkDownException("the director of " + line.director().site() + " answered " + answer.status()
                + " to a question for an input");
    }
}

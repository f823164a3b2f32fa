package org.spillway.stage.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/**
 * A region's store of its users' inputs, in a staging space: {@code users/UID/packs} holds their bytes once,
 * {@code users/UID/recipes} what inputs are made of, and {@code KEY.recipe} says which of them a job has. A user's
 * digests match nothing but what that user has sent. May be used by several threads.
 */
public final class PieceStore {
    private static final String INPUT = "/in/0";
    /** Digests that may be asked for at once. */
    public static final int ASKED_MOST = 500_000;

    /** Behind the key of a job's input. */
    public static final String RECIPE_SUFFIX = ".recipe";

    /** Behind the name of a recipe: length and SHA-256 of the tar stream that it makes. */
    static final String SUM_SUFFIX = ".sum";

    /** A pack that was read and found right so lately is not read once more. */
    private static final Duration TRUSTED = Duration.ofMinutes(10);

    private static final int MISSING_TOLD = 50_000;
    private static final int GROWING_MOST = 64;
    private static final long RECIPE_BYTES_MAX = 256L << 20;

    private final Path root;
    private final InstantSource clock;
    private final Map<Integer, PackShelf> shelves = new ConcurrentHashMap<>();
    private final Map<String, GrowingInput> growing = new ConcurrentHashMap<>();

    /** How an input came together. */
    public sealed interface Assembled {
        /** @param tar of the whole stream */
        record Whole(Checksum tar) implements Assembled {}

        /** Pieces that are not there, or no longer right, each once; of very many the first. */
        record Missing(List<Digest> pieces) implements Assembled {}

        /** The recipe itself has not come. */
        record NoRecipe() implements Assembled {}
    }

    /** @param root of the staging space */
    public PieceStore(Path root, InstantSource clock) {
        this.root = root;
        this.clock = clock;
    }

    /** Of a job's input. */
    public static String inputKey(String job) {
        return "jobs/" + job + INPUT;
    }

    /** Where the head sends a pack, as a key of the staging space: there it stays growing, until it is looked for here. */
    public static String packKey(int uid, String name) {
        return "users/" + uid + "/packs/" + name;
    }

    /** Where the head sends a recipe, likewise. @param sha256 of its bytes */
    public static String recipeKey(int uid, String sha256) {
        return "users/" + uid + "/recipes/" + sha256;
    }

    private PackShelf shelf(int uid) throws IOException {
        PackShelf shelf = shelves.computeIfAbsent(uid, who -> new PackShelf(root.resolve("users/" + who + "/packs")));
        shelf.look();
        return shelf;
    }

    /** For each prefix of a digest whether that user has sent such a piece: a byte each, 0 or 1. */
    public byte[] have(int uid, long[] prefixes) throws IOException {
        Set<Long> there = shelf(uid).prefixes();
        return told(prefixes.length, i -> there.contains(prefixes[i]));
    }

    /** For each length whether that user has sent any piece of it: a byte each, 0 or 1. */
    public byte[] haveOfLength(int uid, int[] lengths) throws IOException {
        Set<Integer> there = shelf(uid).lengths();
        return told(lengths.length, i -> there.contains(lengths[i]));
    }

    private static byte[] told(int count, IntPredicate isThere) {
        byte[] answer = new byte[count];
        for (int i = 0; i < count; i++) {
            answer[i] = (byte) (isThere.test(i) ? 1 : 0);
        }
        return answer;
    }

    /**
     * Reads all pieces of an input, compares each with its digest, and gives the input to a job. May be repeated.
     *
     * @param key of the job's input
     */
    public Assembled assemble(int uid, String recipeSha, String key) throws IOException {
        Digest.ofHex(recipeSha);
        Path place = root.resolve(recipeKey(uid, recipeSha));
        PackShelf shelf = shelf(uid);
        Optional<Recipe> known = recipe(place, recipeSha);
        Optional<GrowingInput.Whole> grown = Optional.empty();
        if (known.isEmpty() || !isFresh(known.get(), shelf)) {
            grown = grown(uid, recipeSha, key);
            if (grown.isPresent()) {
                write(place, grown.get().encoded());
                known = recipe(place, recipeSha);
            }
        }
        if (known.isEmpty()) {
            return new Assembled.NoRecipe();
        }
        Recipe recipe = known.get();
        Set<String> packs = new LinkedHashSet<>();
        Set<Digest> missing = missing(recipe, shelf, packs);
        if (!missing.isEmpty()) {
            // A piece that comes in the stead of one that was read has to be read as well.
            grown.ifPresent(whole -> drop(key));
            return told(missing);
        }
        Instant now = clock.instant();
        shelf.touch(packs, now);
        Files.setLastModifiedTime(place, FileTime.from(now));
        Path sum = place.resolveSibling(recipeSha + SUM_SUFFIX);
        Checksum tar = shelf.areVerified(packs, now.minus(TRUSTED)) ? sum(sum) : null;
        if (tar == null && grown.isPresent()) {
            // Each piece was read and compared as it came.
            tar = grown.get().tar();
            write(sum, line(tar));
            grown.get().read().forEach((pack, at) -> shelf.verified(Set.of(pack), at));
        }
        if (tar == null) {
            InputReading reading = new InputReading(shelf);
            tar = reading.read(recipe);
            if (!reading.wrong.isEmpty()) {
                // All that lay in packs with a wrong byte, read right before or not.
                reading.wrong.addAll(missing(recipe, shelf, packs));
                return told(reading.wrong);
            }
            shelf.verified(packs, now);
            write(sum, line(tar));
        }
        write(pointer(key), (uid + " " + recipeSha + " " + new String(line(tar), US_ASCII)).getBytes(US_ASCII));
        drop(key);
        return new Assembled.Whole(tar);
    }

    /** Whether all of it was read and found right lately, so that nothing has to be waited for. */
    private boolean isFresh(Recipe recipe, PackShelf shelf) {
        Set<String> packs = new LinkedHashSet<>();
        return missing(recipe, shelf, packs).isEmpty()
                && shelf.areVerified(packs, clock.instant().minus(TRUSTED));
    }

    private void drop(String key) {
        Optional.ofNullable(growing.remove(key)).ifPresent(GrowingInput::end);
    }

    private static byte[] line(Checksum tar) {
        return (tar.bytes() + " " + tar.sha256() + "\n").getBytes(US_ASCII);
    }

    /** An input that has come as it was planned, all of it. */
    private Optional<GrowingInput.Whole> grown(int uid, String recipeSha, String key) throws IOException {
        GrowingInput its = growing.get(key);
        if (its == null || its.uid() != uid) {
            return Optional.empty();
        }
        its.lookFurther();
        return its.advance().filter(whole -> whole.recipe().equals(recipeSha));
    }

    private static Assembled told(Set<Digest> missing) {
        return new Assembled.Missing(missing.stream().limit(MISSING_TOLD).toList());
    }

    private static Set<Digest> missing(Recipe recipe, PackShelf shelf, Set<String> packs) {
        Set<Digest> missing = new LinkedHashSet<>();
        for (Recipe.Part part : recipe.parts()) {
            for (int i = 0; i < part.pieces().size(); i++) {
                Digest piece = part.pieces().get(i);
                shelf.place(piece, Pieces.length(part.member().bytes(), i))
                        .ifPresentOrElse(place -> packs.add(place.pack()), () -> missing.add(piece));
            }
        }
        return missing;
    }

    /** Empty when it is not here; one that has come whole takes its name. */
    private Optional<Recipe> recipe(Path place, String sha256) throws IOException {
        if (!arrived(place, sha256)) {
            return Optional.empty();
        }
        byte[] bytes = bytes(place);
        if (!Digest.of(Sha256.digest().digest(bytes)).equals(Digest.ofHex(sha256))) {
            Files.deleteIfExists(place); // a wrong byte: it has to come again
            return Optional.empty();
        }
        return Optional.of(Recipe.read(new ByteArrayInputStream(bytes)));
    }

    private synchronized boolean arrived(Path place, String sha256) throws IOException {
        Path part = place.resolveSibling(sha256 + ".part");
        if (!Files.isRegularFile(place, NOFOLLOW_LINKS) && Files.isRegularFile(part, NOFOLLOW_LINKS)) {
            if (!Digest.of(Sha256.digest().digest(bytes(part))).equals(Digest.ofHex(sha256))) {
                return false;
            }
            force(part);
            Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.isRegularFile(place, NOFOLLOW_LINKS);
    }

    private static byte[] bytes(Path file) throws IOException {
        if (Files.size(file) > RECIPE_BYTES_MAX) {
            throw new IOException("a recipe of more than " + RECIPE_BYTES_MAX + " bytes");
        }
        return Files.readAllBytes(file);
    }

    static @Nullable Checksum sum(Path sum) throws IOException {
        try {
            String[] words = Files.readString(sum).strip().split(" ", 2);
            return words.length == 2 ? new Checksum(Long.parseLong(words[0]), words[1]) : null;
        } catch (NoSuchFileException | IllegalArgumentException none) {
            return null;
        }
    }

    /** An input that a job has. @param recipe its SHA-256 */
    record Given(int uid, String recipe, Checksum tar) {}

    private Path pointer(String key) {
        return root.resolve(key + RECIPE_SUFFIX);
    }

    static Optional<Given> given(Path pointer) throws IOException {
        try {
            String[] words = Files.readString(pointer).strip().split(" ", 4);
            return words.length == 4
                    ? Optional.of(new Given(
                            Integer.parseInt(words[0]),
                            Digest.ofHex(words[1]).hex(),
                            new Checksum(Long.parseLong(words[2]), words[3])))
                    : Optional.empty();
        } catch (NoSuchFileException | IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /** The input of that key; empty when none was put together here. */
    public Optional<Checksum> given(String key) throws IOException {
        return given(pointer(key)).map(Given::tar);
    }

    /** Writes the tar stream of an input from byte {@code from} on. Who reads it has its digest. */
    public void copy(String key, long from, OutputStream sink) throws IOException {
        Given given = given(pointer(key)).orElseThrow(() -> new NoSuchFileException(key));
        Recipe recipe = recipe(given.uid(), given.recipe())
                .orElseThrow(() -> new NoSuchFileException(key, null, "its recipe is gone"));
        try (TarCopy copy = new TarCopy(shelf(given.uid()), from, sink)) {
            for (Recipe.Part part : recipe.parts()) {
                copy.add(part);
            }
            copy.finish();
        }
    }

    Optional<GrowingInput> coming(String key) {
        return Optional.ofNullable(growing.get(key));
    }

    Optional<Given> input(String key) throws IOException {
        return given(pointer(key));
    }

    Optional<Recipe> recipe(int uid, String sha256) throws IOException {
        return recipe(root.resolve(recipeKey(uid, sha256)), sha256);
    }

    Path recipes(int uid) {
        return root.resolve("users/" + uid + "/recipes");
    }

    /** An input that is on its way. */
    public final class Expected {
        private final String key;
        private final GrowingInput input;

        private Expected(String key, GrowingInput input) {
            this.key = key;
            this.input = input;
        }

        /** Takes in what has come. @return pieces that were found right, from the first one on; empty when all were */
        public OptionalInt advance() throws IOException {
            input.lookFurther();
            return input.advance().isPresent() ? OptionalInt.empty() : OptionalInt.of(input.right());
        }

        /** Nobody waits for it any more. */
        public void giveUp() {
            growing.remove(key, input);
            input.end();
        }
    }

    /**
     * An input of that key is on its way: what has come of it can be read before the rest has. Nothing of that outlives
     * this process, and nothing leans on it. Of too many at once the later ones are not taken, and nobody can read them.
     */
    public Expected expect(int uid, String key, InputPlan plan) throws IOException {
        GrowingInput next = new GrowingInput(uid, plan, shelf(uid), clock);
        GrowingInput last = growing.size() < GROWING_MOST ? growing.put(key, next) : growing.replace(key, next);
        if (last != null) {
            last.end();
        }
        return new Expected(key, next);
    }

    /** Length of an input's whole stream, be it there or on its way. */
    public OptionalLong expected(String key) throws IOException {
        GrowingInput its = growing.get(key);
        Optional<Checksum> given = given(key);
        return given.isPresent()
                ? OptionalLong.of(given.get().bytes())
                : its == null ? OptionalLong.empty() : OptionalLong.of(its.bytes());
    }

    /** The same as {@link #copy} of an input that is there or on its way, of which the rest is waited for. */
    public void copyGrowing(String key, long from, OutputStream sink) throws IOException {
        GrowingInput its = growing.get(key);
        if (its == null || given(key).isPresent()) {
            copy(key, from, sink);
        } else {
            its.copy(from, sink);
        }
    }

    /** Packs that jobs need just now: none of them may go. */
    Set<String> packsInUse(int uid, PackShelf shelf) throws IOException {
        Set<String> packs = new HashSet<>();
        for (Given given : allGiven()) {
            if (given.uid() == uid) {
                recipe(uid, given.recipe()).ifPresent(recipe -> missing(recipe, shelf, packs));
            }
        }
        return packs;
    }

    List<Given> allGiven() throws IOException {
        List<Given> all = new ArrayList<>();
        try (var jobs = Files.newDirectoryStream(root.resolve("jobs"))) {
            for (Path job : jobs) {
                given(Path.of(job + INPUT + RECIPE_SUFFIX)).ifPresent(all::add);
            }
        } catch (NoSuchFileException none) {
            return all;
        }
        return all;
    }

    PackShelf shelfOf(int uid) throws IOException {
        return shelf(uid);
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Makes a file at once or not at all; it is on disk then. */
    private void write(Path file, byte[] bytes) throws IOException {
        Files.createDirectories(file.getParent());
        Path draft = file.resolveSibling(
                file.getFileName() + "." + Thread.currentThread().threadId());
        Files.write(draft, bytes);
        force(draft);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (Path folder = file.getParent(); folder != null && folder.startsWith(root); folder = folder.getParent()) {
            force(folder);
        }
    }
}

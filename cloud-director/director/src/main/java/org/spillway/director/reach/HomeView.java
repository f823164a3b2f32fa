package org.spillway.director.reach;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

/** Home as one attempt sees it: what it was told a moment ago is not asked again. */
final class HomeView {
    private static final Duration FRESH = Duration.ofSeconds(10);
    private static final int MOST_KNOWN = 20_000;
    private static final int MOST_FOLDERS = 16;
    /** Questions for parts of a folder one by one before it is listed. */
    private static final int ONE_BY_ONE = 2;

    private static final int MOST_COUNTED = 1000;
    private static final int NEVER_LISTED = -1;

    private final HomeQuestions questions;
    private final Supplier<Optional<HomeQuestions.Asker>> who;
    private final InstantSource steady;
    private final SmallFiles small;
    private final LargeReads large;
    private final Executor threads;
    private final Map<String, Known> known = new LinkedHashMap<>();
    private final Map<String, Asked> asked = new LinkedHashMap<>(16, 0.75f, true);
    private final ReentrantLock listing = new ReentrantLock();
    private final Map<String, ListedFolder> folders = new LinkedHashMap<>(16, 0.75f, true);

    private record Known(Entry entry, Instant at) {}

    /** Names of a folder that were asked for one by one since then. */
    private record Asked(int times, Instant since) {}

    /**
     * @param small shared by all of the region, as are the large ones
     * @param threads for files that nobody has asked for yet; one waits for home
     */
    record Means(HomeQuestions questions, SmallFiles small, LargeFiles large, InstantSource steady, Executor threads) {}

    /** Small files beside one that was opened, as home had them at most so long ago as attributes hold. */
    record Beside(List<Entry> files, List<byte[]> contents, Duration left) {
        static final Beside NONE = new Beside(List.of(), List.of(), Duration.ZERO);
    }

    HomeView(Means means, Supplier<Optional<HomeQuestions.Asker>> who) {
        this.questions = means.questions;
        this.small = means.small;
        this.large = new LargeReads(means.large, means.steady);
        this.threads = means.threads;
        this.who = who;
        this.steady = means.steady;
    }

    /** An answer other than what was asked for. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        private final Status status;

        Refused(Status status) {
            super("home says " + status);
            this.status = status;
        }

        Status status() {
            return status;
        }
    }

    Entry entry(String path) throws IOException, InterruptedException {
        Optional<Entry> fresh = fresh(path);
        if (fresh.isPresent()) {
            return fresh.get();
        }
        if (path.equals("/")) {
            return ask(path);
        }
        String above = above(path);
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (whole(above).isEmpty() && isListed(above)) {
            listing.lockInterruptibly();
            try {
                if (whole(above).isEmpty()) {
                    list(above.isEmpty() ? "/" : above);
                }
            } catch (Refused refused) {
                if (refused.status() == Status.NONE) {
                    throw refused;
                }
                count(above, new Asked(NEVER_LISTED, Instant.MAX));
            } finally {
                listing.unlock();
            }
        }
        Optional<ListedFolder> whole = whole(above);
        if (whole.isEmpty()) {
            return ask(path);
        }
        Entry entry = whole.get().named(name).orElseThrow(() -> new Refused(Status.NONE));
        return isTold(entry) ? entry : ask(path);
    }

    /** Not so of a root, which the folder above it has by its name alone. */
    private static boolean isTold(Entry entry) {
        return !entry.identity().isEmpty();
    }

    /** A folder of which all was told a moment ago, also what is not there. */
    private Optional<ListedFolder> whole(String path) {
        return folder(path)
                .filter(ListedFolder::isWhole)
                .filter(folder -> folder.at.isAfter(steady.instant().minus(FRESH)));
    }

    /** A folder whose files are read one after the other, or of which one name after the other is asked for: all are told at once. */
    private synchronized boolean isListed(String path) {
        ListedFolder known = folders.get(path);
        Instant now = steady.instant();
        Asked before = asked.getOrDefault(path, new Asked(0, now));
        if (before.times == NEVER_LISTED || (known != null && !known.isWhole())) {
            return false;
        }
        int times = before.since.isAfter(now.minus(FRESH)) ? before.times : 0;
        count(path, new Asked(times + 1, times == 0 ? now : before.since));
        return times >= ONE_BY_ONE || (known != null && known.isGoneThrough());
    }

    private synchronized void count(String path, Asked times) {
        asked.put(path, times);
        if (asked.size() > MOST_COUNTED) {
            asked.remove(asked.keySet().iterator().next());
        }
    }

    private static String above(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private synchronized Optional<ListedFolder> folder(String path) {
        return Optional.ofNullable(folders.get(path));
    }

    /** As home has it now. */
    Entry ask(String path) throws IOException, InterruptedException {
        List<Entry> told = answer(Question.stat(path)).entries();
        if (told.size() != 1) {
            throw new Refused(Status.FAILED);
        }
        remember(path, told.getFirst());
        return told.getFirst();
    }

    List<Entry> list(String path) throws IOException, InterruptedException {
        Instant at = steady.instant();
        List<Entry> told = answer(Question.list(path)).entries();
        String above = path.equals("/") ? path : path + "/";
        told.stream().filter(HomeView::isTold).forEach(entry -> remember(above + entry.name(), entry));
        keep(path.equals("/") ? "" : path, told, at);
        return told;
    }

    private synchronized void keep(String path, List<Entry> told, Instant at) {
        folders.put(path, new ListedFolder(told, at, Optional.ofNullable(folders.get(path))));
        if (folders.size() > MOST_FOLDERS) {
            folders.remove(folders.keySet().iterator().next());
        }
    }

    byte[] read(String path, Entry file, long offset, int length) throws IOException, InterruptedException {
        if (SmallFiles.mayBe(file)) {
            Optional<byte[]> whole = whole(above(path), file);
            if (whole.isPresent()) {
                byte[] all = whole.get();
                int from = (int) Math.min(offset, all.length);
                return Arrays.copyOfRange(all, from, Math.min(all.length, from + length));
            }
        }
        LargeFiles.Source home =
                (from, count) -> answer(new Question(Question.Kind.READ, path, file.identity(), from, count))
                        .body();
        return LargeFiles.mayBe(file)
                ? large.read(asker().owner(), file, offset, length, home)
                : home.read(offset, length);
    }

    /** Of a small file, by a question for it with others of its folder that nobody has asked for yet. */
    private Optional<byte[]> whole(String path, Entry file) throws IOException, InterruptedException {
        String owner = asker().owner();
        Optional<ListedFolder> folder = folder(path);
        Optional<byte[]> known = small.of(owner, file);
        if (known.isEmpty()) {
            List<Entry> wanted = folder.isPresent()
                    ? folder.get().wanted(file, small, owner)
                    : small.begin(owner, file) ? List.of(file) : List.of();
            fetch(owner, path, wanted);
            known = small.of(owner, file);
        }
        List<Entry> ahead =
                folder.map(listed -> listed.ahead(file, small, owner)).orElse(List.of());
        if (!ahead.isEmpty()) {
            threads.execute(() -> {
                try {
                    fetch(owner, path, ahead);
                } catch (IOException told) {
                    // Whoever asks for one of them is told, too.
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        return known;
    }

    private void fetch(String owner, String path, List<Entry> wanted) throws IOException, InterruptedException {
        List<Optional<byte[]>> came = List.of();
        try {
            if (!wanted.isEmpty()) {
                came = answer(Question.whole(path, wanted)).contents();
            }
        } catch (Refused refused) {
            // The file is asked for alone, and its reader told what home says of that.
        } finally {
            for (int i = 0; i < wanted.size(); i++) {
                small.ended(owner, wanted.get(i), i < came.size() ? came.get(i).orElse(null) : null);
            }
        }
    }

    /** Files that whoever goes through the folder of that file will ask for next, as far as they are here. */
    Beside beside(String path, Entry file) throws IOException, InterruptedException {
        Optional<ListedFolder> folder = whole(above(path));
        if (folder.isEmpty() || !SmallFiles.mayBe(file)) {
            return Beside.NONE;
        }
        List<Entry> files = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        String owner = asker().owner();
        for (Entry each : folder.get().beside(file, small, owner)) {
            Optional<byte[]> known = small.of(owner, each).filter(all -> all.length == each.bytes());
            if (known.isPresent()) {
                files.add(each);
                contents.add(known.get());
            }
        }
        return new Beside(
                files,
                contents,
                Duration.between(steady.instant(), folder.get().at.plus(FRESH)));
    }

    private HomeQuestions.Asker asker() throws Refused {
        return who.get().orElseThrow(() -> new Refused(Status.DENIED));
    }

    private Reply answer(Question question) throws IOException, InterruptedException {
        Reply reply = questions.ask(asker(), question);
        if (reply.status() != Status.OK) {
            throw new Refused(reply.status());
        }
        return reply;
    }

    private synchronized Optional<Entry> fresh(String path) {
        return Optional.ofNullable(known.get(path))
                .filter(one -> one.at().isAfter(steady.instant().minus(FRESH)))
                .map(Known::entry);
    }

    private synchronized void remember(String path, Entry entry) {
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(path, new Known(entry, steady.instant()));
    }
}

package org.spillway.director.reach;

import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;

/** A folder that was listed for an attempt, and how far its files were asked for and told. */
final class ListedFolder {
    /** Entries of a folder that is listed for one of them. */
    static final int MOST_ANEW = 5000;

    /** Whoever has asked for so many files at once goes through the folder. */
    private static final int GOES_ON = 16;

    private static final int MOST_BESIDE = 64;
    private static final int MOST_BESIDE_BYTES = 256 * 1024;

    final Instant at;
    private final int entries;
    /** All of them; empty of a large folder. */
    private final Map<String, Entry> names = new HashMap<>();

    private final List<Entry> files;
    private final Map<String, Integer> places = new HashMap<>();
    /** Files that the node has had. */
    private final BitSet told = new BitSet();
    /** Files to ask for at once: twice as many each time, as far as the program goes on. */
    private int next = 1;
    /** Nobody has to look what is ahead before a file of this place is read. */
    private int looked;

    /** @param before the same folder as it was listed before */
    ListedFolder(List<Entry> listed, Instant at, Optional<ListedFolder> before) {
        this.files = listed.stream().filter(SmallFiles::mayBe).limit(MOST_ANEW).toList();
        this.at = at;
        this.entries = listed.size();
        if (isWhole()) {
            listed.forEach(entry -> names.put(entry.name(), entry));
        }
        for (int i = 0; i < files.size(); i++) {
            places.put(files.get(i).name(), i);
        }
        before.ifPresent(folder -> next = folder.next());
    }

    boolean isWhole() {
        return entries <= MOST_ANEW;
    }

    Optional<Entry> named(String name) {
        return Optional.ofNullable(names.get(name));
    }

    /** Whether more than one file of it was asked for. */
    synchronized boolean isGoneThrough() {
        return next > 1;
    }

    private synchronized int next() {
        return next;
    }

    private synchronized int more() {
        int now = next;
        next = Math.min(Question.MOST_WHOLE, 2 * now);
        return now;
    }

    /** The file and others behind it, as many as belong into one question, without those that somebody has asked for. */
    List<Entry> wanted(Entry file, SmallFiles small, String owner) {
        List<Entry> wanted = new ArrayList<>();
        if (small.begin(owner, file)) {
            wanted.add(file);
        }
        add(wanted, place(file), files.size(), more(), small, owner);
        return wanted;
    }

    /** Files to ask for before anybody wants them, when {@code file} was read now: mostly none. */
    List<Entry> ahead(Entry file, SmallFiles small, String owner) {
        int place = place(file);
        int most;
        synchronized (this) {
            if (next < GOES_ON || place < looked) {
                return List.of();
            }
            most = more();
            looked = place + most / 2;
        }
        List<Entry> wanted = new ArrayList<>();
        add(wanted, place, most, most, small, owner);
        return wanted;
    }

    private int place(Entry file) {
        return places.getOrDefault(file.name(), 0);
    }

    /** Of the {@code reach} files behind that place those that nobody has asked for, so many with the ones that are there. */
    private void add(List<Entry> wanted, int place, int reach, int most, SmallFiles small, String owner) {
        long bytes = wanted.stream().mapToLong(Entry::bytes).sum();
        for (int i = 1; i < files.size() && i <= reach && wanted.size() < most; i++) {
            Entry each = files.get((place + i) % files.size());
            if (bytes + each.bytes() <= Question.MOST_WHOLE_BYTES && small.begin(owner, each)) {
                wanted.add(each);
                bytes += each.bytes();
            }
        }
    }

    /** Files behind this one that are here and that the node has not had, for whoever goes through the folder. Each is told once. */
    synchronized List<Entry> beside(Entry file, SmallFiles small, String owner) {
        int place = place(file);
        told.set(place);
        List<Entry> beside = new ArrayList<>();
        long bytes = 0;
        int most = next < GOES_ON / 2 ? 0 : MOST_BESIDE;
        for (int i = place + 1; i < files.size() && i <= place + 2 * most && beside.size() < most; i++) {
            Entry each = files.get(i);
            if (!told.get(i) && bytes + each.bytes() <= MOST_BESIDE_BYTES && small.has(owner, each)) {
                told.set(i);
                beside.add(each);
                bytes += each.bytes();
            }
        }
        return beside;
    }
}

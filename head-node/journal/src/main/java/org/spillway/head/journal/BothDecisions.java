package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Decisions of a journal and of its archive, as {@link BothFiles}: the journal first. */
final class BothDecisions implements DecisionLog {
    private final SqliteReader journal;
    private final Supplier<Optional<SqliteReader>> archive;

    /** @param archive as it is at that moment: the first thing that is moved makes it */
    BothDecisions(SqliteReader journal, Supplier<Optional<SqliteReader>> archive) {
        this.journal = journal;
        this.archive = archive;
    }

    @Override
    public Optional<DecisionEntry> find(String id) {
        return first(file -> file.decision(id));
    }

    @Override
    public Optional<DecisionEntry> at(Instant time) {
        return first(file -> file.decision(time));
    }

    private Optional<DecisionEntry> first(Function<SqliteReader, Optional<DecisionEntry>> read) {
        return read.apply(journal).or(() -> archive.get().flatMap(read));
    }

    @Override
    public List<Line> latest(int most) {
        List<Line> here = journal.decisions(most);
        Optional<SqliteReader> old = archive.get();
        if (old.isEmpty() || here.size() >= most) {
            return here;
        }
        Set<String> seen = new HashSet<>();
        List<Line> all = new ArrayList<>(here);
        all.addAll(old.get().decisions(most));
        all.removeIf(line -> !seen.add(line.id()));
        all.sort(Comparator.comparing(Line::at).reversed());
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }
}

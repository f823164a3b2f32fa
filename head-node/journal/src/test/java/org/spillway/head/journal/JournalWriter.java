package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.head.cause.Told;

/** A head's stand-in in a process of its own: commits until it fails or is killed, and tells each commit. */
final class JournalWriter {
    /** Begins each line of ours: logging may write to the same place. */
    static final String MARK = "journal-writer: ";

    private JournalWriter() {}

    /** @param arguments state directory, commits to make, bytes of each script, and anything more to be a head's */
    public static void main(String[] arguments) {
        int commits = Integer.parseInt(arguments[1]);
        char[] filling = new char[Integer.parseInt(arguments[2])];
        Arrays.fill(filling, 'x');
        Path state = Path.of(arguments[0]);
        boolean isShort = false;
        try (JournalStore store = arguments.length > 3
                ? SqliteJournalStore.open(state, false, Entries.NOW)
                : SqliteJournalStore.open(state)) {
            System.out.println(MARK + "open");
            for (int i = 0; i < commits; i++) {
                long number = store.nextSequence();
                store.write(Entries.NOW, batch(i, new String(filling)), List.of());
                if (store.isShortOfRoom() && !isShort) {
                    isShort = true;
                    System.out.println(MARK + "short");
                }
                System.out.println(MARK + "committed " + i + " and took number " + number);
            }
            System.out.println(MARK + "done");
            while (commits == 0 && System.in.read() >= 0) {
                // Held until the parent lets go.
            }
        } catch (JournalFailure failure) {
            System.out.println(MARK + "failure " + failure.getMessage());
        } catch (IOException gone) {
            System.out.println(MARK + "gone");
        }
    }

    /** Three entries that belong together. */
    static List<Entry> batch(int number, String filling) {
        JobRecord job = Entries.fresh("a" + number).to(JobState.HELD, Told.of(filling), Entries.NOW);
        return List.of(job, Entries.fresh("b" + number), Entries.fresh("c" + number));
    }
}

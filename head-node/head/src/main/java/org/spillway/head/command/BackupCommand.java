package org.spillway.head.command;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import org.spillway.api.BackupOrder;
import org.spillway.api.BackupView;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.cli.HeadCommand;
import org.spillway.cli.Terminal;
import org.spillway.head.journal.JournalBackup;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalGlance;
import org.spillway.head.journal.JournalReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "backup",
        description = {
            "Copies the journal into a file, while the head runs or without one, for administrators.",
            "The copy is of one moment. It is written beside its place, read back as a whole, and renamed: a file of that"
                    + " name can be restored ('spillway state restore'). It has mode 600, for it holds everybody's"
                    + " scripts; keys and passwords (secrets/) are not in it.",
            "Where there is an archive of old jobs, it is copied into FILE.archive in the same way."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway backup /backup/journal-monday.db",
            "  spillway backup /backup/journal.db --replace --json",
            "",
            "Exit codes: 0 it is there and can be read, 1 it is not, 2 bad input."
        })
final class BackupCommand extends HeadCommand {
    private static final Duration PAUSE = Duration.ofMillis(200);

    @Option(names = "--replace", description = "Replace a file of that name.")
    boolean replace;

    @Option(names = "--json", description = "Print the backup as JSON, for programs.")
    boolean json;

    @Parameters(index = "0", paramLabel = "FILE", description = "On the head's machine, in a folder that is there.")
    Path file = Path.of("");

    @Override
    public Integer call() throws InterruptedException {
        var target = file.toAbsolutePath().normalize();
        try {
            return ofHead(head(), target);
        } catch (CliFailure away) {
            if (away.exitCode() != CliFailure.NOT_REACHED) {
                throw away;
            }
            return alone(target);
        } finally {
            Terminal.progress(err(), "");
        }
    }

    private int ofHead(HeadClient head, Path target) throws InterruptedException {
        var asked =
                HeadClient.read(head.post("/backups", new BackupOrder(target.toString(), replace)), BackupView.class);
        var view = asked;
        while (view.isRunning()) {
            Terminal.progress(err(), "backup " + target + ": " + view.message());
            Thread.sleep(PAUSE);
            view = head.list("/backups", "backups", BackupView.class).stream()
                    .filter(one -> one.id().equals(asked.id()) && one.begunAt().equals(asked.begunAt()))
                    .findFirst()
                    .orElseThrow(() -> new CliFailure(
                            CliFailure.FAILED, "the head was started again meanwhile", "order the backup once more"));
        }
        if (!view.state().equals("DONE")) {
            throw new CliFailure(CliFailure.FAILED, view.message(), "");
        }
        return shown(target, view.bytes(), view.records(), view.message());
    }

    /** As the head would, while no head can start. */
    private int alone(Path target) {
        var state = StateFolder.of(config);
        Terminal.progress(err(), "no head answers: the journal in " + state + " is copied");
        try (Closeable lock = JournalGlance.keepHeadsOut(state)) {
            JournalReport report = JournalBackup.write(state, target, replace, new JournalBackup.Watch() {
                @Override
                public void copied(long done, long all) {
                    Terminal.progress(err(), "copied " + done / 1_000_000 + " of " + all / 1_000_000 + " MB");
                }

                @Override
                public void verified(long rows) {
                    Terminal.progress(err(), "read back " + rows + " rows");
                }
            });
            String archive = JournalBackup.archive(
                            state, JournalBackup.archiveOf(target), replace, JournalBackup.Watch.NONE)
                    .map(old -> "with its archive, " + old.file() + ": " + old.records() + " records")
                    .orElse("");
            return shown(target, report.bytes(), report.records(), archive);
        } catch (JournalFailure | IOException failure) {
            throw new CliFailure(CliFailure.FAILED, String.valueOf(failure.getMessage()), "");
        }
    }

    private int shown(Path target, long bytes, long records, String archive) {
        Terminal.progress(err(), "");
        if (json) {
            var made = new LinkedHashMap<String, Object>();
            made.put("file", target.toString());
            made.put("bytes", bytes);
            made.put("records", records);
            made.put(
                    "archive",
                    archive.isEmpty() ? "" : JournalBackup.archiveOf(target).toString());
            return show(Json.writeIndented(made) + "\n");
        }
        return show(target + ": " + records + " records, " + (bytes + 999) / 1000 + " kB, read back as a whole\n"
                + (archive.isEmpty() ? "" : archive + "\n"));
    }
}

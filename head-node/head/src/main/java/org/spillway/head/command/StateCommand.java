package org.spillway.head.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandGroup;
import org.spillway.cli.Confirmation;
import org.spillway.cli.OwnCommand;
import org.spillway.cli.Table;
import org.spillway.cli.Terminal;
import org.spillway.head.journal.JournalBackup;
import org.spillway.head.journal.JournalCheck;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalReport;
import org.spillway.head.journal.JournalReport.Damage;
import org.spillway.head.journal.JournalRestore;
import org.spillway.head.journal.JournalSalvage;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "state",
        description = "Checks a journal, puts a backup in its place, or saves what can be read, without a head.",
        footer = {
            "",
            "Examples:",
            "  spillway state check /backup/journal-monday.db",
            "  spillway state restore /backup/journal-monday.db --config spillway.yaml",
            "  spillway state salvage state/journal.db saved.db"
        })
final class StateCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new StateCommand());
        line.addSubcommand("check", new Check());
        line.addSubcommand("restore", new Restore(Confirmation.STANDARD));
        line.addSubcommand("salvage", new Salvage());
        return line;
    }

    /** A command on files. */
    abstract static class Alone extends OwnCommand {
        @Option(names = "--json", description = "Print the findings as JSON, for programs.")
        boolean json;

        abstract int run();

        @Override
        public final Integer call() {
            try {
                return run();
            } catch (JournalFailure failure) {
                Terminal.progress(err(), "");
                throw new CliFailure(CliFailure.FAILED, String.valueOf(failure.getMessage()), "");
            }
        }

        void rows(long read) {
            Terminal.progress(err(), "read " + read + " rows");
        }

        @Override
        protected int show(String text) {
            Terminal.progress(err(), "");
            return super.show(text);
        }

        static String page(List<Damage> damages) {
            var table = new Table("TABLE", "KEY", "FOUND");
            damages.forEach(one -> table.row(one.table(), one.key(), one.what()));
            return table.toString();
        }

        static String line(JournalReport report) {
            return report.file() + ": " + report.records() + " records, " + report.lines()
                    + " lines of timelines, schema "
                    + report.schema()
                    + (report.identity().isEmpty()
                            ? ""
                            : ", state " + report.identity().substring(0, 12))
                    + ", epoch " + report.epoch() + ", " + report.commits() + " commits\n";
        }

        static Map<String, Object> json(JournalReport report) {
            var root = new LinkedHashMap<String, Object>();
            root.put("file", report.file().toString());
            root.put("whole", report.isWhole());
            root.put("bytes", report.bytes());
            root.put("schema", report.schema());
            root.put("identity", report.identity());
            root.put("epoch", report.epoch());
            root.put("commits", report.commits());
            root.put("records", report.records());
            root.put("lines", report.lines());
            root.put("damages", report.damages());
            root.put("more", report.more());
            return root;
        }
    }

    @Command(
            name = "check",
            description = {
                "Reads a whole journal or backup and its archive: pages, tables, each record, and what records need of"
                        + " each other. Changes nothing.",
                "Exit code 1 when anything is damaged; each damage is named by table and key."
            },
            footer = {
                "",
                "Examples:",
                "  spillway state check",
                "  spillway state check /backup/journal-monday.db --json"
            })
    static final class Check extends Alone {
        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "FOLDER|FILE",
                description = "A state directory or a file; the state of ./spillway.yaml, or ./state, unless given.")
        @Nullable
        Path place;

        @Override
        int run() {
            var asked = place == null ? StateFolder.of(null) : place;
            var journal = Files.isDirectory(asked) ? asked.resolve("journal.db") : asked;
            var report = JournalCheck.of(journal, this::rows);
            var archive = archive(asked).map(file -> JournalCheck.of(file, this::rows));
            var isWhole =
                    report.isWhole() && archive.filter(old -> !old.isWhole()).isEmpty();
            if (json) {
                var root = json(report);
                archive.ifPresent(old -> root.put("archive", json(old)));
                show(Json.writeIndented(root) + "\n");
            } else {
                show(page(report) + archive.map(Check::page).orElse(""));
            }
            return isWhole ? 0 : CliFailure.FAILED;
        }

        /** The archive of a state directory, or of a backup. */
        private static Optional<Path> archive(Path asked) {
            var file = Files.isDirectory(asked) ? asked.resolve("archive.db") : JournalBackup.archiveOf(asked);
            return Optional.of(file).filter(Files::exists);
        }

        private static String page(JournalReport report) {
            return line(report) + (report.isWhole() ? "Every page and every record can be read.\n" : damaged(report));
        }

        private static String damaged(JournalReport report) {
            return page(report.damages()) + report.count() + (report.count() == 1 ? " damage" : " damages")
                    + ". Put a backup in its place (spillway state restore FILE), or save what can be read (spillway state"
                    + " salvage " + report.file() + " OUT).\n";
        }
    }

    @Command(
            name = "restore",
            description = {
                "Puts a backup in the place of a stopped head's journal. It is checked before; the old journal stays beside"
                        + " it.",
                "The next head starts in quarantine: what the backup does not know keeps running and is counted, and no"
                        + " number is given twice. Jobs that were submitted since are not known any more."
            },
            footer = {"", "Example:", "  spillway state restore /backup/journal-monday.db --config spillway.yaml"})
    static final class Restore extends Alone {
        private final Confirmation confirmation;

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "The head's configuration, to find its state; ./spillway.yaml unless given.")
        @Nullable
        Path config;

        @Option(names = "--yes", description = "Do not ask, for scripts.")
        boolean yes;

        @Parameters(
                index = "0",
                paramLabel = "BACKUP",
                description = "As 'spillway backup' or 'state salvage' wrote it.")
        Path backup = Path.of("");

        Restore(Confirmation confirmation) {
            this.confirmation = confirmation;
        }

        @Override
        int run() {
            var state = StateFolder.of(config);
            var looked = JournalRestore.look(state, backup, this::rows);
            Terminal.progress(err(), "");
            err().print(line(looked.report()));
            looked.commitsKept()
                    .ifPresentOrElse(
                            kept -> err().println("The secrets of " + state + " remember " + kept
                                    + " commits: about "
                                    + Math.max(0, kept - looked.report().commits())
                                    + " are not in the backup."),
                            () -> err().println(
                                            "The secrets of " + state
                                                    + " have no mark (secrets/state-id): put them back first, or start with --new-epoch."));
            if (!confirmation.isGiven(yes, "The journal in " + state + " is replaced by it.", err())) {
                throw new CliFailure(CliFailure.FAILED, "nothing was changed", "");
            }
            var restored =
                    JournalRestore.write(state, backup, InstantSource.system().instant(), this::rows);
            var aside = restored.aside() == null ? "" : restored.aside().toString();
            if (json) {
                var root = json(restored.report());
                root.put("aside", aside);
                show(Json.writeIndented(root) + "\n");
            } else {
                show("Restored." + (aside.isEmpty() ? "" : " The old journal is " + aside + ".")
                        + "\nThe next 'spillway serve' starts in quarantine: what this journal does not know keeps running"
                        + " and is counted.\n");
            }
            return 0;
        }
    }

    @Command(
            name = "salvage",
            description = {
                "Copies all rows of a damaged journal that can be read into a new file, and lists those that cannot.",
                "The damaged file is only read. The new one is put in its place by 'spillway state restore'."
            },
            footer = {"", "Example:", "  spillway state salvage state/journal.db saved.db"})
    static final class Salvage extends Alone {
        @Parameters(index = "0", paramLabel = "FILE", description = "A damaged journal, of a head that is stopped.")
        Path file = Path.of("");

        @Parameters(index = "1", paramLabel = "OUT", description = "A new file.")
        Path out = Path.of("");

        @Override
        int run() {
            var salvaged = JournalSalvage.write(file, out);
            if (json) {
                var root = json(salvaged.report());
                root.put("saved", salvaged.saved());
                root.put("lost", salvaged.lost());
                show(Json.writeIndented(root) + "\n");
            } else {
                show(line(salvaged.report()) + (salvaged.lost().isEmpty() ? "" : page(salvaged.lost()))
                        + salvaged.saved() + " rows were saved, "
                        + (salvaged.lost().isEmpty()
                                ? "none is lost"
                                : salvaged.lost().size() + " lost, named above")
                        + ".\n" + (salvaged.report().isWhole() ? "" : needing(salvaged.report()))
                        + "Put it in place with: spillway state restore " + out + "\n");
            }
            return 0;
        }

        private static String needing(JournalReport report) {
            return "These need a row that is lost:\n" + page(report.damages());
        }
    }
}

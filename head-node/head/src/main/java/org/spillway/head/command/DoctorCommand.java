package org.spillway.head.command;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.AccountsView;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadCommand;
import org.spillway.cli.Main;
import org.spillway.cli.Table;
import org.spillway.cli.Terminal;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.doctor.Doctor;
import org.spillway.head.doctor.Examination;
import org.spillway.head.doctor.LaunchProbe;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalGlance;
import org.spillway.settings.Quantities;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "doctor",
        description = {
            "Says of each site whether it can be used, and how to repair it. Changes nothing, unless --launch is given.",
            "It asks the providers itself, so it needs no head: only the configuration (--config, or ./spillway.yaml) and"
                    + " the right to read its secrets.",
            "Exit code 1 when anything is BROKEN; a WARNING is worth a look.",
            "With --user it asks the head, and through it a node of each site, what they know of a user, and compares: exit"
                    + " code 1 on a difference. Users may ask for themselves."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway doctor --config spillway.yaml",
            "  spillway doctor aws-east --json",
            "  spillway doctor aws-east --record aws-east.jsonl",
            "  spillway doctor aws-east --launch",
            "  spillway doctor --user ada"
        })
public final class DoctorCommand extends HeadCommand {
    private final Supplier<Installed> installed;

    @Option(names = "--json", description = "Print the findings as JSON, for programs.")
    boolean json;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "For each site's provider, 1s to 10m; 60s unless given.")
    String timeout = "60s";

    @Option(
            names = "--record",
            paramLabel = "FILE",
            description = "Write all calls to providers and their answers to this new file, without secrets.")
    @Nullable
    Path record;

    @Option(
            names = "--launch",
            description =
                    "Launch the smallest machine of each SITE, which must be named, for a cent at most; look at the network"
                            + " to it and from it, and end it. Not while a head runs.")
    boolean launch;

    @Option(names = "--user", paramLabel = "NAME", description = "Compare what each place knows of this user.")
    @Nullable
    String user;

    @Parameters(arity = "0..*", paramLabel = "SITE", description = "Sites of the configuration; all unless given.")
    List<String> sites = List.of();

    DoctorCommand(Supplier<Installed> installed) {
        this.installed = installed;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (user != null) {
            return compare(user);
        }
        var limit = limit();
        var configuration = ConfigFile.read(config, installed.get(), err());
        var wanted =
                AccountCommand.chosen(sites, List.copyOf(configuration.sites().keySet()));
        if (launch && sites.isEmpty()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--launch costs money", "name the sites that it is for");
        }
        var found = examined(configuration, wanted, limit);
        Terminal.progress(err(), "");
        show(json ? Json.writeIndented(json(found)) + "\n" : page(found));
        return found.isBroken() ? CliFailure.FAILED : 0;
    }

    private Examination examined(HeadConfig configuration, List<String> wanted, Duration limit)
            throws InterruptedException {
        try (var alone = launch ? alone(configuration) : nobody();
                var transcript = record == null ? null : Transcript.create(record, Main.version())) {
            var also = new Doctor.Also(transcript, launch ? LaunchProbe.real() : null);
            var doctor = new Doctor(configuration, installed.get().drivers(), limit, also);
            Terminal.progress(err(), "asking " + String.join(", ", wanted));
            var found = doctor.examine(
                    wanted, awaited -> Terminal.progress(err(), "waiting for " + String.join(", ", awaited)));
            if (transcript != null && transcript.failure() instanceof IOException full) {
                err().println(record + " is not whole: " + full.getMessage());
            } else if (transcript != null) {
                err().println(transcript.exchanges() + " calls are in " + record
                        + ". Secrets are not; names, addresses and ids are: look through it before you give it away.");
            }
            return found;
        } catch (IOException failed) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--record: " + failed.getMessage(), "name a new file in a folder of yours");
        }
    }

    private static Closeable nobody() {
        return () -> {};
    }

    /** A head would end the machine, as it is nobody's. */
    private static Closeable alone(HeadConfig configuration) {
        try {
            return JournalGlance.keepHeadsOut(configuration.state());
        } catch (JournalFailure running) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--launch: a head runs there, which would end the machine",
                    "end the head first, or leave --launch out");
        } catch (IOException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--launch: whether a head runs cannot be told: " + unreadable.getMessage(),
                    "ask as root, or as the user that the head runs as");
        }
    }

    private int compare(String user) throws InterruptedException {
        if (!sites.isEmpty()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--user compares all sites", "name no site with it");
        }
        if (launch || record != null) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--user asks the head that runs", "leave --launch and --record out");
        }
        var found = AccountPages.heard(
                () -> head().get("/users/" + URLEncoder.encode(user, StandardCharsets.UTF_8), AccountsView.class),
                nodes -> Terminal.progress(err(), nodes));
        show(json ? Json.writeIndented(found) + "\n" : AccountPages.page(found));
        return found.differences().isEmpty() ? 0 : CliFailure.FAILED;
    }

    private Duration limit() {
        try {
            var limit = Quantities.duration(timeout);
            if (limit.compareTo(Duration.ofSeconds(1)) >= 0 && limit.compareTo(Duration.ofMinutes(10)) <= 0) {
                return limit;
            }
        } catch (IllegalArgumentException malformed) {
            // Said below.
        }
        throw new CliFailure(CliFailure.BAD_INPUT, "--timeout: found '" + timeout + "'", "allowed: 1s to 10m");
    }

    public static String page(Examination found) {
        var page = new StringBuilder(group("this head", found.head()));
        for (var site : found.sites()) {
            page.append('\n').append(group("site " + site.site() + " (" + site.driver() + ")", site.checks()));
        }
        return page.append('\n').append(sum(found)).append('\n').toString();
    }

    private static String group(String title, List<Finding> findings) {
        var table = new Table("CHECK", "VERDICT", "FOUND", "REPAIR");
        findings.forEach(one -> table.row(one.check(), one.verdict(), one.detail(), one.repair()));
        return title + "\n" + table.toString().replaceAll("(?m)^", "  ").stripTrailing() + "\n";
    }

    private static String sum(Examination found) {
        var broken = new LinkedHashMap<String, Finding>();
        first(found.head()).ifPresent(one -> broken.put("this head", one));
        found.sites().forEach(site -> first(site.checks()).ifPresent(one -> broken.put("site " + site.site(), one)));
        if (broken.isEmpty()) {
            return "All that was checked can be used.";
        }
        var sum = new StringBuilder("BROKEN: ")
                .append(String.join(", ", broken.keySet()))
                .append(". The others can be used.");
        broken.forEach((what, one) -> sum.append("\nFirst, ")
                .append(what)
                .append(" (")
                .append(line(one.check()))
                .append("): ")
                .append(line(one.repair())));
        return sum.toString();
    }

    /** A provider's words go to a terminal. */
    private static String line(String told) {
        return told.replaceAll("\\p{Cntrl}", "?");
    }

    /** Checks stand in the order in which one needs the other. */
    private static Optional<Finding> first(List<Finding> findings) {
        return findings.stream().filter(one -> one.verdict() == Verdict.BROKEN).findFirst();
    }

    /** For programs: the same, by name. */
    static Map<String, Object> json(Examination found) {
        var root = new LinkedHashMap<String, Object>();
        root.put("verdict", found.verdict());
        root.put("head", found.head());
        root.put("sites", found.sites());
        return root;
    }
}

package org.spillway.head.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.api.Json;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandGroup;
import org.spillway.cli.HeadClient;
import org.spillway.cli.HeadCommand;
import org.spillway.cli.OwnCommand;
import org.spillway.cli.ReadingCommand;
import org.spillway.scaler.policyhost.Finding;
import org.spillway.scaler.policyhost.PolicyTrial;
import org.spillway.settings.Quantities;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "policy",
        description =
                "Says who decides how many nodes there should be: policies that are built in, and those of policies.d.",
        mixinStandardHelpOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway policy new night-shift",
            "  spillway policy check NightShift.java",
            "  cp NightShift.java policies.d/ && spillway policy enable night-shift"
        })
final class PolicyCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new PolicyCommand());
        line.addSubcommand("new", new New());
        line.addSubcommand("check", new Check());
        line.addSubcommand("list", new ListAll());
        line.addSubcommand("describe", new Describe());
        line.addSubcommand(
                "enable", change("enable", "Lets a policy decide from now on, whatever scaler.policy says."));
        line.addSubcommand(
                "disable",
                change("disable", "Lets a policy of policies.d decide nothing any more, until it is enabled."));
        line.addSubcommand("history", new History());
        return line;
    }

    private static CommandLine change(String action, String what) {
        var line = new CommandLine(new Change(action));
        line.getCommandSpec()
                .name(action)
                .usageMessage()
                .description(what)
                .footer("", "Example:", "  spillway policy " + action + " night-shift");
        return line;
    }

    /** A command that needs no head. */
    abstract static class Alone extends OwnCommand {
        void say(String line) {
            err().println(line);
            err().flush();
        }
    }

    @Command(
            name = "new",
            description = "Writes a policy to begin with: one file of Java that compiles and does something useful.",
            footer = {"", "Example:", "  spillway policy new night-shift"})
    static final class New extends Alone {
        @Option(names = "--to", paramLabel = "FOLDER", description = "Where to write it; here unless given.")
        Path folder = Path.of("");

        @Parameters(index = "0", paramLabel = "NAME", description = "Lower-case letters, digits and dashes.")
        String name = "";

        @Override
        public Integer call() {
            try {
                var file = folder.resolve(PolicyTrial.className(name) + ".java");
                Files.writeString(
                        file, PolicyTrial.example(name), StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
                return show("wrote " + file + "; try it: spillway policy check " + file + "\n");
            } catch (IllegalArgumentException wrong) {
                throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(wrong.getMessage()), "such as night-shift");
            } catch (FileAlreadyExistsException there) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, there.getMessage() + " is there already", "choose another name");
            } catch (IOException failure) {
                throw new CliFailure(CliFailure.FAILED, "it could not be written: " + failure.getMessage(), "");
            }
        }
    }

    @Command(
            name = "check",
            description = {
                "Compiles a policy and asks it about random clusters, as a head does before it lets it decide; needs no"
                        + " head.",
                "Exits with 2 and says file, line and column when it does not pass."
            },
            footer = {"", "Example:", "  spillway policy check NightShift.java --set idleTime=10m"})
    static final class Check extends Alone {
        @Option(
                names = "--set",
                paramLabel = "KEY=VALUE",
                description = "A setting to try it with, as under scaler.settings.")
        Map<String, String> settings = new LinkedHashMap<>();

        @Option(names = "--deadline", paramLabel = "TIME", description = "For one decision; 100ms unless given.")
        String deadline = "100ms";

        @Option(names = "--json", description = "Print what was found as JSON, for programs.")
        boolean json;

        @Parameters(index = "0", paramLabel = "FILE", description = "A .java or .jar file.")
        Path file = Path.of("");

        @Override
        public Integer call() {
            var result = tried();
            if (json) {
                show(Json.writeIndented(result) + "\n");
            } else if (result.passed()) {
                show("policy " + result.name() + " passed: " + result.clusters() + " random clusters; it "
                        + result.containment() + "\n" + PolicyPages.settings(settingsOf(result)));
            } else {
                result.findings().stream().map(Finding::toString).forEach(this::say);
            }
            return result.passed() ? 0 : CliFailure.BAD_INPUT;
        }

        private static List<PolicyDetail.SettingView> settingsOf(PolicyTrial.Result result) {
            return result.settings().stream()
                    .map(one ->
                            new PolicyDetail.SettingView(one.name(), one.allowed(), one.byDefault(), one.description()))
                    .toList();
        }

        private PolicyTrial.Result tried() {
            if (!Files.isRegularFile(file)) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "there is no file " + file, "'spillway policy new NAME' writes one");
            }
            try {
                return PolicyTrial.check(file, settings, 256, time(), this::say);
            } catch (IOException failure) {
                throw new CliFailure(CliFailure.BAD_INPUT, file + " cannot be read: " + failure.getMessage(), "");
            }
        }

        private Duration time() {
            try {
                return Quantities.duration(deadline);
            } catch (IllegalArgumentException wrong) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--deadline: " + wrong.getMessage(), "");
            }
        }
    }

    @Command(
            name = "list",
            description = "Lists the policies, and which one decides.",
            footer = {"", "Example:", "  spillway policy list"})
    static final class ListAll extends ReadingCommand {
        @Override
        protected String path() {
            return "/policies";
        }

        @Override
        protected String page(HeadClient head) {
            return PolicyPages.list(head.get(path(), PoliciesView.class));
        }
    }

    /** About one policy. */
    abstract static class OfOne extends ReadingCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "A policy, as 'spillway policy list' shows it.")
        String name = "";

        @Override
        protected String path() {
            return "/policies/" + part(name);
        }
    }

    @Command(
            name = "describe",
            description = "Shows a policy's settings, and what is wrong with it if anything is.",
            footer = {"", "Example:", "  spillway policy describe night-shift"})
    static final class Describe extends OfOne {
        @Override
        protected String page(HeadClient head) {
            return PolicyPages.describe(head.get(path(), PolicyDetail.class));
        }
    }

    @Command(
            name = "history",
            description = "Lists the versions of a policy of policies.d: since when, why replaced or refused, strikes.",
            footer = {"", "Example:", "  spillway policy history night-shift"})
    static final class History extends OfOne {
        @Override
        protected String page(HeadClient head) {
            return PolicyPages.history(head.get(path(), PolicyDetail.class));
        }
    }

    @Command
    static final class Change extends HeadCommand {
        private final String action;

        @Option(names = "--json", description = "Print the policy as JSON, for programs.")
        boolean json;

        @Parameters(index = "0", paramLabel = "NAME", description = "A policy, as 'spillway policy list' shows it.")
        String name = "";

        Change(String action) {
            this.action = action;
        }

        @Override
        public Integer call() {
            var body = head().post("/policies/" + part(name) + "/" + action);
            if (json) {
                return showJson(body);
            }
            var policy = HeadClient.read(body, PolicyDetail.class).policy();
            return show("policy " + policy.name() + " is " + policy.state() + "\n");
        }
    }

    /** Also the name of a file. */
    private static String part(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "'" + name + "' is no policy", "'spillway policy list' shows those that are");
        }
        return name;
    }
}

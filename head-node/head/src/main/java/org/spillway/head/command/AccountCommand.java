package org.spillway.head.command;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadCommand;
import org.spillway.cli.Terminal;
import org.spillway.head.config.Installed;
import picocli.CommandLine.Option;

/** A command about the accounts behind sites, for administrators. */
public abstract class AccountCommand extends HeadCommand {
    protected final Supplier<Installed> installed;

    @Option(names = "--json", description = "Print the answer as JSON, for programs.")
    protected boolean json;

    protected AccountCommand(Supplier<Installed> installed) {
        this.installed = installed;
    }

    /** Through the head if one answers, else from the configuration, if there is one. */
    protected Accounts accounts() {
        var head = head();
        try {
            head.get("/health");
            return new HeadsAccounts(head);
        } catch (CliFailure away) {
            if (away.exitCode() != CliFailure.NOT_REACHED
                    || (config == null && !Files.isRegularFile(ConfigFile.USUAL))) {
                throw away;
            }
            progress("no head answers: the configuration is read instead");
            return new OwnAccounts(
                    ConfigFile.read(config, installed.get(), err()),
                    installed.get().drivers());
        }
    }

    /** The sites that were asked for, or all; each of them is there. */
    static List<String> chosen(List<String> asked, List<String> all) {
        for (var site : asked) {
            if (!all.contains(site)) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "there is no site '" + site + "'", "sites: " + String.join(", ", all));
            }
        }
        return asked.isEmpty() ? all : new ArrayList<>(new LinkedHashSet<>(asked));
    }

    protected void progress(String text) {
        Terminal.progress(err(), text);
    }

    Consumer<String> progressOf(String what) {
        return text -> progress(what + (text.isEmpty() ? "" : ": " + text));
    }
}

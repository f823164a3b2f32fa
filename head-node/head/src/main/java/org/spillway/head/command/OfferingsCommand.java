package org.spillway.head.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.spillway.api.Json;
import org.spillway.api.OfferingView;
import org.spillway.cli.Table;
import org.spillway.head.config.Installed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "offerings",
        description = {
            "Lists what sites offer, with prices and how each is doing.",
            "Asks the head, for administrators; where none answers, the providers themselves (--config, or"
                    + " ./spillway.yaml)."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  spillway offerings aws-east --gpus", "  spillway offerings --type 'p5*' --json"})
final class OfferingsCommand extends AccountCommand {
    private static final long GIB = 1L << 30;

    @Option(names = "--type", paramLabel = "GLOB", description = "Only types that match, with * and ?.")
    String type = "*";

    @Option(names = "--gpus", description = "Only types with GPUs.")
    boolean gpus;

    @Parameters(arity = "0..*", paramLabel = "SITE", description = "Sites; all unless given.")
    List<String> sites = List.of();

    OfferingsCommand(Supplier<Installed> installed) {
        super(installed);
    }

    @Override
    public Integer call() {
        var accounts = accounts();
        var pattern = pattern(type);
        var offerings = new ArrayList<>(accounts.offerings(chosen(sites, accounts.sites())));
        progress("");
        offerings.removeIf(one -> !pattern.matcher(one.type()).matches() || (gpus && one.gpus() == 0));
        return show(json ? Json.writeIndented(Map.of("offerings", offerings)) + "\n" : page(offerings));
    }

    private static Pattern pattern(String glob) {
        var pattern = new StringBuilder();
        glob.codePoints()
                .forEach(letter -> pattern.append(
                        switch (letter) {
                            case '*' -> ".*";
                            case '?' -> ".";
                            default -> Pattern.quote(Character.toString(letter));
                        }));
        return Pattern.compile(pattern.toString());
    }

    static String page(List<OfferingView> offerings) {
        var table = new Table(
                "SITE",
                "ZONE",
                "TYPE",
                "MARKET",
                "CPUS",
                "MEMORY",
                "GPUS",
                "MODEL",
                "GPU MEMORY",
                "DISK",
                "FABRIC",
                "ARCHITECTURE",
                "PER HOUR",
                "HEALTH");
        for (var one : offerings) {
            table.row(
                    one.site(),
                    one.zone(),
                    one.type(),
                    one.market(),
                    one.cpus(),
                    size(one.memoryBytes()),
                    one.gpus() == 0 ? "" : one.gpus(),
                    one.gpuModel(),
                    size(one.gpuMemoryBytes()),
                    size(one.localDiskBytes()),
                    one.fabric(),
                    one.architecture(),
                    one.pricePerHour(),
                    one.health());
        }
        return table.toString();
    }

    private static String size(long bytes) {
        return bytes == 0 ? "" : bytes < GIB ? (bytes >> 20) + " MiB" : (bytes + GIB / 2) / GIB + " GiB";
    }
}

package org.spillway.slurm.setup;

import java.util.List;
import java.util.Locale;
import java.util.Random;

/** A slurm.conf as somebody may have written it. */
final class DrawnConf {
    private static final List<String> KEYS = List.of(
            "SlurmctldParameters=cloud_dns",
            "SlurmctldParameters=enable_configless,idle_on_node_suspend",
            "PrivateData=jobs,usage",
            "PrologFlags=Contain",
            "Prolog=/etc/slurm/prolog.d/*",
            "Epilog=/etc/slurm/epilog.sh",
            "SlurmdTimeout=30",
            "SlurmdTimeout=3000",
            "GresTypes=mps",
            "SuspendProgram=/usr/local/sbin/power-off",
            "ResumeProgram=/usr/local/sbin/power-on",
            "SuspendTime=600",
            "CliFilterPlugins=cli_filter/user_defaults",
            "CliFilterPlugins=lua",
            "BurstBufferType=burst_buffer/datawarp",
            "ReturnToService=1",
            "EnforcePartLimits=NO",
            "Include more.conf",
            "Include spillway.conf",
            "NodeName=DEFAULT Sockets=2",
            "NodeName=home[1-4] CPUs=8 State=UNKNOWN",
            "PartitionName=DEFAULT State=UP",
            "PartitionName=home Nodes=home[1-4] Default=YES");

    private final Random random;
    private final String newline;

    DrawnConf(Random random) {
        this.random = random;
        newline = random.nextInt(4) == 0 ? "\r\n" : "\n";
    }

    String text() {
        var text = new StringBuilder("ClusterName=lab").append(newline);
        for (int i = random.nextInt(25); i > 0; i--) {
            text.append(line()).append(random.nextInt(30) == 0 ? "\n" : newline);
        }
        if (random.nextInt(3) == 0) {
            text.append(random.nextBoolean() ? line() : line() + "\\");
        }
        return text.toString();
    }

    private String line() {
        return switch (random.nextInt(6)) {
            case 0 -> "";
            case 1 -> "# " + statement() + (random.nextBoolean() ? " \\" : " \u00e4\u00ff");
            case 2 -> "  " + statement() + "\t# and why \\";
            case 3 -> continued(statement());
            default -> statement();
        };
    }

    private String statement() {
        String said = KEYS.get(random.nextInt(KEYS.size()));
        int equals = said.indexOf('=');
        if (equals < 0) {
            return random.nextBoolean() ? said : said.replace("Include", "iNCLUDE ");
        }
        String key = said.substring(0, equals);
        return switch (random.nextInt(4)) {
            case 0 -> key.toLowerCase(Locale.ROOT) + said.substring(equals);
            case 1 -> key.toUpperCase(Locale.ROOT) + " = " + said.substring(equals + 1);
            default -> said;
        };
    }

    private String continued(String said) {
        int blank = said.indexOf(' ');
        return blank < 0 ? said + " \\" + newline : said.substring(0, blank) + " \\" + newline + said.substring(blank);
    }
}

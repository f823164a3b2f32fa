package org.spillway.head.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Mounts.Mount;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;

/** The list {@code sites.NAME.nodes.mounts}. */
final class MountsReader {
    private static final int MOST = 16;

    private static final Duration USUAL = Duration.ofSeconds(20);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    /** Words of a command on nodes: nothing in them means anything to a shell, and none is taken for an option. */
    private static final String SOURCE = "[A-Za-z0-9/\\[][A-Za-z0-9._:/@%+,=\\[\\]-]{0,254}";

    private static final String SOURCES =
            "a source as mount takes it, such as 10.0.0.5:/export/data, of up to 255 letters, digits and ._:/@%+,=[]-";
    private static final String TYPE = "[a-z0-9][a-z0-9._-]{0,30}";
    private static final String TYPES =
            "a type of file system such as nfs, of up to 31 lower-case letters, digits and ._-";
    private static final String OPTIONS = "[A-Za-z0-9][A-Za-z0-9._:/@%+=,\\[\\]-]{0,254}";
    private static final String OPTION_LIST =
            "options with commas, such as vers=4.2,ro, of up to 255 letters, digits and ._:/@%+=,[]-";
    /** The agent's own type: disks of the machine, empty or left by it (ADR 72). */
    private static final String SCRATCH = "scratch";

    private static final String DISKS = "nvme|/dev/[A-Za-z0-9._:/*+-]{1,200}";
    private static final String DISK_LIST =
            "nvme, which is the instance storage of AWS and Azure, or disks such as /dev/disk/by-id/virtio-scratch*";
    private static final Pattern LEAST = Pattern.compile("(?:^|,)least=([^,]*)");
    private static final Pattern SECRET = Pattern.compile("(?is)(^|.*[, ])(pass|passwd|password2?|secret)=.*");

    private final List<String> categories;

    /** @param categories names of those that there are */
    MountsReader(Set<String> categories) {
        this.categories = List.copyOf(categories);
    }

    /** @param registration a node's time for all of its gate */
    Mounts read(Section nodes, Duration registration) {
        Duration most = registration.compareTo(LONGEST) < 0 ? registration : LONGEST;
        List<Mount> all = new ArrayList<>();
        for (var section : nodes.sections("mounts", MOST)) {
            Mount each = mount(section, most);
            all.stream()
                    .filter(other -> meet(other.category(), each.category()) && overlap(other.at(), each.at()))
                    .findFirst()
                    .ifPresent(other -> section.mistake(
                            "at",
                            "found '" + each.at() + "' beside '" + other.at()
                                    + "' on the same nodes; allowed: places of which none is another or below it"));
            all.add(each);
        }
        return new Mounts(all);
    }

    private Mount mount(Section section, Duration most) {
        String at = section.value("at", null, "/", "a folder: " + NodeFolders.ALLOWED, text -> {
            if (!NodeFolders.allows(text)) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: a folder: " + NodeFolders.ALLOWED);
            }
            return text;
        });
        String type = section.matching("type", null, TYPE, TYPES);
        boolean scratch = type.equals(SCRATCH);
        String from = section.matching("from", null, scratch ? DISKS : SOURCE, scratch ? DISK_LIST : SOURCES);
        String options = section.value("options", "", "", OPTION_LIST, text -> options(text, scratch));
        Duration limit =
                section.duration("limit", most.compareTo(USUAL) < 0 ? most : USUAL, Duration.ofSeconds(1), most);
        String category = section.has("category") ? category(section) : "";
        section.unasked(List.of("category"));
        section.noMore();
        return new Mount(at, from, type, options, (int) limit.plusMillis(999).toSeconds(), category);
    }

    /** A secret is looked for first: other mistakes are shown with their text. */
    private static String options(String text, boolean scratch) {
        if (SECRET.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "found a secret, which a process's arguments would show to everybody; allowed: the name of a file"
                            + " that the image has, such as credentials=/etc/data.credentials");
        }
        if (!text.matches(OPTIONS)) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: " + OPTION_LIST);
        }
        var least = LEAST.matcher(text);
        if (scratch && least.find() && !least.group(1).matches("[1-9][0-9]{0,6}GB")) {
            throw new IllegalArgumentException("found 'least=" + least.group(1)
                    + "'; allowed: what all disks have together, such as least=1800GB");
        }
        return text;
    }

    private String category(Section section) {
        String allowed = categories.isEmpty() ? "none is defined" : String.join(", ", categories);
        return section.value("category", null, "", allowed, text -> {
            if (!categories.contains(text)) {
                throw new IllegalArgumentException(
                        "found '" + text + "'; allowed: " + allowed + Suggestion.phrase(text, categories));
            }
            return text;
        });
    }

    private static boolean meet(String one, String other) {
        return one.isEmpty() || other.isEmpty() || one.equals(other);
    }

    private static boolean overlap(String one, String other) {
        return (one + "/").startsWith(other + "/") || (other + "/").startsWith(one + "/");
    }
}

package org.spillway.slurm.conf;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.spillway.slurm.manager.HostList;
import org.spillway.slurm.settings.SlurmSettings;

/** Differences between the running Slurm and what the head wants. */
public final class Differences {
    private static final int SHOWN = 5;

    private final Wanted wanted;
    private final SlurmSettings head;
    private final Running running;
    private final ConfLines conf;
    private final List<Difference> all = new ArrayList<>();
    private final Set<String> slots = new LinkedHashSet<>();

    private Differences(Wanted wanted, SlurmSettings head, Running running, ConfLines conf) {
        this.wanted = wanted;
        this.head = head;
        this.running = running;
        this.conf = conf;
        wanted.nodes().forEach(group -> slots.addAll(group.names()));
    }

    /**
     * @param head what the head's own configuration says of Slurm
     * @param addressOf what a name of slurmctld's machine resolves to here; the name itself when it does not
     * @return in the order of the file that would be written
     */
    public static List<Difference> of(
            Wanted wanted, SlurmSettings head, Running running, ConfLines conf, UnaryOperator<String> addressOf) {
        var compared = new Differences(wanted, head, running, conf);
        compared.controllers(addressOf);
        compared.head();
        compared.settings();
        wanted.nodes().forEach(compared::nodes);
        wanted.partitions().forEach(compared::partition);
        compared.home();
        compared.reservations();
        return List.copyOf(compared.all);
    }

    private void controllers(UnaryOperator<String> addressOf) {
        for (String controller : running.controllers()) {
            String address = addressOf.apply(controller);
            if (isLoopback(address)) {
                String known = controller.equals(address) ? address : controller + ", which is " + address + " here";
                add(
                        "SlurmctldHost",
                        known,
                        "nodes of a cloud would call themselves",
                        "SlurmctldHost=NAME(ADDRESS) with an address of this machine that the sites' nodes have a route to");
            }
        }
    }

    /** Compares the head's own configuration with this Slurm. */
    private void head() {
        String user = running.value("SlurmUser").replaceFirst("\\(.*", "");
        if (!user.equals(head.user())) {
            add(
                    "SlurmUser",
                    user,
                    "the head takes workload.slurm.user " + head.user() + " for it, and refuses what Slurm asks",
                    "workload.slurm.user: " + user + " in the head's configuration");
        }
        String port = head.controller().substring(head.controller().lastIndexOf(':') + 1);
        if (!Running.words(running.value("SlurmctldPort").replace('-', ',')).contains(port)) {
            add(
                    "SlurmctldPort",
                    running.value("SlurmctldPort"),
                    "nodes call workload.slurm.controller " + head.controller(),
                    "the same port in both");
        }
        String socket = Running.words(running.value("AuthInfo")).stream()
                .filter(word -> word.startsWith("socket="))
                .map(word -> word.substring(7))
                .findFirst()
                .orElse("");
        if (!socket.isEmpty() && !socket.equals(head.mungeSocket().toString())) {
            add(
                    "AuthInfo",
                    running.value("AuthInfo"),
                    "munged of the nodes listens at workload.slurm.mungeSocket " + head.mungeSocket()
                            + ", where slurmd does not ask",
                    "workload.slurm.mungeSocket: " + socket + " in the head's configuration");
        }
    }

    private static boolean isLoopback(String address) {
        return address.startsWith("127.") || address.equals("localhost") || address.equals("::1");
    }

    private void settings() {
        for (Setting setting : wanted.settings()) {
            String found = running.value(setting.key());
            if (!setting.isMetBy(found) && isNeeded(setting)) {
                String repair = setting.line();
                if (setting.rule() == Setting.Rule.AMONG && !found.isEmpty()) {
                    Set<String> words = new LinkedHashSet<>(Running.words(found));
                    words.remove("none");
                    Set<String> lower = words.stream().map(Differences::lower).collect(Collectors.toSet());
                    Running.words(setting.value()).stream()
                            .filter(word -> !lower.contains(lower(word)))
                            .forEach(words::add);
                    repair = setting.key() + "=" + String.join(",", words);
                }
                add(setting.key(), found, setting.breaks(), repair);
            }
        }
    }

    private boolean isNeeded(Setting setting) {
        return switch (setting.key()) {
            case Wanted.FILTER -> running.filters();
            case Wanted.PRIVATE -> !running.showsPoweredDown();
            default -> true;
        };
    }

    private static String lower(String word) {
        return word.toLowerCase(Locale.ROOT);
    }

    private void nodes(NodeGroup group) {
        Map<String, List<String>> wrong = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (String name : group.names()) {
            Map<String, String> node = running.nodes().get(name);
            if (node == null) {
                missing.add(name);
            } else {
                wrongs(group, node)
                        .forEach(what -> wrong.computeIfAbsent(what, key -> new ArrayList<>())
                                .add(name));
            }
        }
        String place = conf.where("NodeName", group.hostList())
                .map(ConfLines.Line::place)
                .orElse("");
        if (!missing.isEmpty()) {
            all.add(new Difference(
                    "NodeName " + shortened(missing), place, "", "the head has no place for its nodes", group.line()));
        }
        wrong.forEach((what, names) ->
                all.add(new Difference("NodeName " + shortened(names), place, what, broken(what), group.line())));
    }

    private static List<String> wrongs(NodeGroup group, Map<String, String> node) {
        List<String> wrongs = new ArrayList<>();
        if (!node.getOrDefault("State", "").contains("CLOUD")) {
            wrongs.add("State without CLOUD");
        }
        if (!node.getOrDefault("CPUTot", "").equals(Integer.toString(group.cpus()))) {
            wrongs.add("CPUs=" + node.getOrDefault("CPUTot", ""));
        }
        if (!node.getOrDefault("RealMemory", "").equals(Long.toString(group.memoryMebibytes()))) {
            wrongs.add("RealMemory=" + node.getOrDefault("RealMemory", ""));
        }
        String gres = node.getOrDefault("Gres", "").replaceAll("\\([^)]*\\)", "");
        if (!gres.equals(group.gres())) {
            wrongs.add(gres.isEmpty() ? "no Gres" : "Gres=" + gres);
        }
        Set<String> features = new HashSet<>(Running.words(node.getOrDefault("AvailableFeatures", "")));
        if (!features.containsAll(group.features())) {
            wrongs.add("Feature=" + node.getOrDefault("AvailableFeatures", ""));
        }
        if (isLoopback(node.getOrDefault("NodeAddr", ""))) {
            wrongs.add("NodeAddr=" + node.get("NodeAddr"));
        }
        return wrongs;
    }

    private static String broken(String what) {
        return switch (what.split("[ =]", 2)[0]) {
            case "State" -> "Slurm takes it for a machine that is there, and sets it DOWN";
            case "NodeAddr" -> "nodes of a region would call themselves instead of each other";
            case "Feature" -> "jobs that ask for what it has by --constraint do not find it";
            default -> "jobs that it has room for are refused, or it is drained when it comes";
        };
    }

    private void partition(Partition partition) {
        Map<String, String> there = running.partitions().get(partition.name());
        Optional<ConfLines.Line> line = conf.where("PartitionName", partition.name() + " ");
        String place = line.map(ConfLines.Line::place).orElse("");
        String key = "PartitionName " + partition.name();
        if (there == null) {
            all.add(new Difference(key, place, "", "no job can be submitted to it", partition.line()));
            return;
        }
        Set<String> nodes = new HashSet<>(names(there.getOrDefault("Nodes", "")));
        List<String> lacks = partition.nodes().stream()
                .flatMap(group -> group.names().stream())
                .filter(name -> !nodes.contains(name))
                .toList();
        if (!lacks.isEmpty()) {
            all.add(new Difference(
                    key,
                    place,
                    "no nodes " + shortened(lacks),
                    "jobs of this partition never get these nodes",
                    partition.line()));
        }
        String state = there.getOrDefault("State", "");
        boolean untouched = there.getOrDefault("MinNodes", "").equals("0");
        if (state.equals("DOWN") && untouched) {
            all.add(new Difference(
                    key,
                    place,
                    "State=DOWN",
                    "its jobs wait until the head has made its reservation, and then it opens it",
                    "start the head; one that runs says what it lacks: spillway status"));
        } else if (!state.equals("UP")) {
            all.add(new Difference(
                    key,
                    place,
                    "State=" + state,
                    "its jobs wait",
                    "scontrol update partitionname=" + partition.name() + " state=up"));
        }
        if (line.map(ConfLines.Line::text).filter(text -> !isClosed(text)).isPresent()) {
            all.add(new Difference(
                    key,
                    place,
                    "no State=DOWN in slurm.conf",
                    "after each start of slurmctld it gives jobs nodes that nobody has bought, until the head has looked",
                    partition.line()));
        }
        String own = there.getOrDefault("SuspendTime", "GLOBAL");
        String suspends = (own.equals("GLOBAL") ? running.value("SuspendTime") : own).replaceFirst("\\s.*", "");
        if (!suspends.matches("[0-9]{1,12}") || Long.parseLong(suspends) < Partition.NEVER_SECONDS) {
            all.add(new Difference(
                    key,
                    place,
                    suspends.isEmpty() ? "no SuspendTime" : "SuspendTime=" + suspends,
                    "Slurm powers its nodes down by itself, or not even when it is told to",
                    partition.line()));
        }
    }

    private static boolean isClosed(String line) {
        return line.toLowerCase(Locale.ROOT).matches(".*\\sstate\\s*=\\s*down(\\s.*)?");
    }

    /** Compares the nodes that Slurm would power down though nobody buys them. */
    private void home() {
        if (!running.value("SuspendTime").matches("[0-9].*")) {
            return;
        }
        Set<String> kept = new HashSet<>(names(running.value("SuspendExcNodes")));
        Set<String> partitions = new HashSet<>(Running.words(running.value("SuspendExcParts")));
        List<String> home = running.nodes().values().stream()
                .filter(node -> !node.getOrDefault("State", "").contains("CLOUD"))
                .filter(node -> Running.words(node.getOrDefault("Partitions", "")).stream()
                        .noneMatch(partitions::contains))
                .map(node -> node.getOrDefault("NodeName", ""))
                .filter(name -> !slots.contains(name) && !kept.contains(name))
                .toList();
        if (!home.isEmpty()) {
            String before = running.value("SuspendExcNodes");
            add(
                    "SuspendExcNodes",
                    before,
                    "after " + running.value("SuspendTime") + " without a job nodes at home are taken for powered down",
                    "SuspendExcNodes=" + (before.isEmpty() ? "" : before + ",") + String.join(",", home));
        }
    }

    private void reservations() {
        running.reservations().forEach((name, fields) -> {
            List<String> flags = Running.words(fields.getOrDefault("Flags", ""));
            List<String> ours = names(fields.getOrDefault("Nodes", "")).stream()
                    .filter(slots::contains)
                    .toList();
            if (!name.equals(SlurmFiles.RESERVATION)
                    && !ours.isEmpty()
                    && !flags.contains("OVERLAP")
                    && !flags.contains("MAINT")) {
                all.add(new Difference(
                        "reservation " + name,
                        "",
                        "nodes " + shortened(ours) + " without OVERLAP or MAINT",
                        "the head's own reservation cannot hold them, and Slurm resumes them by itself",
                        "scontrol update reservationname=" + name + " flags+=OVERLAP"));
            }
        });
    }

    private static List<String> names(String hostList) {
        try {
            return HostList.names(hostList);
        } catch (NumberFormatException unreadable) {
            return Running.words(hostList);
        }
    }

    private void add(String key, String found, String breaks, String repair) {
        String place = conf.where(key).map(ConfLines.Line::place).orElse("");
        all.add(new Difference(key, place, found, breaks, repair));
    }

    private static String shortened(List<String> names) {
        String first = names.stream().limit(SHOWN).collect(Collectors.joining(","));
        return names.size() > SHOWN ? first + " and " + (names.size() - SHOWN) + " more" : first;
    }
}

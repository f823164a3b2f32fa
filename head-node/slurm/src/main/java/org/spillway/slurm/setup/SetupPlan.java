package org.spillway.slurm.setup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.spillway.slurm.conf.NodeGroup;
import org.spillway.slurm.conf.Partition;
import org.spillway.slurm.conf.Setting;
import org.spillway.slurm.conf.SlurmFiles;
import org.spillway.slurm.conf.Wanted;
import org.spillway.slurm.manager.HostList;

/**
 * A site's files as they should be, from what they are. Pure.
 *
 * @param files texts that differ from what they were, or new ones
 * @param notes sentences for the administrator about what was left alone, and what it costs
 */
record SetupPlan(Map<Path, Wish> files, List<String> notes) {
    /** @param executable of a new file */
    record Wish(String text, boolean executable) {}

    /**
     * @param conf slurm.conf
     * @param read a file's text without anything of ours; empty for one that is not there
     * @param place where things are on slurmctld's machine
     * @param filter whether {@code CliFilterPlugins=lua} is wished for where no filter is
     */
    record Site(Path conf, Function<Path, Optional<String>> read, SlurmFiles.Place place, boolean filter) {}

    static SetupPlan of(Site site, Wanted wanted) throws SetupRefused {
        var planning = new Planning(site, wanted);
        planning.plan();
        return new SetupPlan(planning.wishes, planning.notes);
    }

    private static final class Planning {
        /** Slurm's own, in seconds. */
        private static final Map<String, String> DEFAULTS = Map.of("SlurmdTimeout", "300", "SuspendTimeout", "30");

        private final Site site;
        private final Wanted wanted;
        private final ConfTree tree;
        private final Map<String, SlurmFiles.Written> written;
        private final Map<Path, List<Marks.Edit>> edits = new LinkedHashMap<>();
        private final List<String> lines = new ArrayList<>();
        private final Map<Path, Wish> wishes = new LinkedHashMap<>();
        private final List<String> notes = new ArrayList<>();
        private final Set<String> slots = new HashSet<>();

        Planning(Site site, Wanted wanted) {
            this.site = site;
            this.wanted = wanted;
            this.tree = ConfTree.of(site.conf(), site.read());
            this.written = SlurmFiles.of(wanted, site.place()).stream()
                    .collect(Collectors.toMap(SlurmFiles.Written::name, file -> file));
            wanted.nodes().forEach(group -> slots.addAll(group.names()));
        }

        void plan() throws SetupRefused {
            if (tree.said().isEmpty()) {
                throw new SetupRefused(
                        site.conf() + " is not there, or says nothing",
                        "name the slurm.conf that slurmctld reads: workload.slurm.conf");
            }
            tree.missing().forEach(file -> notes.add(file + " is included and not there: Slurm does not start so"));
            tree.ours().forEach(include -> replace(include, List.of()));
            for (Setting setting : wanted.settings()) {
                switch (setting.key()) {
                    case "Prolog", "Epilog" -> gate(setting);
                    case "BurstBufferType" -> burstBuffer(setting);
                    case Wanted.FILTER -> filter(setting);
                    case "ResumeProgram" -> program(setting, SlurmFiles.RESUME);
                    case "SuspendProgram" -> program(setting, SlurmFiles.SUSPEND);
                    default -> plain(setting);
                }
            }
            nodes();
            gres();
            finish();
        }

        private void plain(Setting setting) {
            Optional<ConfTree.Said> there = tree.last(setting.key());
            if (there.isEmpty()) {
                if (!setting.isMetBy(DEFAULTS.getOrDefault(setting.key(), ""))) {
                    add(setting.line());
                }
            } else if (!setting.isMetBy(there.get().value())) {
                replace(
                        there.get(),
                        List.of(setting.key() + "="
                                + together(setting, there.get().value())));
            }
        }

        private static String together(Setting setting, String found) {
            if (setting.rule() != Setting.Rule.AMONG || found.isBlank()) {
                return setting.value();
            }
            Set<String> words = new LinkedHashSet<>(List.of(found.split(",", -1)));
            Set<String> lower = words.stream()
                    .map(word -> word.toLowerCase(Locale.ROOT).replaceFirst("^.*/", ""))
                    .collect(Collectors.toSet());
            for (String word : setting.value().split(",", -1)) {
                if (!lower.contains(word.toLowerCase(Locale.ROOT))) {
                    words.add(word);
                }
            }
            words.remove("");
            return String.join(",", words);
        }

        /** A site's own goes on at home as it is; nodes of ours put their gate at its place, and call it behind. */
        private void gate(Setting setting) {
            Optional<ConfTree.Said> there = tree.last(setting.key());
            if (there.isEmpty()) {
                add("# No file of " + setting.key().toLowerCase(Locale.ROOT)
                        + "'s is needed at home: this is /usr/bin/true there, and the gate on nodes of Spillway.");
                add(setting.line());
            } else if (!there.get().value().startsWith("/")) {
                notes.add(setting.key() + "=" + there.get().value()
                        + " is no absolute path: nodes of Spillway cannot put their gate there");
            } else if (!there.get().value().equals(setting.value())) {
                notes.add(
                        setting.key() + "=" + there.get().value()
                                + " stays as it is; nodes of Spillway have their gate at that path, and call what their image has there behind it");
            }
        }

        private void program(Setting setting, String name) throws SetupRefused {
            Optional<ConfTree.Said> there = tree.last(setting.key());
            SlurmFiles.Written ours = file(name);
            String own = there.map(ConfTree.Said::value).orElse("");
            if (own.isEmpty()) {
                add(setting.line());
            } else if (!own.equals(setting.value())) {
                ours = SlurmFiles.before(ours, own, wanted, site.place());
                replace(there.orElseThrow(), List.of(setting.line()));
                notes.add(setting.key() + "=" + own + " goes on being called, by " + setting.value()
                        + ", for the nodes that are not Spillway's");
            }
            whole(ours, name);
        }

        private void burstBuffer(Setting setting) throws SetupRefused {
            Optional<ConfTree.Said> there = tree.last(setting.key());
            Path conf = beside("burst_buffer.conf");
            Path lua = beside("burst_buffer.lua");
            boolean others = isOthers(conf) || isOthers(lua);
            if ((there.isPresent() && !setting.isMetBy(there.get().value())) || others) {
                notes.add(
                        "the site's own burst buffer ("
                                + there.map(said -> said.statement().whole())
                                        .orElse(others && isOthers(lua) ? lua.toString() : conf.toString())
                                + ") stays as it is: Slurm has room for one, so #SPILLWAY lines mean nothing here; plain jobs run in the cloud and bring home what they write in their folder");
                return;
            }
            if (there.isEmpty()) {
                add(setting.line());
            }
            whole(file("burst_buffer.conf"), "burst_buffer.conf");
            whole(file("burst_buffer.lua"), "burst_buffer.lua");
        }

        /** A filter's file that is missing breaks every sbatch, so that none is made where there is none, unless it is asked for. */
        private void filter(Setting setting) throws SetupRefused {
            Optional<ConfTree.Said> there = tree.last(setting.key());
            boolean lua = there.isPresent() && setting.isMetBy(there.get().value());
            Path file = beside(SlurmFiles.FILTER);
            if (lua && isOthers(file)) {
                Path chained = beside(SlurmFiles.CHAINED_FILTER);
                whole(
                        new SlurmFiles.Written(
                                SlurmFiles.CHAINED_FILTER,
                                file(SlurmFiles.FILTER).text(),
                                false),
                        SlurmFiles.CHAINED_FILTER);
                String own = site.read().apply(file).orElse("");
                wishes.put(
                        file,
                        new Wish(
                                Marks.LUA.with(
                                        own,
                                        List.of(new Marks.Edit(
                                                ConfText.lines(own).size(),
                                                ConfText.lines(own).size(),
                                                SlurmFiles.chain(chained)))),
                                false));
            } else if (lua || site.filter()) {
                if (there.isEmpty()) {
                    add(setting.line());
                } else if (!lua) {
                    replace(
                            there.get(),
                            List.of(setting.key() + "="
                                    + together(setting, there.get().value())));
                }
                whole(file(SlurmFiles.FILTER), SlurmFiles.FILTER);
            } else {
                notes.add(
                        "CliFilterPlugins has no lua and gets none: mistakes in #SPILLWAY lines are told when a job is"
                                + " staged, and not by sbatch; --cli-filter changes that, with a file that must then be on every machine with sbatch");
            }
        }

        private void nodes() throws SetupRefused {
            for (ConfTree.Said said : tree.all("NodeName")) {
                List<String> names = names(said.value());
                if (names.stream().anyMatch(slots::contains)) {
                    if (!slots.containsAll(names)) {
                        throw new SetupRefused(
                                said.file() + ":" + (said.statement().first() + 1) + ": NodeName=" + said.value()
                                        + " has nodes of workload.slurm.nodes and others",
                                "give them a line of their own");
                    }
                    replace(said, List.of());
                }
            }
            Set<String> ours = wanted.partitions().stream().map(Partition::name).collect(Collectors.toSet());
            for (ConfTree.Said said : tree.all("PartitionName")) {
                if (ours.contains(said.value())) {
                    refuseOthersNodes(said);
                    replace(said, List.of());
                }
            }
            List<String> block = new ArrayList<>();
            wanted.nodes().stream().map(NodeGroup::line).forEach(block::add);
            wanted.partitions().stream().map(Partition::line).forEach(block::add);
            Optional<ConfTree.Said> defaults = tree.said().stream()
                    .filter(said -> (said.is("NodeName") || said.is("PartitionName"))
                            && said.value().equalsIgnoreCase("DEFAULT"))
                    .findFirst();
            if (defaults.isPresent()) {
                // A site's defaults are for its own nodes and partitions, and not meant for these.
                int at = defaults.get().top();
                edits(site.conf()).add(new Marks.Edit(at, at, block));
            } else {
                lines.addAll(block);
            }
        }

        private void refuseOthersNodes(ConfTree.Said said) throws SetupRefused {
            var nodes = ConfTree.field(said.statement().whole(), "Nodes");
            if (!slots.containsAll(names(nodes))) {
                throw new SetupRefused(
                        said.file() + ":" + (said.statement().first() + 1) + ": partition " + said.value()
                                + " is there, with other nodes: " + nodes,
                        "name the site or the queue otherwise in the head's configuration");
            }
        }

        private static List<String> names(String hostList) {
            try {
                return HostList.names(hostList);
            } catch (NumberFormatException unreadable) {
                return List.of(hostList);
            }
        }

        private void gres() throws SetupRefused {
            SlurmFiles.Written ours = written.get("gres.conf");
            if (ours == null) {
                return;
            }
            Path file = beside("gres.conf");
            if (!isOthers(file)) {
                whole(ours, "gres.conf");
                return;
            }
            String own = site.read().apply(file).orElse("");
            List<String> there = ConfText.of(own).statements().stream()
                    .map(ConfText.Statement::whole)
                    .toList();
            List<String> more = ours.text()
                    .lines()
                    .filter(line -> !line.startsWith("#") && !there.contains(line))
                    .toList();
            if (!more.isEmpty()) {
                int end = ConfText.lines(own).size();
                wishes.put(file, new Wish(Marks.CONF.with(own, List.of(new Marks.Edit(end, end, more))), false));
            }
        }

        private void finish() {
            int end = tree.file(site.conf()).lines().size();
            edits(site.conf()).add(new Marks.Edit(end, end, lines));
            edits.forEach((file, all) -> {
                String own = String.join("", tree.file(file).lines());
                wishes.put(file, new Wish(Marks.CONF.with(own, all), false));
            });
        }

        private void add(String line) {
            lines.add(line);
        }

        private void replace(ConfTree.Said said, List<String> by) {
            var edit = new Marks.Edit(said.statement().first(), said.statement().end(), by);
            // A file may be included twice.
            if (edits(said.file()).stream()
                    .noneMatch(other -> other.first() == edit.first() && other.end() == edit.end())) {
                edits(said.file()).add(edit);
            }
        }

        private List<Marks.Edit> edits(Path file) {
            return edits.computeIfAbsent(file, none -> new ArrayList<>());
        }

        private Path beside(String name) {
            return site.conf().resolveSibling(name);
        }

        private SlurmFiles.Written file(String name) {
            return Objects.requireNonNull(written.get(name), name);
        }

        private boolean isOthers(Path file) {
            return site.read()
                    .apply(file)
                    .filter(text -> !text.isBlank() && !ConfTree.isOurs(text))
                    .isPresent();
        }

        private void whole(SlurmFiles.Written ours, String name) throws SetupRefused {
            Path file = beside(name);
            if (isOthers(file)) {
                throw new SetupRefused(
                        file + " is there and is not Spillway's", "move it away, if nothing needs it, and try again");
            }
            wishes.put(file, new Wish(ours.text(), ours.executable()));
        }
    }
}

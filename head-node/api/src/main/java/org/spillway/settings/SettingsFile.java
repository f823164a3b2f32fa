package org.spillway.settings;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiFunction;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.nodes.Node;

/** Files in YAML that a person wrote: bounded in size and depth, without aliases, with the line of each mistake. */
public final class SettingsFile {
    /** Far more than a head with every site of the world needs. */
    private static final int MOST_BYTES = 256 * 1024;

    private static final int DEEPEST = 10;
    /** A UNIX socket's address has 108 bytes on Linux. */
    private static final int MOST_SOCKET_BYTES = 106;

    private SettingsFile() {}

    /** The file's content; empty, with a problem, where there is none. */
    public static Optional<Node> node(Path file, Problems problems) {
        return text(file, problems).flatMap(text -> root(text, problems));
    }

    /**
     * The socket of the head that this file configures; the rest of the file may be wrong.
     *
     * @throws ConfigMistakes if the file, its state or its socket cannot be read
     */
    public static Path socketOf(Path file) throws ConfigMistakes {
        return placeOf(file, (root, base) -> socket(root, root.path("state", base.resolve("state"), base), base));
    }

    /**
     * The state directory of the head that this file configures; the rest of the file may be wrong.
     *
     * @throws ConfigMistakes if the file or its state cannot be read
     */
    public static Path stateOf(Path file) throws ConfigMistakes {
        return placeOf(file, (root, base) -> root.path("state", base.resolve("state"), base));
    }

    private static Path placeOf(Path file, BiFunction<Section, Path, Path> read) throws ConfigMistakes {
        var whole = file.toAbsolutePath().normalize();
        var base = Optional.ofNullable(whole.getParent()).orElse(whole);
        var problems = new Problems();
        var place = node(whole, problems).map(node -> read.apply(new Section(problems, "", node, node), base));
        if (!problems.none() || place.isEmpty()) {
            throw new ConfigMistakes(whole.toString(), problems.inOrder());
        }
        return place.get();
    }

    private static Optional<String> text(Path file, Problems problems) {
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                problems.add(1, "", "the file is larger than " + MOST_BYTES + " bytes");
                return Optional.empty();
            }
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException notText) {
            problems.add(1, "", "the file is not text in UTF-8");
        } catch (NoSuchFileException missing) {
            problems.add(1, "", "there is no such file");
        } catch (IOException unreadable) {
            problems.add(1, "", "the file cannot be read: " + unreadable.getMessage());
        }
        return Optional.empty();
    }

    private static Optional<Node> root(String text, Problems problems) {
        var options = new LoaderOptions();
        options.setCodePointLimit(MOST_BYTES);
        options.setNestingDepthLimit(DEEPEST);
        try {
            for (var event : new Yaml(options).parse(new StringReader(text))) {
                if (event instanceof AliasEvent alias) {
                    problems.add(
                            alias.getStartMark().getLine() + 1,
                            "",
                            "found the alias '*" + alias.getAnchor() + "'; allowed: values written out");
                    return Optional.empty();
                }
            }
            var node = new Yaml(options).compose(new StringReader(text));
            if (node == null) {
                problems.add(1, "", "the file is empty; allowed: at least cluster, budget, queues and sites");
            }
            return Optional.ofNullable(node);
        } catch (MarkedYAMLException malformed) {
            var mark = malformed.getProblemMark();
            problems.add(mark == null ? 1 : mark.getLine() + 1, "", "not YAML: " + malformed.getProblem());
        } catch (YAMLException malformed) {
            problems.add(1, "", "not YAML: " + malformed.getMessage());
        }
        return Optional.empty();
    }

    /**
     * Where the head's socket is.
     *
     * @param state the head's folder, in which the socket is unless the file says otherwise
     * @param base against which the file's relative paths are read
     */
    public static Path socket(Section root, Path state, Path base) {
        var socket = root.path("socket", state.resolve("spillway.sock"), base);
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MOST_SOCKET_BYTES) {
            root.mistake(
                    root.has("socket") ? "socket" : "state",
                    "found '" + socket + "' of " + length + " bytes; allowed: a socket path of at most "
                            + MOST_SOCKET_BYTES + " bytes");
        }
        return socket;
    }
}

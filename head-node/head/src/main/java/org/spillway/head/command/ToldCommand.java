package org.spillway.head.command;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.HeadClient;
import org.spillway.cli.QuickCommands;
import org.spillway.cli.Surroundings;

/**
 * A command line as a launcher sends it, and the place where it was typed, as far as it was told. This process opens no
 * path of a user: what was not sent along is not here.
 */
final class ToldCommand implements Surroundings {
    private static final String VERSION = "2";
    private static final int MOST_ARGUMENTS = 10_000;

    private final Path here;
    private final List<String> arguments;
    private final String scriptPath;
    private final byte @Nullable [] script;
    private final String key;
    private final HeadClient head;
    private final Set<Path> files;

    private ToldCommand(Fields told, String key, HeadClient head) {
        if (!told.next().equals(VERSION)) {
            throw new NotHere("another protocol");
        }
        here = folder(told.next());
        scriptPath = told.next();
        int count = count(told.next());
        var words = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            words.add(told.next());
        }
        arguments = List.copyOf(words);
        script = told.rest();
        this.key = key;
        this.head = head;
        this.files = scriptPath.isEmpty() ? Set.of() : QuickCommands.destinations(arguments, here);
    }

    /**
     * Reads one: NUL ends each of version, folder, path of the script, number of arguments, and arguments; then, behind an
     * ampersand, the script.
     *
     * @throws NotHere if it cannot be read
     */
    static ToldCommand read(byte[] body, String key, HeadClient head) {
        return new ToldCommand(new Fields(body), key, head);
    }

    List<String> arguments() {
        return arguments;
    }

    @Override
    public HeadClient head(Supplier<Path> socket) {
        return head;
    }

    @Override
    public Path here() {
        return here;
    }

    @Override
    public InputStream script(String path) {
        if (script == null || !path.equals(scriptPath)) {
            throw new NotHere("the script was not sent");
        }
        return new ByteArrayInputStream(script);
    }

    @Override
    public boolean isDirectory(Path path) {
        if (files.contains(path)) {
            return false;
        }
        throw new NotHere("nobody said what is at this path");
    }

    @Override
    public String submissionKey() {
        return key;
    }

    @Override
    public void needOwnProcess() {
        throw new NotHere("the head does not wait, and opens no file");
    }

    private static Path folder(String text) {
        try {
            var path = Path.of(text);
            if (path.isAbsolute() && path.normalize().toString().equals(text)) {
                return path;
            }
        } catch (InvalidPathException strange) {
            throw new NotHere("a strange folder");
        }
        throw new NotHere("a strange folder");
    }

    private static int count(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > MOST_ARGUMENTS) {
            throw new NotHere("a strange number of arguments");
        }
        return Integer.parseInt(text);
    }

    /** Text up to each NUL. */
    private static final class Fields {
        private final byte[] body;
        private int at;

        Fields(byte[] body) {
            this.body = body;
        }

        String next() {
            int end = at;
            while (end < body.length && body[end] != 0) {
                end++;
            }
            if (end == body.length) {
                throw new NotHere("a field is missing");
            }
            try {
                var text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(body, at, end - at))
                        .toString();
                at = end + 1;
                return text;
            } catch (CharacterCodingException strange) {
                throw new NotHere("a word that is not UTF-8");
            }
        }

        byte @Nullable [] rest() {
            if (at == body.length) {
                return null;
            }
            if (body[at] != '&') {
                throw new NotHere("more than was said");
            }
            return Arrays.copyOfRange(body, at + 1, body.length);
        }
    }
}

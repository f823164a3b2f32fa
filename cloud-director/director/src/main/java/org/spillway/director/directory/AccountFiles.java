package org.spillway.director.directory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Two files of accounts, taken only as a whole. Blank lines and those that begin with {@code #} are passed over. */
final class AccountFiles implements NssSource.Database {
    private static final int MOST_BYTES = 64 << 20;
    private static final String NAME = "[A-Za-z0-9_][A-Za-z0-9_.@-]{0,254}\\$?";

    private final Path passwd;
    private final Path group;

    AccountFiles(Path passwd, Path group) {
        this.passwd = passwd;
        this.group = group;
    }

    @Override
    public List<String> lines(String name) throws IOException {
        boolean users = name.equals("passwd");
        Path file = users ? passwd : group;
        List<String> lines = new ArrayList<>();
        Map<String, Integer> names = new HashMap<>();
        int number = 0;
        for (String line : text(file).split("\n", -1)) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] field = line.split(":", -1);
            String wrong = users ? wrongUser(field) : wrongGroup(field);
            Integer before = names.putIfAbsent(field[0], number);
            if (wrong.isEmpty() && before != null) {
                wrong = "'" + field[0] + "' is in line " + before + " already";
            }
            if (!wrong.isEmpty()) {
                throw new IOException(file + ":" + number + ": " + wrong.replaceAll("\\p{Cntrl}", "?"));
            }
            lines.add(line);
        }
        return lines;
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(file + ": larger than " + MOST_BYTES + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new IOException(file + ": not text in UTF-8", notText);
        } catch (NoSuchFileException missing) {
            throw new IOException(file + ": there is no such file", missing);
        }
    }

    private static String wrongUser(String[] field) {
        if (field.length != 7) {
            return "found " + field.length + " fields; allowed: NAME:x:UID:GID:TEXT:HOME:SHELL";
        }
        if (NssAccounts.id(field[2]) < 0 || NssAccounts.id(field[3]) < 0) {
            return "found the ids '" + field[2] + "' and '" + field[3] + "'; allowed: 0 to 4294967294";
        }
        if (!field[5].startsWith("/")) {
            return "found the home '" + field[5] + "'; allowed: an absolute path";
        }
        return wrongName(field[0]);
    }

    private static String wrongGroup(String[] field) {
        if (field.length != 4) {
            return "found " + field.length + " fields; allowed: NAME:x:GID:MEMBER,MEMBER";
        }
        if (NssAccounts.id(field[2]) < 0) {
            return "found the id '" + field[2] + "'; allowed: 0 to 4294967294";
        }
        return wrongName(field[0]);
    }

    private static String wrongName(String name) {
        return name.matches(NAME) ? "" : "found the name '" + name + "'; allowed: letters, digits, '.', '_', '-', '@'";
    }

    /** None but those in the file. */
    @Override
    public @Nullable String user(String name) {
        return null;
    }

    @Override
    public String stamp() throws IOException {
        return stamp(passwd) + " " + stamp(group);
    }

    private static String stamp(Path file) throws IOException {
        try {
            BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
            return facts.lastModifiedTime() + "/" + facts.size() + "/" + facts.fileKey();
        } catch (NoSuchFileException missing) {
            throw new IOException(file + ": there is no such file", missing);
        }
    }
}

package org.spillway.director;

import java.util.Base64;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.ManagerGrant.GrantedFile;

/**
 * Whether what the head says about a workload manager can be carried out as it is, and means what it says in a line of
 * text. What the words mean is that manager's business: none of them can leave its line, its folder or its bounds.
 */
final class ManagerCheck {
    static final int MOST_PARAMETERS = 32;
    static final int MOST_FILES = 16;
    static final int MOST_FILE_BYTES = 64 * 1024;
    static final int MOST_PROGRAM_BYTES = 64 * 1024;
    private static final int MOST_WORD = 1024;
    private static final int LONGEST_FOLDER_BYTES = 4096;

    private static final Pattern MANAGER = Pattern.compile("[a-z][a-z0-9-]{0,19}");
    private static final Pattern SLOT = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final Pattern TURN = Pattern.compile("[A-Za-z0-9-]{0,64}");
    private static final Pattern PARAMETER = Pattern.compile("[a-z][a-zA-Z0-9-]{0,31}");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._:@%,=+\\[\\]-][A-Za-z0-9._:@%,=+\\[\\]/-]*");
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");
    private static final Pattern FILE = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    /** Keys of lines that are not parameters. */
    private static final Set<String> TAKEN = Set.of("manager", "slot", "file");

    private static final Set<String> MODES = Set.of("400", "600", "444", "644", "555", "755");

    private ManagerCheck() {}

    /** The fault in a grant; empty when there is none. Never holds a parameter's value or a file's bytes. */
    static Optional<String> problem(ManagerGrant grant) {
        if (!MANAGER.matcher(grant.manager()).matches()) {
            return Optional.of("the manager's name is malformed");
        }
        if (!SLOT.matcher(grant.slot()).matches()) {
            return Optional.of("the slot is malformed");
        }
        if (!TURN.matcher(grant.turn()).matches()) {
            return Optional.of("the turn is malformed");
        }
        if (grant.parameters().size() > MOST_PARAMETERS) {
            return Optional.of("more than " + MOST_PARAMETERS + " parameters");
        }
        for (var entry : grant.parameters().entrySet()) {
            if (!PARAMETER.matcher(entry.getKey()).matches() || TAKEN.contains(entry.getKey())) {
                return Optional.of("a parameter's name is malformed or taken");
            }
            if (!isWord(entry.getValue())) {
                return Optional.of("the parameter " + entry.getKey() + " is neither a plain word nor a plain path");
            }
        }
        return files(grant);
    }

    private static boolean isWord(String value) {
        return value.length() <= MOST_WORD
                && (value.startsWith("/") ? PATH : WORD).matcher(value).matches();
    }

    private static Optional<String> files(ManagerGrant grant) {
        if (grant.files().size() > MOST_FILES) {
            return Optional.of("more than " + MOST_FILES + " files");
        }
        Set<String> names = new HashSet<>();
        for (GrantedFile file : grant.files()) {
            if (!FILE.matcher(file.name()).matches() || !names.add(file.name())) {
                return Optional.of("a file's name is malformed, or there twice");
            }
            if (!MODES.contains(file.mode())) {
                return Optional.of(
                        "the mode of the file " + file.name() + " is not one of 400, 600, 444, 644, 555, 755");
            }
            int bytes = bytes(file).length;
            if (bytes == 0 || bytes > MOST_FILE_BYTES) {
                return Optional.of("the file " + file.name() + " is not base64 of 1 to " + MOST_FILE_BYTES + " bytes");
            }
        }
        return Optional.empty();
    }

    /** The fault in a manager's program; empty when there is none. */
    static Optional<String> problem(ManagerGrant.Program program) {
        if (!MANAGER.matcher(program.manager()).matches()) {
            return Optional.of("the manager's name is malformed");
        }
        int bytes = Digests.utf8(program.text()).length;
        return bytes == 0 || bytes > MOST_PROGRAM_BYTES || program.text().indexOf('\0') >= 0
                ? Optional.of("the program is not text of 1 to " + MOST_PROGRAM_BYTES + " bytes")
                : Optional.empty();
    }

    /** The fault in a foreign job's place; empty when there is none. */
    static Optional<String> problem(Foreign foreign) {
        if (!MANAGER.matcher(foreign.manager()).matches()) {
            return Optional.of("the foreign job's manager is malformed");
        }
        if (!foreign.job().matches("[0-9]{1,10}")) {
            return Optional.of("the foreign job's id is not a number");
        }
        boolean plain = foreign.folder().startsWith("/")
                && foreign.folder().chars().noneMatch(Character::isISOControl)
                && Digests.utf8(foreign.folder()).length <= LONGEST_FOLDER_BYTES;
        return plain ? Optional.empty() : Optional.of("the foreign job's folder is not an absolute path");
    }

    /** The bytes of a file; none when it is malformed. */
    static byte[] bytes(GrantedFile file) {
        try {
            return Base64.getDecoder().decode(file.base64());
        } catch (IllegalArgumentException notBase64) {
            return new byte[0];
        }
    }
}

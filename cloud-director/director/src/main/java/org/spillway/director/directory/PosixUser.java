package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A user as the name service of a node needs it.
 *
 * @param uidNumber 0 to 4,294,967,294
 * @param gidNumber of the primary group, the same range
 * @param gecos empty when the directory has none
 * @param loginShell empty when the directory has none
 */
public record PosixUser(
        String name, long uidNumber, long gidNumber, String gecos, String homeDirectory, String loginShell) {
    private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@$-]{0,63}");
    private static final long LARGEST_ID = 4_294_967_294L;

    /** The logins that nodes take; a submission of another is refused at home. */
    public static boolean isLogin(String name) {
        return LOGIN.matcher(name).matches();
    }

    /** Empty unless the entry is a posixAccount with all that a login needs. */
    static Optional<PosixUser> of(Entry entry) {
        String name = entry.getAttributeValue("uid");
        String home = entry.getAttributeValue("homeDirectory");
        long uid = id(entry, "uidNumber");
        long gid = id(entry, "gidNumber");
        if (!entry.hasObjectClass("posixAccount") || name == null || home == null || uid < 0 || gid < 0) {
            return Optional.empty();
        }
        return Optional.of(new PosixUser(name, uid, gid, text(entry, "gecos"), home, text(entry, "loginShell")));
    }

    /** The number, or -1 when it is missing or no id. */
    static long id(Entry entry, String attribute) {
        Long value = entry.getAttributeValueAsLong(attribute);
        return value == null || value < 0 || value > LARGEST_ID ? -1 : value;
    }

    private static String text(Entry entry, String attribute) {
        String value = entry.getAttributeValue(attribute);
        return value == null ? "" : value;
    }
}

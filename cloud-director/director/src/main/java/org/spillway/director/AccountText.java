package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.director.directory.PosixUser;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;
import org.spillway.director.wire.SiteAccounts.Word;

/**
 * A node's words on a login, as its name service says them:
 *
 * <pre>
 * status N                exit code of getent: 0 found, 2 not known
 * passwd LOGIN:UID:GID
 * groups GID ...
 * group NAME:GID          of those that have a name
 * </pre>
 */
record AccountText(
        Word word, @org.jspecify.annotations.Nullable Account account) {
    static final int MAX_BYTES = 64 * 1024;
    private static final int MOST_GROUPS = 2_000;
    private static final int LONGEST_NAME = 256;
    private static final AccountText UNREADABLE = new AccountText(Word.UNREADABLE, null);

    /** Never fails: what cannot be read is {@link Word#UNREADABLE}. @param login that was asked for */
    static AccountText parse(String login, byte[] body) {
        String[] account = {};
        String status = "";
        Map<Long, String> groups = new LinkedHashMap<>();
        for (String line : new String(body, StandardCharsets.UTF_8).split("\n", -1)) {
            String[] words = line.split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            switch (words[0]) {
                case "status" -> status = rest;
                case "passwd" -> account = rest.split(":", -1);
                case "groups" -> List.of(rest.split(" ", -1)).forEach(gid -> groups.putIfAbsent(id(gid), ""));
                case "group" -> name(groups, rest);
                default -> {}
            }
        }
        if (status.equals("2")) {
            return new AccountText(Word.UNKNOWN, null);
        }
        boolean whole = status.equals("0") && account.length == 3 && groups.size() <= MOST_GROUPS;
        if (!whole || id(account[1]) < 0 || id(account[2]) < 0 || groups.isEmpty() || groups.containsKey(-1L)) {
            return UNREADABLE;
        }
        // A login of digits alone is looked up as a number, and may be another's.
        if (!account[0].equals(login) || !PosixUser.isLogin(login)) {
            return new AccountText(Word.UNKNOWN, null);
        }
        List<Group> all = new ArrayList<>();
        groups.forEach((gid, name) -> all.add(new Group(gid, name)));
        return new AccountText(Word.KNOWN, new Account(id(account[1]), id(account[2]), all));
    }

    private static void name(Map<Long, String> groups, String rest) {
        int colon = rest.lastIndexOf(':');
        long gid = colon < 0 ? -1 : id(rest.substring(colon + 1));
        if (gid >= 0) {
            groups.computeIfPresent(gid, (number, before) -> plain(rest.substring(0, colon)));
        }
    }

    /** A node may be hostile: what it writes reaches an administrator's terminal. */
    private static String plain(String name) {
        return name.length() > LONGEST_NAME ? "" : name.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
    }

    private static long id(String text) {
        long value = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : -1;
        return value > 4_294_967_294L ? -1 : value;
    }
}

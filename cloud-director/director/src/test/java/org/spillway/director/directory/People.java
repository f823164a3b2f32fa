package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Entries for tests, and waiting with a bound. */
final class People {
    static final String BASE = "dc=lab";
    static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Where no file can be. */
    static final SavedDirectory UNSAVED = SavedDirectory.in(Path.of("/dev/null/none"), "");

    private People() {}

    static DN dn(String user) {
        return DirectoryStore.dn("uid=" + user + ",ou=people," + BASE);
    }

    static Entry user(String name, int uid) {
        return new Entry(
                dn(name),
                new Attribute("objectClass", "top", "account", "posixAccount", "shadowAccount"),
                new Attribute("uid", name),
                new Attribute("cn", name),
                new Attribute("uidNumber", Integer.toString(uid)),
                new Attribute("gidNumber", "20000"),
                new Attribute("homeDirectory", "/home/" + name),
                new Attribute("loginShell", "/bin/bash"),
                new Attribute("gecos", "Dr " + name),
                new Attribute("userPassword", "{SSHA}ForbiddenFruit"),
                new Attribute("shadowLastChange", "19000"));
    }

    static void put(DirectoryStore store, String name, int uid) {
        store.put(DirectoryStore.idOf(dn(name)), dn(name), user(name, uid).getAttributes());
    }

    static void remove(DirectoryStore store, String name) {
        store.remove(DirectoryStore.idOf(dn(name)));
    }

    static void putGroup(DirectoryStore store, String name, int gid, String... members) {
        DN dn = DirectoryStore.dn("cn=" + name + ",ou=groups," + BASE);
        Entry entry = new Entry(
                dn,
                new Attribute("objectClass", "posixGroup"),
                new Attribute("cn", name),
                new Attribute("gidNumber", Integer.toString(gid)));
        if (members.length > 0) {
            entry.addAttribute("memberUid", members);
        }
        store.put(DirectoryStore.idOf(dn), dn, entry.getAttributes());
    }

    /** For what no store announces; anything in a store is better awaited there. */
    static boolean eventually(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Object never = new Object();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            synchronized (never) {
                never.wait(5);
            }
        }
        return true;
    }
}
